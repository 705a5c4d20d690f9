import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { managedByLabel, ownerLabel, releaseNameAnnotation, releaseNamespaceAnnotation } from "../apply/marks.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import type { MeshKinds } from "./meshKinds.ts";
import { atPort, type Leg, type Portal, portalObjects, type Stop } from "./portalObjects.ts";
import { meshHost, type WeightedRoute, weightedTo } from "./weightedRoutes.ts";

interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
  targetPort?: number | string;
}

/** A Service as routes need it. */
export type MeshService = LiveObject & {
  spec?: {
    type?: string;
    clusterIP?: string;
    selector?: Record<string, string>;
    ports?: ServicePort[];
    publishNotReadyAddresses?: boolean;
  };
};

/** An environment that takes part in routing, with what its namespace has. */
export interface Member {
  environmentId: string;
  envKey: string;
  namespace: string;
  /** The Services that it applied itself. */
  services: readonly MeshService[];
  /** Names of Services in its namespace that are neither its own nor copies made here. */
  foreign: ReadonlySet<string>;
  /** Hosts outside of the mesh by the Service that is called there. */
  portals: Readonly<Record<string, Portal["servers"]>>;
  /** By Service whose workload is released there: per cent of its calls that new pods get. */
  shares: Readonly<Record<string, number>>;
}

/** Where calls without a mark go in a base and its sub-environments; to the base where nothing is said. */
export interface CallRules {
  /** Per cent by environment; what is not said, or said of none of these, is the base's. */
  weights?: readonly { envKey: string; weight: number }[];
  /** Calls whose headers are so, before all others; the first that fits is obeyed. */
  matches?: readonly { envKey: string; headers: Readonly<Record<string, StringMatch>> }[];
}

/** As Istio's networking API has it; an expression is one of RE2. */
export type StringMatch = { exact: string } | { prefix: string } | { regex: string };

/** A base with its sub-environments in the order of their names. */
export interface Family {
  base: Member;
  subs: readonly Member[];
  rules?: CallRules;
}

/** The header that chooses a sub-environment (contract P 9). */
const routingHeader = "x-env";

const ownOf = ({ services }: Member, name: string): MeshService | undefined =>
  services.find(({ metadata }) => metadata.name === name);

/**
 * Everything that routing in a base and its sub-environments takes (contract P 9.1, 9.4), the same routes in every
 * namespace: a marked call goes to the sub-environment that has the Service, any other to the base. Namespaces that lack
 * a Service of the base get a copy of it, so that its name is known there.
 */
export function familyObjects(kinds: MeshKinds, family: Family): KubeObject[] {
  return routedServices(family).flatMap((service) => {
    const { name } = service.metadata;
    const legs = legsOf(service, family);
    const http = legs.map(({ headers, to }) => ({
      ...(headers && { match: [{ headers }] }),
      route: to.flatMap(({ routes }) => routes),
    }));
    const lacking = family.subs.filter((sub) => ownOf(sub, name) === undefined);
    const copies = lacking.filter(({ foreign }) => !foreign.has(name)).map((sub) => copyOf(service, sub));
    const places = [
      virtualService(kinds, name, family.base, { http }),
      ...family.subs.map((sub) => {
        const tcp = lacking.includes(sub) ? { tcp: tcpRoutes(service, toPods(name, family.base)) } : {};
        return virtualService(kinds, name, sub, { http, ...tcp });
      }),
    ];
    const portals = [family.base, ...family.subs].flatMap((place) => portalOf(kinds, service, place, { family, legs }));
    return [...copies, ...places, ...portals];
  });
}

/** Services of the base that routes apply to: not those that only name something outside of the cluster. */
export function routedServices({ base }: { base: Pick<Member, "services"> }): readonly MeshService[] {
  return base.services.filter(({ spec }) => spec?.type !== "ExternalName");
}

/**
 * Where one Service of the base leads, wherever it is called from: marked calls to sub-environments, all others as the rules
 * say, to it where they say nothing. What a rule leads is marked, so that no other rule decides on the rest of its way: also at
 * a Service that the sub-environment lacks, and for the base, where shares would be drawn again at each Service.
 */
function legsOf(service: MeshService, { base, subs, rules = {} }: Family): Leg[] {
  const { name } = service.metadata;
  const stopAt = (member: Member) => stopOf(service, member, base);
  const marks = (member: Member) => ({ [routingHeader]: { exact: member.envKey } });
  const marked = subs
    .filter((sub) => ownOf(sub, name) !== undefined)
    .map((sub) => ({ headers: marks(sub), to: [stopAt(sub)] }));
  const matched = (rules.matches ?? []).flatMap(({ envKey, headers }) =>
    [base, ...subs]
      .filter((member) => member.envKey === envKey)
      .map((member) => ({ headers, to: [marking(stopAt(member), envKey)] })),
  );
  const shares = sharesOf(rules.weights ?? [], { base, subs });
  if (matched.length === 0 && shares.length === 0) return [...marked, { to: [stopAt(base)] }];
  const lacking = subs.filter((sub) => ownOf(sub, name) === undefined);
  const decided = [...lacking, base].map((member) => ({ headers: marks(member), to: [stopAt(member)] }));
  const drawn = weighing(
    shares.map(({ member, weight }) => ({ stop: marking(stopAt(member), member.envKey), weight })),
  );
  return [...marked, ...decided, ...matched, { to: drawn.length === 0 ? [stopAt(base)] : drawn }];
}

