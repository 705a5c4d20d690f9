import { policyAnnotation } from "../../kube/apply/marks.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { ChartProblem } from "./chartProblem.ts";
import type { ProxiedCluster } from "./kubeProxy.ts";
import { withoutTemplates } from "./readArchive.ts";
import { failureWords } from "./rules/failureWords.ts";
import { runHelm } from "./runHelm.ts";
import type { WantedRelease } from "./upgradeRelease.ts";

/**
 * The kinds that a chart and the charts in it bring in `crds/`, those of charts that the values switch off left out. They
 * say that they stay when the release goes, as Helm leaves them (decisions 11.5).
 * @throws ChartProblem when something else lies there
 */
export async function chartDefinitions(
  door: ProxiedCluster,
  { name, archive, values }: Pick<WantedRelease, "name" | "archive" | "values">,
): Promise<KubeObject[]> {
  const bare = await withoutTemplates(archive);
  if (bare === undefined) return [];
  const { gitVersion } = await door.client.version();
  const { code, stdout, stderr } = await runHelm({
    args: [
      ...["template", name, "chart.tgz", "--namespace", door.namespace, "--values", "values.yaml"],
      ...["--include-crds", "--kube-version", gitVersion],
    ],
    files: { "chart.tgz": bare, "values.yaml": values },
    seconds: 20,
  });
  if (code !== 0) throw new ChartProblem(failureWords(stderr));
  const objects = parseManifest(stdout);
  const other = objects.find((object) => !isDefinition(object));
  if (other !== undefined)
    throw new ChartProblem(
      `crds/ holds ${other.kind} "${other.metadata.name}"; only a CustomResourceDefinition may lie there, other objects belong in templates/`,
    );
  return objects.map((object) => {
    const { metadata } = object;
    return {
      ...object,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [policyAnnotation]: "keep" } },
    };
  });
}
