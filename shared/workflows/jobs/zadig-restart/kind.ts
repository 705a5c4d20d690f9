import * as z from "zod";
import { environmentNeeds, environmentOptions } from "../../definition/environmentOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { selection } from "../../definition/specParts.ts";
import { flag, text, texts } from "../../definition/wireFields.ts";

/** Workloads of services are restarted. */
export const kind = {
  type: "zadig-restart",
  words: ["Restart", "重启服务"],
  schema: z.looseObject({
    ...selection,
    env: text,
    env_source: text,
    env_job_name: text,
    production: flag,
    deploy_type: text,
    skip_check_run_status: flag,
    services: texts,
  }),
  needs: environmentNeeds,
  options: (spec, { environments }) => ({ ...spec, env_options: environmentOptions(spec, environments) }),
  previews: true,
} as const satisfies JobKind;
