import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { releaseLabel } from "../apply/marks.ts";

/** A destination of calls, as Istio's networking API has it; others' fields are kept. */
export interface WeightedRoute {
  destination: { host: string; subset?: string; [field: string]: unknown };
  /** Relative to the others of its list; absent where it is alone. */
  weight?: number;
  [field: string]: unknown;
}

/** The rules of a VirtualService by their protocol. */
export type MeshRoutes = Partial<Record<(typeof protocols)[number], Record<string, unknown>[]>>;

/** The pods of a Service while its workload is released: those of the workload itself, and those that stand beside it. */
export const releaseSubsets = {
  stable: { name: "slipway-stable", labels: { [releaseLabel]: "stable" } },
  new: { name: "slipway-new", labels: { [releaseLabel]: "new" } },
} as const;

const protocols = ["http", "tls", "tcp"] as const;
const own: ReadonlySet<unknown> = new Set([releaseSubsets.stable.name, releaseSubsets.new.name]);
const whole = 100;

/** The name of a Service for calls from any namespace. */
export function meshHost(service: string, namespace: string): string {
  return `${service}.${namespace}.svc.cluster.local`;
}

/** Leads calls to a host, a share of them in per cent to the new pods; 0: wherever its Service leads. */
export function weightedTo(host: string, share = 0): WeightedRoute[] {
  return splitList([{ destination: { host } }], () => true, share);
}

/** The rules of a VirtualService. */
export function routesOf(spec: unknown): MeshRoutes {
  const found = protocols.flatMap((protocol) => {
    const rules = isRecord(spec) ? spec[protocol] : undefined;
    return Array.isArray(rules) ? [[protocol, rules.filter(isRecord)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** Every destination of the rules. */
export function destinationsOf(routes: MeshRoutes): WeightedRoute["destination"][] {
  return Object.values(routes)
    .flat()
    .flatMap((rule) => listOf(rule).map(({ destination }) => destination));
}

export function isReleaseSubset(subset: unknown): boolean {
  return own.has(subset);
}

/** The rules with a share of the calls to a host, in per cent, led to the new pods; where else they lead stays. */
export function splitRoutes(routes: MeshRoutes, isHost: (host: string) => boolean, share: number): MeshRoutes {
  return mapLists(routes, (list) => splitList(list, isHost, share));
}

/** Undoes `splitRoutes`, also in rules that others changed since. */
export function wholeRoutes(routes: MeshRoutes, isHost: (host: string) => boolean): MeshRoutes {
  return mapLists(routes, (list) => wholeList(list, isHost));
}

function mapLists(routes: MeshRoutes, change: (list: WeightedRoute[]) => WeightedRoute[]): MeshRoutes {
  const mapped = Object.entries(routes).map(([protocol, rules]) => [
    protocol,
    rules.map((rule) => (Array.isArray(rule.route) ? { ...rule, route: change(listOf(rule)) } : rule)),
  ]);
  return Object.fromEntries(mapped);
}

function listOf({ route }: Record<string, unknown>): WeightedRoute[] {
  const list: unknown[] = Array.isArray(route) ? route : [];
  return list.filter((one): one is WeightedRoute => isRecord(one) && isRecord(one.destination));
}

function splitList(list: WeightedRoute[], isHost: (host: string) => boolean, share: number): WeightedRoute[] {
  if (share === 0 || !list.some(({ destination }) => isHost(destination.host))) return list;
  return list.flatMap((one) => {
    const weight = list.length === 1 ? 1 : (one.weight ?? 0);
    if (!isHost(one.destination.host)) return [{ ...one, weight: weight * whole }];
    const to = (subset: string, weight: number) => ({ ...one, destination: { ...one.destination, subset }, weight });
    return [to(releaseSubsets.stable.name, weight * (whole - share)), to(releaseSubsets.new.name, weight * share)];
  });
}

function wholeList(list: WeightedRoute[], isHost: (host: string) => boolean): WeightedRoute[] {
  const isSplit = ({ destination }: WeightedRoute) => isHost(destination.host) && isReleaseSubset(destination.subset);
  if (!list.some(isSplit)) return list;
  const merged = list.flatMap((one, at): WeightedRoute[] => {
    if (!isSplit(one)) return [one];
    const isPair = (other: WeightedRoute) =>
      isSplit(other) && other.destination.host === one.destination.host && samePort(other, one);
    if (list.findIndex(isPair) < at) return [];
    const weight = list.filter(isPair).reduce((sum, pair) => sum + (pair.weight ?? 0), 0);
    const { subset: _subset, ...destination } = one.destination;
    return [{ ...one, destination: { ...destination, host: one.destination.host }, weight }];
  });
  if (merged.length === 1) return merged.map(({ weight: _weight, ...one }) => one as WeightedRoute);
  const scale = merged.every(({ weight = 0 }) => weight % whole === 0) ? whole : 1;
  return merged.map((one) => ({ ...one, weight: (one.weight ?? 0) / scale }));
}

function samePort(one: WeightedRoute, other: WeightedRoute): boolean {
  return JSON.stringify(one.destination.port) === JSON.stringify(other.destination.port);
}
