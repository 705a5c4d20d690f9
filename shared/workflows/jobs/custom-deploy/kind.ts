import * as z from "zod";
import { optionsOf } from "../../definition/definitionOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { flag, listOf, requiredText, text } from "../../definition/wireFields.ts";

/** The images of single containers; `timeout` in minutes, 0 or absent: the platform's default. */
export const kind = {
  type: "custom-deploy",
  words: ["Custom Deploy", "自定义部署"],
  schema: z.looseObject({
    namespace: text,
    cluster_id: text,
    docker_registry_id: text,
    source: z.enum(["", "runtime", "fixed"], "must be runtime or fixed").nullish(),
    skip_check_run_status: flag,
    timeout: z.number("must be a number of minutes").min(0, "must be at least 0 minutes").nullish(),
    targets: listOf(
      z.looseObject({
        target: requiredText.regex(
          /^(?:Deployment|StatefulSet|CronJob)\/[^/]+\/[^/]+$/i,
          "must be <Deployment, StatefulSet or CronJob>/<name>/<container>",
        ),
        image: text,
      }),
    ),
  }),
  options: (spec) => ({ ...spec, target_options: optionsOf(spec, "target_options", "targets", ["target"]) }),
  namesNamespace: true,
  previews: true,
} as const satisfies JobKind;
