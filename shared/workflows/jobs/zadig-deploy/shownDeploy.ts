import { loadText } from "../../../aws/objects/objectStore.ts";
import type { JobDeploy } from "../../../environments/store/jobDeploys.ts";
import { maskedManifest } from "../../../kube/maskedManifest.ts";
import { maskedValue } from "../../../kube/secretValues.ts";
import type { JobRun } from "../runner.ts";

/** A longer manifest is not shown: the record of a job stays small. */
const maxCharacters = 32_768;

/** What task detail shows of a deployment beside what was planned (contract W 4.4); no value of a Secret. */
export async function shownDeploy(run: JobRun, deploy: JobDeploy): Promise<Record<string, unknown>> {
  const { env, service_and_images, variable_kvs, user_supplied_value } = run.spec;
  return {
    ...{ env, service_and_images, variable_kvs, user_supplied_value },
    env_alias: deploy.envAlias,
    ...(deploy.plan.release && { service_type: "helm" }),
    origin_revision: deploy.originRevision,
    yaml_content: shownYaml(await loadText(deploy.plan.text), run.secrets),
  };
}

function shownYaml(text: string, secrets: readonly string[]): string {
  if (text.length > maxCharacters) return "";
  return secrets
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, maskedValue), maskedManifest(text));
}
