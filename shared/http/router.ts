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
  /** Among all declarations. */
  position: number;
}

type Segment = { fixed: string } | Parameter;

interface Parameter {
  parameter: string;
  form: RegExp | undefined;
  excludes: string | undefined;
}

/** Paths that begin alike: how they go on, and the declarations whose path ends here. */
interface Branch {
  fixed: Map<string, Branch>;
  parameters: (Omit<Parameter, "parameter"> & { branch: Branch })[];
  entries: Entry[];
}

/** Finds the declaration of a request by the rules of decisions 2, empty segments of its path aside. */
export interface Router {
  match(method: string, rawPath: string): RouteMatch;
}

export function createRouter(routes: Routes): Router {
  const entries = Object.entries(routes).map(
    ([id, route], position): Entry => ({ id, route, segments: segmentsOf(route.path), position }),
  );
  refuseTwins(entries);
  const root = newBranch();
  for (const entry of entries) entry.segments.reduce(branchFor, root).entries.push(entry);
  return {
    match(method, rawPath) {
      const path = pathSegments(rawPath);
      if (path === undefined) return { found: "nothing" };
      const fitting = fittingIn(root, path);
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

function newBranch(): Branch {
  return { fixed: new Map(), parameters: [], entries: [] };
}

/** Where paths go on that have this segment next; made where it is missing. */
function branchFor({ fixed, parameters }: Branch, segment: Segment): Branch {
  if ("fixed" in segment) {
    const branch = fixed.get(segment.fixed) ?? newBranch();
    fixed.set(segment.fixed, branch);
    return branch;
  }
  const { form, excludes } = segment;
  const known = parameters.find((other) => other.form === form && other.excludes === excludes);
  if (known !== undefined) return known.branch;
  const branch = newBranch();
  parameters.push({ form, excludes, branch });
  return branch;
}

/** Every declaration that a path is one of. */
function fittingIn(
  { fixed, parameters, entries }: Branch,
  path: readonly string[],
  found: Entry[] = [],
  at = 0,
): readonly Entry[] {
  const value = path[at];
  if (value === undefined) {
    found.push(...entries);
    return found;
  }
  const fixedNext = fixed.get(value);
  if (fixedNext !== undefined) fittingIn(fixedNext, path, found, at + 1);
  for (const { form, excludes, branch } of parameters)
    if (value !== excludes && (form?.test(value) ?? true)) fittingIn(branch, path, found, at + 1);
  return found;
}

/** At the first position where two fitting declarations differ, a fixed segment comes before a parameter; otherwise what is declared first. */
function precedes(a: Entry, b: Entry): boolean {
  for (const [position, segment] of a.segments.entries()) {
    const other = b.segments[position];
    if (other === undefined) return false;
    const fixedA = "fixed" in segment;
    if (fixedA !== "fixed" in other) return fixedA;
  }
  return a.position < b.position;
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
