import { mapBounded } from "../common/mapBounded.ts";
import { readValues } from "../helm/rules/readValues.ts";
import { valueImages } from "../helm/rules/valueImages.ts";
import { findImagePatterns } from "../projects/store/projects.ts";
import type { ServiceKind } from "../store/keys.ts";
import { retryOnConflict } from "../store/retryOnConflict.ts";
import { changeRevision } from "./store/serviceRevisions.ts";
import { findService, listServices } from "./store/services.ts";

const atOnce = 8;

/**
 * Finds the images of a project's charts by the patterns that the project has now, in the newest revision of each service
 * (decisions 11.10). May be repeated, which also finishes what was cut off.
 */
export async function searchChartsAgain(projectKey: string): Promise<void> {
  for (const kind of ["test", "production"] as const) {
    const charts = (await listServices(projectKey, kind)).filter(({ isChart }) => isChart);
    await mapBounded(charts, atOnce, ({ name }) => searchAgain(projectKey, kind, name));
  }
}

function searchAgain(projectKey: string, kind: ServiceKind, name: string): Promise<void> {
  return retryOnConflict(async () => {
    const before = await findService(projectKey, kind, name);
    if (before?.chart === undefined) return;
    const containers = valueImages(readValues(before.yaml), await findImagePatterns(projectKey));
    if (JSON.stringify(containers) !== JSON.stringify(before.containers))
      await changeRevision(before, { ...before, containers });
  });
}
