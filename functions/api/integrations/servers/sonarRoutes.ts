import * as z from "zod";
import { address, secretLine } from "../../../../shared/http/fields.ts";
import { recordRoutes } from "../../../../shared/http/recordRoutes.ts";
import { madeRecord, plainName } from "../../../../shared/http/schemas.ts";

const fields = {
  system_identity: plainName(),
  server_address: address("server_address", ["https", "http"]),
};

export const newSonarServer = z.object({
  ...fields,
  token: secretLine().refine((text) => text !== "", "token cannot be empty"),
});

/** The token stays when it is absent or empty. */
export const changedSonarServer = z.object({ ...fields, token: secretLine().default("") });

export const sonarServer = z
  .object({ id: z.string(), system_identity: z.string(), server_address: z.string() })
  .meta({ id: "SonarServer" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/sonar/integration",
    idForm: "hex",
    tag: "SonarQube",
    function: "Sonar Integration",
    noun: "a SonarQube server",
    nouns: "SonarQube servers",
    nameField: "system_identity",
  },
  {
    added: newSonarServer,
    changed: changedSonarServer,
    listed: z.array(sonarServer),
    shown: sonarServer,
    made: madeRecord,
  },
);

export const sonarRoutes = {
  listSonarServers: routes.list,
  addSonarServer: routes.add,
  getSonarServer: routes.read,
  updateSonarServer: routes.change,
  deleteSonarServer: routes.remove,
};
