import * as z from "zod";
import type { JobKind } from "../jobKind.ts";
import { selection } from "../specParts.ts";
import { text, texts } from "../wireFields.ts";

/** Services are taken out of an environment. */
export const offlineService = {
  type: "offline-service",
  changesEnvironment: true,
  words: ["Offline Service", "下线服务"],
  schema: z.looseObject({ env_type: text, env_name: text, source: selection.source, services: texts }),
} as const satisfies JobKind;
