import { isDeepStrictEqual as same } from "node:util";
import * as z from "zod";
import { EnvironmentProblem } from "../../../environments/failures.ts";
import { settleRoutesOf } from "../../../environments/mesh/settleRoutes.ts";
import { noMesh } from "../../../environments/mesh/syncRoutes.ts";
import { endShares, type Rollout } from "../../../environments/store/rollouts.ts";
import { formerRoutesAnnotation, ownerLabel, rolloutLabel } from "../../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject } from "../../../kube/client/ClusterClient.ts";
import { ClusterConflict } from "../../../kube/client/errors.ts";
import { findObject } from "../../../kube/client/findObject.ts";
import { type MeshService, tcpRoutes } from "../../../kube/mesh/familyObjects.ts";
import { type MeshKinds, meshKindsOf } from "../../../kube/mesh/meshKinds.ts";
import {
  destinationsOf,
  isReleaseSubset,
  type MeshRoutes,
  meshHost,
  releaseSubsets,
  routesOf,
  splitRoutes,
  weightedTo,
  wholeRoutes,
} from "../../../kube/mesh/weightedRoutes.ts";
import type { KubeObject } from "../../../manifest/schema/kubeObject.ts";
import { at } from "../../../manifest/workloads.ts";
import { applyBeside } from "./applyBeside.ts";
import { serviceRef } from "./findTarget.ts";
import { removeOwned } from "./removeOwned.ts";

/** Which Service's calls are led, and for whom. */
type Led = Pick<Rollout, "namespace" | "name" | "kubeService" | "owner">;

const maxTries = 5;

/** What a VirtualService led by before, by the workload whose release changed it. */
const notesSchema = z.record(z.string(), z.object({ owner: z.string(), share: z.number(), routes: z.looseObject({}) }));
type Notes = z.output<typeof notesSchema>;

/**
 * @param named the VirtualService and the host that the job names; empty where it names none
 * @throws EnvironmentProblem when the calls to a Service cannot be led by weights
 */
export async function requireLeadable(
  client: ClusterClient,
  place: Pick<Led, "namespace" | "kubeService">,
  named: { virtualService: string; host: string },
): Promise<void> {
  const { namespace, kubeService } = place;
  const standing = await readStanding(client, namespace);
  const isHost = hostsOf(place);
  if (named.host !== "" && !isHost(named.host))
    throw new EnvironmentProblem(
      `host ${named.host} is not Service "${kubeService}", which leads to the pods of the workload`,
    );
  const leading = [...standing.ours, ...standing.others].filter((one) => leadsToHost(one, isHost));
  if (named.virtualService !== "" && !leading.some(({ metadata }) => metadata.name === named.virtualService)) {
    const names = leading.map(({ metadata }) => metadata.name).join(", ") || "none";
    throw new EnvironmentProblem(
      `VirtualService "${named.virtualService}" of namespace ${namespace} does not lead to Service "${kubeService}"; those that do: ${names}`,
    );
  }
  for (const one of standing.others) {
    const to = destinationsOf(routesOf(at(one, ["spec"])));
    const subset = to.find(({ host, subset }) => isHost(host) && isForeignSubset(subset))?.subset;
    if (subset !== undefined)
      throw new EnvironmentProblem(
        `VirtualService "${one.metadata.name}" leads to subset ${subset} of Service "${kubeService}"; a release shares out the calls to the whole Service, so take the subset out`,
      );
  }
}

/** Has Istio tell the workload's own pods from the new ones. */
export async function distinguishPods(client: ClusterClient, led: Led): Promise<void> {
  const { kinds } = await readStanding(client, led.namespace);
  await applyBeside(client, {
    ...kinds.destinationRule,
    metadata: marked(subsetsName(led), led),
    spec: { host: meshHost(led.kubeService, led.namespace), subsets: Object.values(releaseSubsets) },
  });
}

/**
 * Leads the share of the calls that the record says to the new pods: in every VirtualService of the namespace that leads to
 * the Service, in those of its environment's family, and in one of our own where none decides. May be repeated.
 */
export async function leadCalls(client: ClusterClient, rollout: Rollout): Promise<void> {
  const share = rollout.istio?.weight ?? 0;
  const { kinds, ours, others } = await readStanding(client, rollout.namespace);
  const isHost = hostsOf(rollout);
  for (const one of others)
    if (leadsToHost(one, isHost)) await changeRoutes(client, { ...one, ...kinds.virtualService }, rollout, share);
  if (![...ours, ...others].some((one) => decides(one, rollout))) {
    const service: MeshService = await client.get(serviceRef(rollout.namespace, rollout.kubeService));
    await applyBeside(client, ownRoutes(kinds, service, rollout));
  }
  await settleFamily(rollout);
}

/** Everything leads as before the release. May be repeated; `leaveSubsets` comes when proxies have heard of it. */
export async function leadBack(client: ClusterClient, rollout: Rollout): Promise<void> {
  await endShares(rollout);
  const kinds = await meshKindsOf(client);
  if (kinds === undefined) return;
  const { others } = await readStanding(client, rollout.namespace);
  for (const one of others) await changeRoutes(client, { ...one, ...kinds.virtualService }, rollout, 0);
  await settleFamily(rollout);
  const { namespace, owner } = rollout;
  await removeOwned(client, { ...kinds.virtualService, namespace, name: ownName(rollout) }, owner);
}

