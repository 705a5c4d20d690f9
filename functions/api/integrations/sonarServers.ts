import type * as z from "zod";
import { addRecord, changeRecord, requireRecord } from "../../../shared/catalog/keepRecord.ts";
import { removeRecord } from "../../../shared/catalog/removeRecord.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { sealFields } from "../../../shared/integrations/sealFields.ts";
import type { Integration, ListedIntegration } from "../../../shared/integrations/store/integrationStore.ts";
import { type SonarServer, sonarServers } from "../../../shared/integrations/store/sonarServers.ts";
import { newId } from "../../../shared/store/ids.ts";
import type { newSonarServer, sonarRoutes, sonarServer } from "./sonarRoutes.ts";

const sort = { noun: "SonarQube server", nameField: "system_identity", records: sonarServers };
type Wanted = z.output<typeof newSonarServer>;

export const sonarHandlers: Handlers<typeof sonarRoutes> = {
  listSonarServers: async () => (await sonarServers.list()).map(answerOf),
  addSonarServer: async ({ body }) => {
    const id = newId();
    await addRecord(sort, recordOf(id, body), await secretsOf(id, body));
    return { ...success, id };
  },
  getSonarServer: async ({ params }) => answerOf(await requireRecord(sort, params.id)),
  updateSonarServer: async ({ params, body }) => {
    await changeRecord(sort, params.id, () => recordOf(params.id, body), await secretsOf(params.id, body));
    return success;
  },
  deleteSonarServer: async ({ params }) => {
    await removeRecord(sort, params.id);
    return success;
  },
};

function secretsOf(id: string, { token }: Wanted) {
  return sealFields(sonarServers.kind, id, { token });
}

function recordOf(id: string, wanted: Wanted): Integration<SonarServer> {
  const shown = { systemIdentity: wanted.system_identity, serverAddress: wanted.server_address };
  return { id, name: shown.systemIdentity, shown, kept: {}, secretFields: ["token"] };
}

function answerOf({ id, shown }: ListedIntegration<SonarServer>): z.input<typeof sonarServer> {
  return { id, system_identity: shown.systemIdentity, server_address: shown.serverAddress };
}
