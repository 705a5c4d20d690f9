import * as z from "zod";
import { text, texts } from "../wireFields.ts";
import { source } from "./parts.ts";

/** Spec of `offline-service`. */
export const offlineService = z.looseObject({ env_type: text, env_name: text, source, services: texts });
