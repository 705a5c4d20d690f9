import * as z from "zod";
import { address, secretLine } from "../../../../shared/http/fields.ts";
import { recordRoutes } from "../../../../shared/http/recordRoutes.ts";
import { madeRecord, plainName } from "../../../../shared/http/schemas.ts";

export const metricServerBody = z.object({
  name: plainName(),
  type: z.enum(["prometheus", "web"], "must be prometheus or web"),
  address: address("address", ["https", "http"]),
  token: secretLine()
    .default("")
    .meta({ description: "Sent as a bearer token; absent or empty leaves the stored one" }),
});

export const metricServer = z
  .object({ id: z.string(), name: z.string(), type: z.string(), address: z.string() })
  .meta({ id: "MetricServer" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/observability",
    idForm: "hex",
    tag: "Metric servers",
    function: "Metric Server",
    noun: "a metric server",
    nouns: "metric servers",
    nameField: "name",
  },
  {
    added: metricServerBody,
    changed: metricServerBody,
    listed: z.array(metricServer),
    shown: metricServer,
    made: madeRecord,
  },
);

export const metricServerRoutes = {
  listMetricServers: routes.list,
  addMetricServer: routes.add,
  getMetricServer: routes.read,
  updateMetricServer: routes.change,
  deleteMetricServer: routes.remove,
};
