import type { KubeObject } from "../../manifest/kubeObject.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { ownerLabel } from "../marks.ts";
import type { MeshKinds } from "./meshKinds.ts";

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
}

/** A base with its sub-environments in the order of their names. */
export interface Family {
  base: Member;
  subs: readonly Member[];
}

/** The header that chooses a sub-environment (contract P 9). */
const routingHeader = "x-env";

/** Where one Service of the base leads, wherever it is called from. */
interface ServiceRoutes {
  http: object[];
  hostOfBase: string;
}

const hostOf = (service: string, { namespace }: Pick<Member, "namespace">): string =>
  `${service}.${namespace}.svc.cluster.local`;
const holds = ({ services }: Member, name: string): boolean => services.some(({ metadata }) => metadata.name === name);

/**
 * Everything that routing in a base and its sub-environments takes (contract P 9.1, 9.4), the same routes in every
 * namespace: a marked call goes to the sub-environment that has the Service, any other to the base. Namespaces that lack
 * a Service of the base get a copy of it, so that its name is known there.
 */
export function familyObjects(kinds: MeshKinds, family: Family): KubeObject[] {
  return routedServices(family).flatMap((service) => {
    const { name } = service.metadata;
    const routes = routesOf(name, family);
    const lacking = family.subs.filter((sub) => !holds(sub, name));
    const copies = lacking.filter(({ foreign }) => !foreign.has(name)).map((sub) => copyOf(service, sub));
    const places = [
      virtualService(kinds, name, family.base, { http: routes.http }),
      ...family.subs.map((sub) => {
        const tcp = lacking.includes(sub) ? { tcp: tcpRoutes(service, routes.hostOfBase) } : {};
        return virtualService(kinds, name, sub, { http: routes.http, ...tcp });
      }),
    ];
    return [...copies, ...places];
  });
}

/** Services of the base; a name that stands for something outside of the cluster is no matter of routes. */
export function routedServices({ base }: { base: Pick<Member, "services"> }): readonly MeshService[] {
  return base.services.filter(({ spec }) => spec?.type !== "ExternalName");
}

export function routesOf(service: string, { base, subs }: Family): ServiceRoutes {
  const marked = subs
    .filter((sub) => holds(sub, service))
    .map((sub) => ({
      match: [{ headers: { [routingHeader]: { exact: sub.envKey } } }],
      route: [{ destination: { host: hostOf(service, sub) } }],
    }));
  const hostOfBase = hostOf(service, base);
  return { http: [...marked, { route: [{ destination: { host: hostOfBase } }] }], hostOfBase };
}

/** Connections without headers lead to the base from where the Service is only a copy. */
function tcpRoutes({ spec }: MeshService, host: string): object[] {
  return (spec?.ports ?? [])
    .filter(({ protocol = "TCP" }) => protocol === "TCP")
    .map(({ port }) => ({ match: [{ port }], route: [{ destination: { host, port: { number: port } } }] }));
}

function virtualService(kinds: MeshKinds, service: string, place: Member, routes: object): KubeObject {
  return {
    ...kinds.virtualService,
    metadata: { name: `slipway-${service}`, ...standing(place) },
    spec: { hosts: [hostOf(service, place)], ...routes },
  };
}

/** The Service as the base has it, reachable inside of the cluster alone. */
function copyOf({ metadata, spec = {} }: MeshService, place: Member): KubeObject {
  const ports = spec.ports?.map(({ name, port, protocol, appProtocol, targetPort }) => ({
    ...{ port, ...(name !== undefined && { name }), ...(protocol !== undefined && { protocol }) },
    ...(appProtocol !== undefined && { appProtocol }),
    ...(targetPort !== undefined && { targetPort }),
  }));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: metadata.name, ...standing(place) },
    spec: {
      ...(ports !== undefined && { ports }),
      ...(spec.selector !== undefined && { selector: spec.selector }),
      ...(spec.clusterIP === "None" && { clusterIP: "None" }),
    },
  };
}

function standing({ namespace, environmentId }: Member): { namespace: string; labels: Record<string, string> } {
  return { namespace, labels: { [ownerLabel]: environmentId } };
}
