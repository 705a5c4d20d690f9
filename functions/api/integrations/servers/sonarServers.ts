import type * as z from "zod";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../../shared/http/recordHandlers.ts";
import { sonarServers } from "../../../../shared/integrations/store/sonarServers.ts";
import type { newSonarServer, sonarRoutes } from "./sonarRoutes.ts";

const sort = { noun: "SonarQube server", nameField: "system_identity", records: sonarServers };

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, wanted: z.output<typeof newSonarServer>) => {
    const shown = { systemIdentity: wanted.system_identity, serverAddress: wanted.server_address };
    return { id, name: shown.systemIdentity, shown, kept: {}, secretFields: ["token"] };
  },
  secretsOf: ({ token }) => ({ token }),
  answerOf: ({ id, shown }) => ({ id, system_identity: shown.systemIdentity, server_address: shown.serverAddress }),
});

export const sonarHandlers: Handlers<typeof sonarRoutes> = {
  listSonarServers: list,
  addSonarServer: add,
  getSonarServer: read,
  updateSonarServer: change,
  deleteSonarServer: remove,
};