/** Removes the subsets, once no route leads to them. */
export async function leaveSubsets(client: ClusterClient, rollout: Rollout): Promise<void> {
  const kinds = await meshKindsOf(client);
  if (kinds === undefined) return;
  const { namespace, owner } = rollout;
  await removeOwned(client, { ...kinds.destinationRule, namespace, name: subsetsName(rollout) }, owner);
}

async function settleFamily({ projectKey, envKey }: Rollout): Promise<void> {
  const problem = await settleRoutesOf({ projectKey, envKey });
  if (problem !== undefined) throw new EnvironmentProblem(problem);
}

/** The VirtualServices of a namespace: those made from what exists in a family (record 107), and all others. */
async function readStanding(client: ClusterClient, namespace: string) {
  const kinds = await meshKindsOf(client);
  if (kinds === undefined) throw new EnvironmentProblem(noMesh);
  const { items } = await client.list(kinds.virtualService, { namespace });
  const isOurs = ({ metadata }: LiveObject) => metadata.labels?.[ownerLabel] !== undefined;
  const isRelease = ({ metadata }: LiveObject) => metadata.labels?.[rolloutLabel] !== undefined;
  return { kinds, ours: items.filter(isOurs), others: items.filter((one) => !isOurs(one) && !isRelease(one)) };
}

/** The names by which a Service is called. */
function hostsOf({ namespace, kubeService }: Pick<Led, "namespace" | "kubeService">): (host: string) => boolean {
  const whole = meshHost(kubeService, namespace);
  const names = [kubeService, `${kubeService}.${namespace}`, `${kubeService}.${namespace}.svc`, whole];
  return (host) => names.includes(host);
}

function leadsToHost(virtualService: LiveObject, isHost: (host: string) => boolean): boolean {
  return destinationsOf(routesOf(at(virtualService, ["spec"]))).some(({ host }) => isHost(host));
}

/** Whether it says where calls from inside of the mesh go: the first that does is obeyed, a second one would not be. */
function decides(virtualService: LiveObject, place: Pick<Led, "namespace" | "kubeService">): boolean {
  const [hosts, gateways] = [textsIn(virtualService, "hosts"), textsIn(virtualService, "gateways")];
  const whole = meshHost(place.kubeService, place.namespace);
  const isHost = hostsOf(place);
  const isMeant = (host: string) => isHost(host) || (host.startsWith("*") && whole.endsWith(host.slice(1)));
  return (gateways.length === 0 || gateways.includes("mesh")) && hosts.some(isMeant);
}

function textsIn(object: LiveObject, field: string): string[] {
  const list = at(object, ["spec", field]);
  return Array.isArray(list) ? list.map(String) : [];
}

function isForeignSubset(subset: unknown): boolean {
  return subset !== undefined && subset !== "" && !isReleaseSubset(subset);
}

/** Share 0 puts back what was there, or takes only our own doing out of what others changed since. */
async function changeRoutes(client: ClusterClient, found: LiveObject, led: Led, share: number): Promise<void> {
  const { apiVersion, kind } = found;
  const { name, namespace } = found.metadata;
  const isHost = hostsOf(led);
  for (let tries = 1; ; tries++) {
    const live = tries === 1 ? found : await findObject(client, { apiVersion, kind, name, namespace });
    const changed = live && changedRoutes(live, led, isHost, share);
    if (changed === undefined) return;
    try {
      await client.patch({ apiVersion, kind, name, namespace }, { type: "merge", body: changed });
      return;
    } catch (error) {
      if (!(error instanceof ClusterConflict) || tries === maxTries) throw error;
    }
  }
}

/** Undefined where nothing is to be done. The version that was read goes along, so that no change of others is lost. */
function changedRoutes(live: LiveObject, { name, owner }: Led, isHost: (host: string) => boolean, share: number) {
  const now = routesOf(at(live, ["spec"]));
  const { [name]: note, ...others } = notesOf(live);
  const whole = wholeRoutes(now, isHost);
  const isSame = note !== undefined && same(now, splitRoutes(note.routes as MeshRoutes, isHost, note.share));
  const former = isSame ? (note.routes as MeshRoutes) : whole;
  const next = splitRoutes(former, isHost, share);
  const notes: Notes = share === 0 ? others : { ...others, [name]: { owner, share, routes: former } };
  if (note === undefined && same(now, next)) return undefined;
  const text = Object.keys(notes).length === 0 ? null : JSON.stringify(notes);
  const { resourceVersion } = live.metadata;
  return { metadata: { resourceVersion, annotations: { [formerRoutesAnnotation]: text } }, spec: next };
}

function notesOf({ metadata }: LiveObject): Notes {
  try {
    return notesSchema.safeParse(JSON.parse(metadata.annotations?.[formerRoutesAnnotation] ?? "{}")).data ?? {};
  } catch {
    return {};
  }
}

function ownRoutes(kinds: MeshKinds, service: MeshService, rollout: Rollout): KubeObject {
  const host = meshHost(rollout.kubeService, rollout.namespace);
  const to = weightedTo(host, rollout.istio?.weight);
  return {
    ...kinds.virtualService,
    metadata: marked(ownName(rollout), rollout),
    spec: { hosts: [host], http: [{ route: to }], tcp: tcpRoutes(service, to) },
  };
}

function subsetsName({ name }: Pick<Led, "name">): string {
  return `slipway-${name}`;
}

/** With a dot, which the name of no Service has: those of a family are `slipway-<service>`. */
function ownName({ name }: Pick<Led, "name">): string {
  return `slipway-${name}.release`;
}

function marked(name: string, { namespace, owner }: Pick<Led, "namespace" | "owner">) {
  return { name, namespace, labels: { [rolloutLabel]: owner } };
}
