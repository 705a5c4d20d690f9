import { loadText, type StoredText, storeText } from "../aws/objects/objectStore.ts";
import { ChartProblem } from "./chartProblem.ts";
import { loadChart } from "./chartStore.ts";
import { failureWords } from "./rules/failureWords.ts";
import { runHelm } from "./runHelm.ts";

export interface ChartToLint {
  chart: { digest: string };
  values: StoredText;
  release: string;
  /** Whether what came of it is kept. */
  keepsManifest?: boolean;
}

const lintSeconds = 20;

/**
 * Renders a chart without any cluster, as its schema and templates allow. What needs a cluster's own kinds or objects is
 * asked when it is deployed.
 * @returns its manifest, where it is kept
 * @throws ChartProblem telling which template is wrong
 */
export async function lintChart({
  chart,
  values,
  release,
  keepsManifest = false,
}: ChartToLint): Promise<StoredText | undefined> {
  const [archive, text] = await Promise.all([loadChart(chart), loadText(values)]);
  const { code, stdout, stderr } = await runHelm({
    args: ["template", release, "chart.tgz", "--values", "values.yaml", "--skip-crds"],
    files: { "chart.tgz": archive, "values.yaml": text },
    seconds: lintSeconds,
  });
  if (code !== 0) throw new ChartProblem(failureWords(stderr));
  return keepsManifest ? storeText(stdout) : undefined;
}
