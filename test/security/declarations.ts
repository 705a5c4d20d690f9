import { groups } from "../../functions/api/groups.ts";
import type { Route } from "../../shared/http/route.ts";
import { templateOf } from "../../shared/http/router.ts";

/** One declared endpoint, named as the expectation tables name it: `GET /openapi/environments/{envName}`. */
export interface Declaration {
  name: string;
  group: string;
  id: string;
  route: Route;
}

/** Every endpoint that is served, in the order of the groups. */
export const declarations: readonly Declaration[] = groups.flatMap(({ name: group, routes }) =>
  Object.entries(routes).map(([id, route]) => ({ name: nameOf(route), group, id, route })),
);

export function nameOf(route: Pick<Route, "method" | "path">): string {
  return `${route.method} ${templateOf(route.path)}`;
}

/** A missing task of a code scan, or of the older API, is what the specification samples, 500 (decisions 1.1). */
export function missingIs500({ name }: Pick<Declaration, "name">): boolean {
  const older = "GET /api/directory/workflowTask/id/{id}/pipelines/{pipelineName}";
  return name === older || name.includes(" /openapi/quality/codescan/{scanName}/task");
}

/** With which it answers when all goes well. */
export function statusOf(name: string): number {
  return declarations.find((declaration) => declaration.name === name)?.route.answerStatus ?? 200;
}
