import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { selection } from "../../definition/specParts.ts";
import { filledText, text } from "../../definition/wireFields.ts";

/** Services are taken out of an environment. */
export const kind = {
  type: "offline-service",
  changesEnvironment: true,
  words: ["Offline Service", "下线服务"],
  // A start chooses nothing: what is missing here can never come.
  schema: z.looseObject({
    env_type: text,
    env_name: filledText,
    source: selection.source,
    services: z.array(filledText, "must be a list").min(1, "must name a service"),
  }),
  previews: true,
} as const satisfies JobKind;
