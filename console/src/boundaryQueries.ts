import { type components, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { slipway } from "./session.ts";

/** What a project may use and deploy on clusters (docs/security.md). */
export type ProjectBoundary = components["schemas"]["ProjectBoundary"];
export type PodSecurity = ProjectBoundary["pod_security"];

const ofProject = (projectKey: string) => ({ params: { path: { projectKey } } });

/** For administrators of the project. */
export const boundaryQuery = (project: string) =>
  queryOptions({
    queryKey: ["boundary", project],
    queryFn: () => taken(slipway().GET("/openapi/system/projects/{projectKey}/boundary", ofProject(project))),
  });

/** For system administrators. @returns with warnings of what was taken although it is wide */
export function saveBoundary(project: string, body: ProjectBoundary) {
  return taken(slipway().PUT("/openapi/system/projects/{projectKey}/boundary", { ...ofProject(project), body }));
}