/** None where all is the base's. */
function sharesOf(
  weights: readonly { envKey: string; weight: number }[],
  { base, subs }: Family,
): { member: Member; weight: number }[] {
  const shares = subs
    .map((member) => ({ member, weight: weights.find(({ envKey }) => envKey === member.envKey)?.weight ?? 0 }))
    .filter(({ weight }) => weight > 0);
  const rest = 100 - shares.reduce((sum, { weight }) => sum + weight, 0);
  if (shares.length === 0) return [];
  return [...(rest > 0 ? [{ member: base, weight: rest }] : []), ...shares];
}

function marking({ routes, ...stop }: Stop, envKey: string): Stop {
  const headers = { request: { set: { [routingHeader]: envKey } } };
  return { ...stop, routes: routes.map((route) => ({ ...route, headers })) };
}

/** Weights of environments, and within each those of a release. */
function weighing(drawn: readonly { stop: Stop; weight: number }[]): Stop[] {
  if (drawn.length === 1) return drawn.map(({ stop }) => stop);
  const scale = drawn.some(({ stop }) => stop.routes.length > 1) ? 1 : 100;
  return drawn.map(({ stop, weight }) => ({
    ...stop,
    routes: stop.routes.map((route) => ({ ...route, weight: ((route.weight ?? 100) * weight) / scale })),
  }));
}

/** The pods of a Service of the base for a member of its family: its own, or the base's. */
function stopOf(service: MeshService, member: Member, base: Member): Stop {
  const { name } = service.metadata;
  const own = ownOf(member, name);
  return own === undefined ? { routes: toPods(name, base), service } : { routes: toPods(name, member), service: own };
}

/** To the pods of a Service in one of the places, by shares while its workload is released there. */
function toPods(service: string, { namespace, shares }: Member): WeightedRoute[] {
  return weightedTo(meshHost(service, namespace), shares[service]);
}

/**
 * The portal of a Service in one of the places. That of a base leads as a call from inside does; that of a sub-environment
 * marks what comes in, so that the whole way through the services is the sub-environment's.
 */
function portalOf(
  kinds: MeshKinds,
  service: MeshService,
  place: Member,
  { family, legs }: { family: Family; legs: readonly Leg[] },
): KubeObject[] {
  const { name } = service.metadata;
  const servers = place.portals[name] ?? [];
  if (servers.length === 0) return [];
  const plain = stopOf(service, place, family.base);
  const common = { service: name, servers, plain, metadata: standing(place) };
  if (place === family.base) return portalObjects(kinds, { ...common, legs });
  return portalObjects(kinds, { ...common, legs: [{ to: [plain] }], sets: { [routingHeader]: place.envKey } });
}

/** For connections without headers; in a family they lead to the base from where the Service is only a copy. */
export function tcpRoutes({ spec }: MeshService, to: readonly WeightedRoute[]): object[] {
  return (spec?.ports ?? [])
    .filter(({ protocol = "TCP" }) => protocol === "TCP")
    .map(({ port }) => ({ match: [{ port }], route: atPort(to, port) }));
}

function virtualService(kinds: MeshKinds, service: string, place: Member, routes: object): KubeObject {
  return {
    ...kinds.virtualService,
    metadata: { name: `slipway-${service}`, ...standing(place) },
    spec: { hosts: [meshHost(service, place.namespace)], ...routes },
  };
}

/**
 * The Service as the base has it, reachable inside of the cluster alone. That of a release bears the marks that let the
 * release of the same name take its place.
 */
function copyOf({ metadata, spec = {} }: MeshService, place: Member): KubeObject {
  const ports = spec.ports?.map(({ name, port, protocol, appProtocol, targetPort }) => ({
    ...{ port, ...(name !== undefined && { name }), ...(protocol !== undefined && { protocol }) },
    ...(appProtocol !== undefined && { appProtocol }),
    ...(targetPort !== undefined && { targetPort }),
  }));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: metadata.name, ...standing(place, metadata.annotations?.[releaseNameAnnotation]) },
    spec: {
      ...(ports !== undefined && { ports }),
      ...(spec.selector !== undefined && { selector: spec.selector }),
      ...(spec.clusterIP === "None" && { clusterIP: "None" }),
    },
  };
}

/** Whether an object is to be written as Helm writes it. */
export function isForRelease({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[releaseNameAnnotation] !== undefined;
}

interface Standing {
  namespace: string;
  labels: Record<string, string>;
  annotations?: Record<string, string>;
}

function standing({ namespace, environmentId }: Member, release?: string): Standing {
  const labels = { [ownerLabel]: environmentId };
  if (release === undefined) return { namespace, labels };
  return {
    namespace,
    labels: { ...labels, [managedByLabel]: "Helm" },
    annotations: { [releaseNameAnnotation]: release, [releaseNamespaceAnnotation]: namespace },
  };
}
