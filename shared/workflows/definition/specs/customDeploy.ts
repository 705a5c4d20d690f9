import * as z from "zod";
import { flag, listOf, text } from "../wireFields.ts";
import { minutes } from "./parts.ts";

/** Spec of `custom-deploy`: the images of single containers. */
export const customDeploy = z.looseObject({
  namespace: text,
  cluster_id: text,
  docker_registry_id: text,
  source: z.enum(["", "runtime", "fixed"], "must be runtime or fixed").nullish(),
  skip_check_run_status: flag,
  timeout: minutes,
  targets: listOf(
    z.looseObject({
      target: z
        .string("must be a text")
        .regex(
          /^(?:Deployment|StatefulSet|CronJob)\/[^/]+\/[^/]+$/i,
          "must be <Deployment, StatefulSet or CronJob>/<name>/<container>",
        ),
      image: text,
    }),
  ),
});
