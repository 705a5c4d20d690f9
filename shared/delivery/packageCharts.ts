import { readStoredText, type StoredText, storeText } from "../base/aws/objects/objectStore.ts";
import { mapBounded } from "../base/common/mapBounded.ts";
import { table } from "../base/store/table.ts";
import { conflictedOn } from "../base/store/tableClient.ts";
import { tryWrite } from "../base/store/tryWrite.ts";
import { type ChartRepository, chartRepositories } from "../integrations/store/chartRepositories.ts";
import type { ListedIntegration } from "../integrations/store/integrationStore.ts";
import { maskedManifest } from "../kube/live/maskedManifest.ts";
import { ManifestError } from "../manifest/manifestError.ts";
import { chartRepositoryAccess } from "../packaging/charts/chartRepositoryAccess.ts";
import type { ChartToPush } from "../packaging/charts/chartToPush.ts";
import { passwordOf } from "../packaging/charts/openChartRepository.ts";
import { pushToMuseum } from "../packaging/charts/pushToMuseum.ts";
import { pushToRegistry } from "../packaging/charts/pushToRegistry.ts";
import { readChartArchive } from "../packaging/charts/readChartArchive.ts";
import { askHelm } from "../packaging/helm/askHelm.ts";
import { ChartProblem } from "../packaging/helm/chartProblem.ts";
import { readStoredChart, storeChart } from "../packaging/helm/chartStore.ts";
import { renamedChart } from "../packaging/helm/readArchive.ts";
import { type Attempt, currentVersion } from "./currentVersion.ts";
import type { ChartState, VersionChart, VersionService } from "./rules/version.ts";
import { endVersion, putChartState, type WholeVersion } from "./store/versions.ts";

const chartsAtOnce = 4;
/** Less than a function may run: what is not pushed by then is pushed by a retry. */
const pushMilliseconds = 10 * 60_000;

/**
 * Packs the chart of every service and pushes it (contract D 1.11), those that have passed excepted. Where one fails the
 * version ends, and no image is copied.
 */
export async function packageCharts(attempt: Attempt): Promise<void> {
  const whole = await currentVersion(attempt);
  if (whole === undefined || whole.version.versionType !== "HelmChart") return;
  const { version, services } = whole;
  const signal = AbortSignal.timeout(pushMilliseconds);
  try {
    const target = await chartRepositories.findByName(version.chartRepoName);
    const problems = await mapBounded([...services.entries()], chartsAtOnce, ([at, service]) =>
      bringChart({ whole, at, service, target, signal }),
    );
    const said = problems.filter((problem) => problem !== undefined);
    if (said.length > 0)
      await tryWrite(table().write(endVersion(version, { status: "failed", error: said.join("; ").slice(0, 4000) })));
  } catch (error) {
    // The version was deleted, or a newer execution of it has ended it.
    if (!conflictedOn(error, "delivery version")) throw error;
  }
}

interface Bringing {
  whole: WholeVersion;
  at: number;
  service: VersionService;
  target: ListedIntegration<ChartRepository> | undefined;
  signal: AbortSignal;
}

/** @returns why it failed */
async function bringChart({ whole, at, service, target, signal }: Bringing): Promise<string | undefined> {
  const { chart } = service;
  let state = whole.charts[at];
  if (chart === undefined || state === undefined || state.status === "passed") return undefined;
  const put = (next: ChartState) => table().write(...putChartState(whole, at, next));
  try {
    if (target === undefined)
      throw new ChartProblem(
        `chart repository ${whole.version.chartRepoName} does not exist any more; register it again, then retry`,
      );
    if (state.digest === "") {
      state = { ...state, ...(await packed(whole, service, chart)) };
      // The chart is fixed before it is pushed: an execution after a crash pushes the same one.
      await put(state);
    }
    const { name, version } = chart;
    const url = await pushChart(target, { name, version, archive: await readStoredChart(state) }, signal);
    await put({ ...state, status: "passed", error: "", url });
    return undefined;
  } catch (error) {
    const problem = problemOf(error, signal);
    if (problem === undefined) throw error;
    const text = `chart ${chart.name} ${chart.version} of service ${service.name}: ${problem}`;
    await put({ ...state, status: "failed", error: text });
    return text;
  }
}

async function packed(
  { version }: WholeVersion,
  { yaml }: VersionService,
  { name, version: chartVersion, originalVersion, base }: VersionChart,
): Promise<Pick<ChartState, "digest" | "manifest">> {
  const archive =
    base === undefined
      ? (
          await readChartArchive({
            chartRepoName: version.originalChartRepoName,
            chartName: name,
            chartVersion: originalVersion,
          })
        ).archive
      : await readStoredChart({ digest: base });
  const chart = await renamedChart(archive, { name, version: chartVersion, values: await readStoredText(yaml) });
  const { digest } = await storeChart(chart);
  const asked = { chart: { digest }, values: await storeText("{}"), release: name, keepsManifest: true };
  const manifest = await readStoredText((await askHelm("lint", asked)) as StoredText);
  try {
    return { digest, manifest: await storeText(maskedManifest(manifest)) };
  } catch (error) {
    if (error instanceof ManifestError) throw new ChartProblem(`what it renders to: ${error.message}`);
    throw error;
  }
}

function problemOf(error: unknown, signal: AbortSignal): string | undefined {
  if (error instanceof ChartProblem) return error.message;
  if (signal.aborted && error === signal.reason)
    return `it was not pushed within ${pushMilliseconds / 60_000} minutes; retry the version`;
  return undefined;
}

/**
 * Puts a chart into a registered repository. One that exists there already with the same content is left as it is, so
 * that a push may be repeated; other content under the same version is never replaced.
 * @returns where it is, as Helm takes it
 * @throws ChartProblem
 */
async function pushChart(
  { id, shown }: { id: string; shown: ChartRepository },
  chart: ChartToPush,
  signal: AbortSignal,
): Promise<string> {
  const password = await passwordOf(id);
  if (shown.type === "http") return pushToMuseum({ ...shown, password }, chart);
  return pushToRegistry(shown.repoName, chartRepositoryAccess(id, shown, password), chart, signal);
}
