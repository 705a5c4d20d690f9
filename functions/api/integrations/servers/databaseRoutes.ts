import * as z from "zod";
import { neverReached } from "../../../../shared/base/settings/addressClass.ts";
import { optionalLine, secretLine } from "../../../../shared/http/fields.ts";
import { recordRoutes } from "../../../../shared/http/recordRoutes.ts";
import { isObject, madeRecord, plainName } from "../../../../shared/http/schemas.ts";
import { databaseTypes } from "../../../../shared/integrations/rules/databaseTypes.ts";
import { keysOfProjects } from "../forProjects.ts";
import { hostName } from "../hostName.ts";

const portWords = "must be 1 to 65535";

const fields = {
  name: plainName(),
  type: z.enum(databaseTypes, `must be one of ${databaseTypes.join(", ")}`),
  projects: keysOfProjects,
  host: hostName("host").superRefine((host, context) => {
    const message = neverReached(host);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  }),
  /** Clients of Zadig send a text. */
  port: z
    .union([z.int(portWords), z.string().regex(/^\d{1,5}$/, portWords)], portWords)
    .transform(Number)
    .refine((port) => port >= 1 && port <= 65_535, portWords),
  username: optionalLine(255).min(1, "username cannot be empty"),
  database: optionalLine(128).default("").meta({ description: "Where a connection begins; PostgreSQL must have one" }),
  ca: z
    .string()
    .max(65_536, "must have at most 65536 characters")
    .refine((text) => text === "" || text.includes("-----BEGIN CERTIFICATE-----"), "must be certificates in PEM")
    .default("")
    .meta({ description: "Authorities in PEM that the certificate of the database is checked by" }),
};

export const newDatabase = z
  .object({ ...fields, password: secretLine().refine((text) => text !== "", "password cannot be empty") })
  .superRefine(namesDatabase, { when: isObject });

/** The password stays when it is absent or empty. */
const changedDatabase = z
  .object({ ...fields, password: secretLine().default("") })
  .superRefine(namesDatabase, { when: isObject });

function namesDatabase({ type, database }: { type?: unknown; database?: unknown }, context: z.RefinementCtx): void {
  if (type === "postgresql" && !database)
    context.addIssue({ code: "custom", path: ["database"], message: "is required for type postgresql" });
}

export const database = z
  .object({
    ...{ id: z.string(), name: z.string(), type: z.string(), projects: z.array(z.string()) },
    ...{ host: z.string(), port: z.string(), username: z.string(), database: z.string() },
  })
  .meta({ id: "Database" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/dbinstance",
    idForm: "hex",
    tag: "Databases",
    function: "Database",
    noun: "a database",
    nouns: "databases",
    nameField: "name",
  },
  { added: newDatabase, changed: changedDatabase, listed: z.array(database), shown: database, made: madeRecord },
);

export const databaseRoutes = {
  listDatabases: routes.list,
  addDatabase: routes.add,
  getDatabase: routes.read,
  updateDatabase: routes.change,
  deleteDatabase: routes.remove,
};
