import type * as z from "zod";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../../shared/http/recordHandlers.ts";
import { databases } from "../../../../shared/integrations/store/databases.ts";
import type { databaseRoutes, newDatabase } from "./databaseRoutes.ts";

const sort = { noun: "database", nameField: "name", records: databases };

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { password: _password, ca, ...shown }: z.output<typeof newDatabase>) => {
    return { id, name: shown.name, shown, kept: { ca }, secretFields: ["password"] };
  },
  secretsOf: ({ password }) => ({ password }),
  answerOf: ({ id, shown }) => ({ id, ...shown, port: String(shown.port), projects: [...shown.projects] }),
});

export const databaseHandlers: Handlers<typeof databaseRoutes> = {
  listDatabases: list,
  addDatabase: add,
  getDatabase: read,
  updateDatabase: change,
  deleteDatabase: remove,
};
