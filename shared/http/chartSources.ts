import * as z from "zod";
import { withAliases } from "../base/common/withAliases.ts";
import { badRequest } from "../base/errors/apiError.ts";
import { isRecord } from "../manifest/schema/kubeObject.ts";
import type { ChartFolder, ChartPlace } from "../packaging/charts/readChartArchive.ts";
import { filled, repositoryPath } from "./schemas.ts";

/** `createFrom` of source `chartRepo` (contract P 3.3). */
export const chartPlace = z.object({
  chartRepoName: filled("chartRepoName", 64),
  chartName: filled("chartName", 255),
  chartVersion: z.string("chartVersion must be a text").max(128).default(""),
});

/** `createFrom` of source `repo` (contract P 3.3), for one chart. */
export const chartFolder = withAliases(
  z.object({
    codehostName: filled("codehostName", 64),
    namespace: filled("namespace", 512),
    repo: filled("repo", 256),
    branch: filled("branch", 256),
    path: repositoryPath(z.string("path must be a text")).default(""),
  }),
  { namespace: ["owner"] },
);

/** @throws ApiError 400 with every field that is wrong */
export function readChartPlace(sent: unknown): ChartPlace {
  return parsed(chartPlace, sent, []);
}

/**
 * One folder, or the list of them in `paths`.
 * @param most how many may be listed
 * @throws ApiError 400 with the fields that are wrong
 */
export function readChartFolders(sent: unknown, most: { is: number; because: string }): ChartFolder[] {
  if (!isRecord(sent) || !Array.isArray(sent.paths) || sent.path !== undefined) return [parsed(chartFolder, sent, [])];
  const { paths, ...place } = sent;
  if (paths.length === 0) return [parsed(chartFolder, place, [])];
  if (paths.length > most.is) throw badRequest([{ in: "body", path: "createFrom.paths", problem: most.because }]);
  return paths.map((path, at) => parsed(chartFolder, { ...place, path }, ["paths", at]));
}

/** @param instead where a caller wrote what is read as `path` */
function parsed<Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  instead: readonly PropertyKey[],
): z.output<Schema> {
  const from = schema.safeParse(sent);
  if (from.success) return from.data;
  const problems = from.error.issues.map(({ path, message }) => {
    const written = instead.length > 0 && path[0] === "path" ? instead : path;
    return { in: "body" as const, path: ["createFrom", ...written].join("."), problem: message };
  });
  throw badRequest(problems);
}
