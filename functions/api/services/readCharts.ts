import type * as z from "zod";
import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { ApiError, badRequest } from "../../../shared/base/errors/apiError.ts";
import type { ServiceKind } from "../../../shared/base/store/keys/keys.ts";
import { recordDefinition } from "../../../shared/environments/apply/recordDefinition.ts";
import { readChartFolders, readChartPlace } from "../../../shared/http/chartSources.ts";
import {
  type ChartFolder,
  type ChartPlace,
  readChartArchive,
  readChartFolder,
} from "../../../shared/packaging/charts/readChartArchive.ts";
import { ChartProblem } from "../../../shared/packaging/helm/chartProblem.ts";
import type { Chart } from "../../../shared/packaging/helm/readArchive.ts";
import { requireHelmProject } from "../../../shared/projects/requireHelmProject.ts";
import { readChartService } from "../../../shared/projects/services/readChartService.ts";
import { chartServiceNameSchema } from "../../../shared/projects/services/rules/names.ts";
import { findProject } from "../../../shared/projects/store/projects.ts";
import type { chartsLoad, chartsLoaded } from "./schemas.ts";

interface Place {
  projectKey: string;
  kind: ServiceKind;
}

/** For each of them Helm runs once, within the 29 seconds of a request. */
const mostFolders = { is: 10, because: "at most 10 folders are loaded at once" };
const atOnce = 3;

/**
 * Makes services of charts of a chart repository, or of folders at a code host (contract P 3.3). One that fails stops no
 * other.
 * @throws ApiError as `readChartService` where there is one chart, 6040 where none of several could be loaded; 400 for what
 * cannot be fetched
 */
export async function readCharts(
  place: Place,
  { source, name, values_yaml, createFrom }: z.output<typeof chartsLoad>,
  by: string,
): Promise<z.input<typeof chartsLoaded>> {
  const { projectKey } = place;
  requireHelmProject(await findProject(projectKey), projectKey);
  const load = async (given: "chartRepo" | "repo", from: ChartPlace | ChartFolder, fetch: () => Promise<Chart>) => {
    const chart = await read(fetch);
    const known = { ...place, name: name || nameOf(chart), source: given, from, chart, valuesYaml: values_yaml };
    const { revision, name: service } = await readChartService(known, by);
    if (revision > 1) await recordDefinition({ ...place, service }, true);
    return service;
  };
  if (source === "chartRepo") {
    const from = readChartPlace(createFrom);
    return { successServices: [await load(source, from, () => readChartArchive(from))], failedServices: [] };
  }
  const folders = readChartFolders(createFrom, mostFolders);
  if (folders.length > 1 && name !== "")
    throw badRequest([
      { in: "body", path: "name", problem: "services of several folders have the names of their charts" },
    ]);
  return loadFolders(folders, (from) => load("repo", from, () => readChartFolder(from)));
}

async function loadFolders(
  folders: readonly ChartFolder[],
  load: (from: ChartFolder) => Promise<string>,
): Promise<z.input<typeof chartsLoaded>> {
  const [only, ...others] = folders;
  if (only !== undefined && others.length === 0) return { successServices: [await load(only)], failedServices: [] };
  const successServices: string[] = [];
  const failedServices: { path: string; error: string }[] = [];
  await mapBounded(folders, atOnce, async (from) => {
    try {
      successServices.push(await load(from));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failedServices.push({ path: from.path, error: error.description });
    }
  });
  if (successServices.length === 0)
    throw new ApiError(6040, failedServices.map(({ path, error }) => `${path}: ${error}`).join("; "));
  return { successServices: successServices.sort(), failedServices };
}

function nameOf({ name }: Chart): string {
  if (chartServiceNameSchema.safeParse(name).success) return name;
  throw badRequest([
    { in: "body", path: "name", problem: `is required: the chart is called ${name}, which is no name of a service` },
  ]);
}

async function read(fetch: () => Promise<Chart>): Promise<Chart> {
  try {
    return await fetch();
  } catch (error) {
    if (!(error instanceof ChartProblem)) throw error;
    throw badRequest([{ in: "body", path: "createFrom", problem: error.message }]);
  }
}
