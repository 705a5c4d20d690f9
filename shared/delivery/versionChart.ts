import { ApiError, badRequest, notFound } from "../base/errors/apiError.ts";
import { readStoredChart } from "../packaging/helm/chartStore.ts";
import { findVersionId, findWholeVersion } from "./store/versions.ts";

/**
 * The package of one chart of a version, as it was pushed or will be (contract D 1.15).
 * @throws ApiError 404 for a version or a chart that is not there; 400 for a version of manifests; 6563 while the chart is
 * not packed
 */
export async function versionChart(
  projectKey: string,
  name: string,
  chartName: string,
): Promise<{ file: string; archive: Buffer }> {
  const id = await findVersionId(projectKey, name);
  const whole = id === undefined ? undefined : await findWholeVersion(id, { consistent: false });
  if (whole === undefined) throw notFound(`delivery version ${name} in project ${projectKey}`);
  const { version, services, charts } = whole;
  if (version.versionType !== "HelmChart") {
    const problem = `version ${name} is made of manifests and has no charts; GET /openapi/delivery/releases/${version.versionId}/manifest reads those`;
    throw badRequest([{ in: "query", path: "version", problem }]);
  }
  const at = services.findIndex(({ chart }) => chart?.name === chartName);
  const [chart, state] = [services[at]?.chart, charts[at]];
  if (chart === undefined || state === undefined)
    throw notFound(
      `chart ${chartName} in version ${name}, whose charts are ${services.flatMap((one) => one.chart?.name ?? []).join(", ")}`,
    );
  if (state.digest === "")
    throw new ApiError(
      6563,
      state.error || `chart ${chartName} of version ${name} is not packed yet; ask again in a moment`,
    );
  return { file: `${chart.name}-${chart.version}.tgz`, archive: await readStoredChart(state) };
}
