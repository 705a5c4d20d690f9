import { type components, createVersion as make, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { environmentQuery } from "./environmentQueries.ts";
import { liveMilliseconds, type Place, queries } from "./queries.ts";
import { slipway } from "./session.ts";

export type Version = components["schemas"]["DeliveryVersion"];
export type VersionImage = Version["services"][number]["images"][number];
export type Registry = components["schemas"]["Registry"];

export const versionsOnPage = 50;

/** Whether images of a version are still copied. */
const goesOn = ({ status }: { status: string }): boolean => status === "creating" || status === "retrying";

/** @param page from 1, the newest versions first */
export const deliveryVersionsQuery = (project: string, page = 1) =>
  queryOptions({
    queryKey: ["delivery versions", project, page],
    queryFn: () => {
      const query = { projectKey: project, pageNum: String(page), pageSize: String(versionsOnPage) };
      return taken(slipway().GET("/openapi/delivery/releases", { params: { query } }));
    },
    refetchInterval: ({ state: { data } }) => (data?.list.some(goesOn) ? liveMilliseconds : false),
  });

export const deliveryVersionQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ["delivery version", project, id],
    queryFn: () => {
      const params = { path: { id }, query: { projectKey: project } };
      return taken(slipway().GET("/openapi/delivery/releases/{id}", { params }));
    },
    refetchInterval: ({ state: { data } }) => (data !== undefined && goesOn(data) ? liveMilliseconds : false),
  });

/** What is different in `after`. */
export const differenceQuery = (before: string, after: string) =>
  queryOptions({
    queryKey: ["difference", before, after],
    queryFn: () => {
      const params = { path: { id: before, other: after } };
      return taken(slipway().GET("/openapi/delivery/releases/{id}/diff/{other}", { params }));
    },
  });

/** Whether a project demands signatures, which its administrators alone may know. */
export const verificationQuery = (project: string) =>
  queryOptions({
    queryKey: ["verification", project],
    queryFn: () =>
      taken(slipway().GET("/openapi/projects/project/verification", { params: { query: { projectKey: project } } })),
  });

export const traceQuery = (image: string) =>
  queryOptions({
    queryKey: ["trace", image],
    queryFn: () => taken(slipway().GET("/openapi/artifacts/trace", { params: { query: { image } } })),
  });

/** Makes a version of what an environment runs now. @returns its id */
export async function createVersion(
  place: Place,
  asked: { name: string; description: string; registry: Registry | undefined; chartRepository: string },
): Promise<string> {
  const environment = await queries.fetchQuery(environmentQuery(place));
  await make(slipway(), environment, { ...asked, production: place.production, labels: [] });
  const query = { projectKey: place.project, versionName: asked.name };
  return (await taken(slipway().GET("/openapi/delivery/releases/detail", { params: { query } }))).id;
}

export function retryVersion({ id, project_key: projectKey }: Version) {
  return taken(slipway().POST("/openapi/delivery/releases/retry", { params: { query: { projectKey } }, body: { id } }));
}

export function deleteVersion({ id, project_key: projectKey }: Version) {
  const params = { path: { id }, query: { projectKey } };
  return taken(slipway().DELETE("/openapi/delivery/releases/{id}", { params }));
}

/** Deploys the images of a version into an environment by their digests, or says what that would change. */
export function deployVersion({ id }: Version, { project, env, production }: Place, isPreview: boolean) {
  const query = { projectKey: project, ...(isPreview && { dryRun: "true" as const }) };
  const body = { env_key: env, production };
  return taken(slipway().POST("/openapi/delivery/releases/{id}/deploy", { params: { path: { id }, query }, body }));
}
