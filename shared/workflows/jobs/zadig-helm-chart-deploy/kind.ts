import * as z from "zod";
import { environmentNeeds, environmentOptions } from "../../definition/environmentOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { filledText, flag, listOf, text } from "../../definition/wireFields.ts";
import { overrides } from "../zadig-deploy/kind.ts";

/** Of releases (decisions 11.8). */
export const releaseNamePattern = /^[a-z]([a-z0-9-]{0,51}[a-z0-9])?$/;

export const releaseNameRule =
  "must be 1 to 53 lower-case letters, digits and hyphens, a letter first and no hyphen last";

const releaseName = filledText.refine((name) => name.includes("{{") || releaseNamePattern.test(name), releaseNameRule);

const charts = listOf(
  z.looseObject({
    release_name: releaseName,
    chart_repo: filledText,
    chart_name: filledText,
    /** A version or a range; absent or empty: the newest that is no preview. */
    chart_version: text,
    values_yaml: text,
    override_kvs: overrides,
  }),
).superRefine((sent, context) => {
  for (const [at, { release_name }] of sent.entries())
    if (sent.findIndex((other) => other.release_name === release_name) < at)
      context.addIssue({ code: "custom", path: [at, "release_name"], message: `${release_name} is listed twice` });
});

/** Releases are installed or upgraded from charts of a registered repository. */
export const kind = {
  type: "zadig-helm-chart-deploy",
  changesEnvironment: true,
  words: ["Helm Chart Deploy", "Helm Chart 部署"],
  schema: z.looseObject({
    env: text,
    env_source: text,
    production: flag,
    skip_check_run_status: flag,
    deploy_helm_charts: charts,
  }),
  needs: environmentNeeds,
  options: (spec, { environments }) => ({ ...spec, env_options: environmentOptions(spec, environments) }),
  previews: true,
} as const satisfies JobKind;
