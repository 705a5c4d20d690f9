import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { flag, listOf, requiredText, text } from "../../definition/wireFields.ts";

const services = listOf(
  z.looseObject({
    service_name: requiredText.min(1, "service_name cannot be empty"),
    service_and_image: listOf(
      z.looseObject({ service_module: requiredText.min(1, "service_module cannot be empty"), image: text }),
    ),
  }),
);

/** New pods of services are started beside the ones that have the traffic (decisions 12.2). */
export const kind = {
  type: "k8s-blue-green-deploy",
  words: ["Blue-green Deploy", "蓝绿部署"],
  schema: z.looseObject({
    env: text,
    production: flag,
    source: z.enum(["", "runtime", "fixed"], "must be runtime or fixed").nullish(),
    services,
    service_options: services,
  }),
  changesEnvironment: true,
  rollsOut: true,
  releasedBy: "k8s-blue-green-release",
  previews: true,
} as const satisfies JobKind;
