import type { ChartRepository } from "../integrations/store/chartRepositories.ts";
import { chartRepositoryAccess } from "./chartRepositoryAccess.ts";
import type { ChartToPush } from "./chartToPush.ts";
import { passwordOf } from "./openChartRepository.ts";
import { pushToMuseum } from "./pushToMuseum.ts";
import { pushToRegistry } from "./pushToRegistry.ts";

/**
 * Puts a chart into a registered repository. One that exists there already with the same content is left as it is, so
 * that a push may be repeated; other content under the same version is never replaced.
 * @returns where it is, as Helm takes it
 * @throws ChartProblem
 */
export async function pushChart(
  { id, shown }: { id: string; shown: ChartRepository },
  chart: ChartToPush,
  signal: AbortSignal,
): Promise<string> {
  const password = await passwordOf(id);
  if (shown.type === "http") return pushToMuseum({ ...shown, password }, chart);
  return pushToRegistry(shown.repoName, chartRepositoryAccess(id, shown, password), chart, signal);
}
