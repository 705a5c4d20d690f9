import type { CallRules } from "../../../kube/mesh/familyObjects.ts";
import type { JobPreviewer } from "../preview.ts";
import type { CallRulesRun } from "./planner.ts";

/** Where calls would go; the objects of the mesh that say so are not shown. */
export const preview: JobPreviewer = async ({ projectKey, run }) => {
  const { env, production, rules } = run as unknown as CallRulesRun;
  const look = async () => ({ modules: [], objects: [] });
  const notes = ["the routes that change are not shown"];
  return [{ projectKey, envKey: env, production, services: [{ name: "", action: actionOf(rules), notes, look }] }];
};

function actionOf({ weights, matches }: CallRules): string {
  const shares = (weights ?? []).map(({ envKey, weight }) => `${weight} per cent to ${envKey}`);
  if (shares.length > 0) return `leads calls by weight: ${shares.join(", ")}`;
  const led = (matches ?? []).map(
    ({ envKey, headers }) => `those with ${Object.keys(headers).join(" and ")} to ${envKey}`,
  );
  return `leads calls by their headers: ${led.join(", ")}`;
}
