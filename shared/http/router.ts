import { pathSegments } from "./pathSegments.ts";
import type { Method, Route, Routes } from "./route.ts";

/** Forms that id parameters are limited to (decisions 2.5): the name in the path ends in one of these. */
const parameterForms: Readonly<Record<string, RegExp>> = {
  hex: /^[0-9a-f]{24}$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  int: /^\d{1,15}$/,
};

export type RouteMatch =
  | { found: "route"; id: string; route: Route; params: Record<string, string> }
  | { found: "otherMethods"; allow: Method[] }
  | { found: "nothing" };

interface Entry {
  id: string;
  route: Route;
  segments: readonly Segment[];
}

type Segment = { fixed: string } | { parameter: string; form: RegExp | undefined; excludes: string | undefined };

/** Finds the declaration of a request by the rules of decisions 2, empty segments of its path aside. */
export interface Router {
  match(method: string, rawPath: string): RouteMatch;
}

export function createRouter(routes: Routes): Router {
  const entries = Object.entries(routes).map(([id, route]) => ({ id, route, segments: segmentsOf(route.path) }));
  refuseTwins(entries);
  const byLength = Map.groupBy(entries, ({ segments }) => segments.length);
  return {
    match(method, rawPath) {
      const path = pathSegments(rawPath);
      if (path === undefined) return { found: "nothing" };
      const fitting = (byLength.get(path.length) ?? []).filter((entry) => fits(entry.segments, path));
      const own = fitting.filter((entry) => entry.route.method === method);
      const best = own.reduce<Entry | undefined>((a, b) => (a === undefined || precedes(b, a) ? b : a), undefined);
      if (best !== undefined) return { found: "route", id: best.id, route: best.route, params: paramsOf(best, path) };
      if (fitting.length === 0) return { found: "nothing" };
      return { found: "otherMethods", allow: [...new Set(fitting.map((entry) => entry.route.method))].sort() };
    },
  };
}

/** Path of a declaration with its parameters in braces and without their forms, as OpenAPI and API Gateway write it. */
export function templateOf(path: string): string {
  return path.replace(/:([A-Za-z]+)(\([a-z]+\))?/g, "{$1}");
}

function segmentsOf(path: string): Segment[] {
  const parts = path.slice(1).split("/");
  return parts.map((part, position) => {
    const parameter = /^:([A-Za-z]+)(?:\(([a-z]+)\))?$/.exec(part);
    if (parameter === null) return { fixed: part };
    const [, name = "", form] = parameter;
    if (form !== undefined && parameterForms[form] === undefined) throw new Error(`${path}: unknown form ${form}`);
    return {
      parameter: name,
      form: form === undefined ? undefined : parameterForms[form],
      excludes: isFirstUnderKind(parts, position) ? "production" : undefined,
    };
  });
}

/** Decisions 2.4: there the segment `production` is always the kind, never a name. */
function isFirstUnderKind(parts: readonly string[], position: number): boolean {
  const prefix = parts.slice(0, position).join("/");
  return prefix === "openapi/environments" || prefix === "openapi/service/yaml";
}

/** Whether a declaration is one of a path with as many segments. */
function fits(segments: readonly Segment[], path: readonly string[]): boolean {
  return segments.every((segment, position) => {
    const value = path[position] ?? "";
    if ("fixed" in segment) return segment.fixed === value;
    return value !== segment.excludes && (segment.form?.test(value) ?? true);
  });
}

/** At the first position where two fitting declarations differ, a fixed segment comes before a parameter. */
function precedes(a: Entry, b: Entry): boolean {
  for (const [position, segment] of a.segments.entries()) {
    const other = b.segments[position];
    if (other === undefined) return false;
    const fixedA = "fixed" in segment;
    if (fixedA !== "fixed" in other) return fixedA;
  }
  return false;
}

function paramsOf(entry: Entry, path: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [position, segment] of entry.segments.entries()) {
    if ("parameter" in segment) params[segment.parameter] = path[position] ?? "";
  }
  return params;
}

function refuseTwins(entries: readonly Entry[]): void {
  const seen = new Map<string, string>();
  for (const { id, route, segments } of entries) {
    const shape = `${route.method} ${segments.map((s) => ("fixed" in s ? s.fixed : `:${s.form?.source ?? ""}`)).join("/")}`;
    const twin = seen.get(shape);
    if (twin !== undefined) throw new Error(`routes ${twin} and ${id} answer the same requests: ${shape}`);
    seen.set(shape, id);
  }
}
