import type { Route } from "../../shared/http/route.ts";
import type { ExpectedPermission, PlaceText } from "./expectedPermissions.ts";

export interface TestRequest {
  path: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown> | undefined;
}

export interface Addressed {
  project: string;
  environment: string;
  uid: string;
  /** Names a workflow of the project, where there is one. */
  workflow?: string;
  /** Says so where the request itself decides. */
  production?: boolean;
}

/** No record has these ids. */
export const absentId = "f".repeat(24);
export const absentUid = "00000000-0000-4000-8000-000000000000";
const absentValues: Readonly<Record<string, string>> = { hex: absentId, uuid: absentUid, int: "999999999" };

/**
 * A request that reaches the permission check and nothing behind it that would change or find something: it carries
 * the places that the expectation names, names records that do not exist, and is otherwise incomplete.
 */
export function harmlessRequest(route: Route, expected: ExpectedPermission, to: Addressed): TestRequest {
  const params: Record<string, string> = {};
  for (const [, name = "", form = ""] of route.path.matchAll(/:([A-Za-z]+)(?:\(([a-z]+)\))?/g))
    params[name] = absentValues[form] ?? "absent";
  // In a project it is somebody else who is named, and the request would change what that one holds.
  if (params.uid !== undefined && expected.project === undefined) params.uid = to.uid;
  const query: Record<string, string> = { isDelete: "maybe", once: "maybe", startDate: "maybe" };
  const body: Record<string, unknown> = {};
  const [where, flag] = expected.inProduction?.place.split(" ") ?? [];
  if (to.production && flag !== undefined) {
    if (where === "query") query[flag] = "true";
    else body[flag] = true;
  }
  const fill = (place: PlaceText | undefined, value: string): void => {
    const [where, name = ""] = place?.split(" ") ?? [];
    if (where === "path") params[name] = value;
    if (where === "query") query[name] = value;
    if (where === "body") body[name] = value;
  };
  fill([expected.project].flat()[0], to.project);
  fill([expected.environment].flat()[0], to.environment);
  fill(expected.workflow, to.workflow ?? "absent");
  return { path: pathOf(route.path, params, query), params, query, body: route.body && body };
}

/** Path with its parameters filled in, and the query behind it. */
export function pathOf(path: string, params: Record<string, string>, query: Record<string, string> = {}): string {
  const filled = path.replace(/:([A-Za-z]+)(\([a-z]+\))?/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const search = new URLSearchParams(query).toString();
  return search === "" ? filled : `${filled}?${search}`;
}
