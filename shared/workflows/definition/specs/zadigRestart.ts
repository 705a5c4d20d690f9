import * as z from "zod";
import { flag, text, texts } from "../wireFields.ts";
import { selection } from "./parts.ts";

/** Spec of `zadig-restart`. */
export const zadigRestart = z.looseObject({
  ...selection,
  env: text,
  env_source: text,
  production: flag,
  skip_check_run_status: flag,
  services: texts,
});
