import type * as z from "zod";
import { addRecord, changeRecord, requireRecord } from "../../../shared/catalog/keepRecord.ts";
import { removeRecord } from "../../../shared/catalog/removeRecord.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { sealFields } from "../../../shared/integrations/sealFields.ts";
import type { Integration, ListedIntegration } from "../../../shared/integrations/store/integrationStore.ts";
import { type MetricServer, metricServers } from "../../../shared/integrations/store/metricServers.ts";
import { newId } from "../../../shared/store/ids.ts";
import type { metricServer, metricServerBody, metricServerRoutes } from "./metricServerRoutes.ts";

const sort = { noun: "metric server", nameField: "name", records: metricServers };
type Wanted = z.output<typeof metricServerBody>;

export const metricServerHandlers: Handlers<typeof metricServerRoutes> = {
  listMetricServers: async () => (await metricServers.list()).map(answerOf),
  addMetricServer: async ({ body }) => {
    const id = newId();
    await addRecord(sort, recordOf(id, body), await secretsOf(id, body));
    return { ...success, id };
  },
  getMetricServer: async ({ params }) => answerOf(await requireRecord(sort, params.id)),
  updateMetricServer: async ({ params, body }) => {
    await changeRecord(sort, params.id, () => recordOf(params.id, body), await secretsOf(params.id, body));
    return success;
  },
  deleteMetricServer: async ({ params }) => {
    await removeRecord(sort, params.id);
    return success;
  },
};

function secretsOf(id: string, { token }: Wanted) {
  return sealFields(metricServers.kind, id, { token });
}

function recordOf(id: string, { name, type, address }: Wanted): Integration<MetricServer> {
  return { id, name, shown: { name, type, address }, kept: {}, secretFields: ["token"] };
}

function answerOf({ id, shown }: ListedIntegration<MetricServer>): z.input<typeof metricServer> {
  return { id, ...shown };
}
