import { loadText } from "../../../aws/objects/objectStore.ts";
import type { JobDeploy } from "../../../environments/store/jobDeploys.ts";
import { isSecret, maskedPair, maskedValue } from "../../../kube/secretValues.ts";
import { joinDocuments } from "../../../manifest/documents.ts";
import { parseDocuments } from "../../../manifest/parseManifest.ts";
import { dumpYaml } from "../../../manifest/parseYaml.ts";
import type { JobRun } from "../runner.ts";

/** A longer manifest is not shown: the record of a job stays small. */
const maxCharacters = 32_768;

/** What task detail shows of a deployment beside what was planned (contract W 4.4); no value of a Secret. */
export async function shownDeploy(run: JobRun, deploy: JobDeploy): Promise<Record<string, unknown>> {
  const { env, service_and_images, variable_kvs } = run.spec;
  return {
    ...{ env, service_and_images, variable_kvs },
    env_alias: deploy.envAlias,
    origin_revision: deploy.originRevision,
    yaml_content: shownYaml(await loadText(deploy.plan.text), run.secrets),
  };
}

function shownYaml(text: string, secrets: readonly string[]): string {
  if (text.length > maxCharacters) return "";
  const documents = parseDocuments(text).flatMap(({ source, objects }) =>
    objects.some(isSecret)
      ? objects.map((object) => dumpYaml(maskedPair(undefined, object).after ?? object))
      : [source.text],
  );
  const shown = joinDocuments(documents);
  return secrets
    .filter((secret) => secret !== "")
    .reduce((left, secret) => left.replaceAll(secret, maskedValue), shown);
}
