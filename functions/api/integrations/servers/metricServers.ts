import type * as z from "zod";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../../shared/http/recordHandlers.ts";
import { metricServers } from "../../../../shared/integrations/store/metricServers.ts";
import type { metricServerBody, metricServerRoutes } from "./metricServerRoutes.ts";

const sort = { noun: "metric server", nameField: "name", records: metricServers };

const { list, add, read, change, remove } = recordHandlers(sort, {
  recordOf: (id, { name, type, address }: z.output<typeof metricServerBody>) => {
    return { id, name, shown: { name, type, address }, kept: {}, secretFields: ["token"] };
  },
  secretsOf: ({ token }) => ({ token }),
  answerOf: ({ id, shown }) => ({ id, ...shown }),
});

export const metricServerHandlers: Handlers<typeof metricServerRoutes> = {
  listMetricServers: list,
  addMetricServer: add,
  getMetricServer: read,
  updateMetricServer: change,
  deleteMetricServer: remove,
};
