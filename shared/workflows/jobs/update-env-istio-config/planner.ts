import type { CallRules } from "../../../kube/mesh/familyObjects.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as updateEnvIstioConfig } from "./kind.ts";

/** What the runner needs to lead calls in a base and its sub-environments. */
export interface CallRulesRun {
  env: string;
  production: boolean;
  rules: CallRules;
}

const minutes = 10;

/** Leads the calls of a base: one job task. */
export const planner: JobPlanner = {
  expand: async (job) => {
    const spec = readSpec(updateEnvIstioConfig, job);
    const { production, base_env, grayscale_strategy, weight_configs, header_match_configs } = spec;
    const weights = weight_configs.map(({ env, weight }) => ({ envKey: env, weight }));
    const matches = header_match_configs.map(({ env, header_match }) => ({
      envKey: env,
      // Names of headers are in lower case in a mesh.
      headers: Object.fromEntries(
        header_match.map(({ key, match, value }) => [key.toLowerCase(), matchOf(match, value)]),
      ),
    }));
    const run: CallRulesRun = {
      ...{ env: base_env, production: production === true },
      rules: grayscale_strategy === "weight" ? { weights } : { matches },
    };
    return [{ parts: [], spec: { ...job.spec }, run: { ...run }, timeoutMinutes: minutes }];
  },
};

function matchOf(match: "exact" | "prefix" | "regex", value: string) {
  if (match === "exact") return { exact: value };
  return match === "prefix" ? { prefix: value } : { regex: value };
}
