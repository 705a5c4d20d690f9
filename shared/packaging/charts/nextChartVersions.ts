import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError, badRequest } from "../../base/errors/apiError.ts";
import { chartRepositories } from "../../integrations/store/chartRepositories.ts";
import { ChartProblem } from "../helm/chartProblem.ts";
import type { PlacedVersion } from "./chartSource.ts";
import { openChartRepository } from "./openChartRepository.ts";
import { followingVersion, newestVersion } from "./rules/pickVersion.ts";

interface NextChartVersion {
  name: string;
  /** The newest, previews included, and where it is; empty for a chart that is not there. */
  version: string;
  url: string;
  next: string;
}

const chartsAtOnce = 4;

/**
 * What a chart repository has of charts, and which version comes next: one patch more, `1.0.0` for a new chart (contract D
 * 1.15).
 * @throws ApiError 400 for a repository that is not registered; 6563 with what it says
 */
export async function nextChartVersions(repoName: string, names: readonly string[]): Promise<NextChartVersion[]> {
  const found = await chartRepositories.findByName(repoName);
  if (found === undefined)
    throw badRequest([
      { in: "query", path: "chartRepoName", problem: `chart repository ${repoName} does not exist; register it first` },
    ]);
  try {
    const { versions } = await openChartRepository(found.id, found.shown);
    return await mapBounded(names, chartsAtOnce, async (name) => nextOf(name, await versions(name)));
  } catch (error) {
    if (error instanceof ChartProblem) throw new ApiError(6563, error.message, { cause: error });
    throw error;
  }
}

function nextOf(name: string, versions: readonly PlacedVersion[]): NextChartVersion {
  const version = newestVersion(versions.map((one) => one.version)) ?? "";
  const url = versions.find((one) => one.version === version)?.url ?? "";
  return { name, version, url, next: version === "" ? "1.0.0" : followingVersion(version) };
}
