import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { notFound } from "../../base/errors/apiError.ts";
import type { Write } from "../../base/store/writes.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { editManifest } from "../../manifest/edit/editManifest.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { renderedReplicas, type SetReplicas, withReplicas, workloadKey } from "../../manifest/replicas.ts";
import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import { findServices } from "../../projects/services/store/services.ts";
import { forces } from "../apply/forces.ts";
import { failingWith } from "../failures.ts";
import { heldNotes, heldReplicas, stillHeld } from "../helm/heldReplicas.ts";
import { admitPlans } from "../plan/admitPlans.ts";
import { type Asking, boundsOf } from "../plan/boundsOf.ts";
import type { RenderedPlan } from "../plan/planServices.ts";
import { previewPlans } from "../preview/previewPlans.ts";
import { ownerOf, requireVersion } from "../read/serviceVersions.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { Change, PlannedRelease } from "../store/changes.ts";
import type { EnvironmentRecord, EnvironmentService, WholeEnvironment } from "../store/environments.ts";
import { nextVersion, type VersionContent } from "../store/environmentVersions.ts";
import { liveReplicas } from "../workloads/liveReplicas.ts";
import { startServicesChange } from "./changeServices.ts";
import type { Actor } from "./createEnvironment.ts";
import { requireUpdatable } from "./requireUpdatable.ts";

export interface RollbackOptions {
  /** As many pods as the version had, instead of as many as there are. */
  replicas: boolean;
}

/** A release plan that takes the service back. */
interface OfReleasePlan {
  planId: string;
  /** @returns what the plan writes with the acceptance of the change; @param from the version that is left */
  beside(change: Change, from: number): readonly Write[];
}

/**
 * Takes a service of an environment back to an earlier version: image, variables and manifest together, as they were
 * (contract P 16.5, decisions 6.7); how many pods run is decided by `countsAfter`. It runs as every update does, makes
 * a version of its own, and the service stays there until it is named in an update or a newer revision is saved.
 * @throws ApiError 404 unknown environment, service or version; 6079 wrong state, conflict
 */
export async function rollbackService(
  name: EnvironmentName,
  service: string,
  revision: number,
  options: RollbackOptions,
  actor: Actor,
  ofPlan?: OfReleasePlan,
): Promise<void> {
  const begin = (whole: WholeEnvironment, plan: RenderedPlan) =>
    startServicesChange("update", whole, [plan], actor, ofPlan && { releasePlan: ofPlan.planId }, (change) => {
      return ofPlan?.beside(change, plan.plan.rollback?.from ?? 0) ?? [];
    });
  await rollingBack(name, service, revision, options, actor, begin);
}

/** What taking it back would apply. @throws ApiError as `rollbackService` */
export function previewRollback(
  name: EnvironmentName,
  service: string,
  revision: number,
  options: RollbackOptions,
  by: Asking,
): Promise<ObjectPreview[]> {
  return rollingBack(name, service, revision, options, by, ({ environment }, plan) =>
    previewPlans(environment, [plan], forces({ kind: "update", adoptManagers: environment.adoptManagers ?? [] })),
  );
}

async function rollingBack<T>(
  name: EnvironmentName,
  service: string,
  revision: number,
  options: RollbackOptions,
  by: Asking,
  work: (whole: WholeEnvironment, plan: RenderedPlan) => Promise<T>,
): Promise<T> {
  const whole = await requireEnvironment(name);
  const current = whole.services.find((candidate) => candidate.name === service);
  if (current === undefined) throw notFound(`service ${service} in environment ${name.envKey}`);
  const { text: stored, serviceRevision, ...kept } = await requireVersion(name, service, revision);
  return failingWith(6079, async () => {
    requireUpdatable(whole.environment);
    const from = (await nextVersion(ownerOf(name, service))) - 1;
    const { variables, containers, changedImages, release } = kept;
    const kind = name.production ? "production" : "test";
    const definition = (await findServices(name.projectKey, kind, [service])).get(service);
    const standing = await readStoredText(stored);
    const { replicas, counts, notes } = await countsAfter(whole.environment, current, { ...kept, standing }, options);
    const text = editManifest(standing, (object) => {
      const count = counts[workloadKey({ kind: object.kind, name: object.metadata.name })];
      return count === undefined ? object : withReplicas(object, count);
    });
    const objects = parseManifest(text);
    const plan = {
      name: service,
      group: current.group,
      revision: serviceRevision,
      variables,
      containers,
      changedImages,
      replicas,
      rollback: { from, to: revision, newest: definition?.revision ?? serviceRevision },
      ...(release && { release: releaseOf(release) }),
      ...(objects.some(isDefinition) && { defines: true }),
    };
    const ofChart = { chartImages: release?.pins, standingPins: current.release?.pins };
    const bounds = await boundsOf(whole.environment, by);
    const [pinned] = await admitPlans({ ...name, bounds }, [
      { plan, text, objects, warnings: [], notes, ...(release && ofChart) },
    ]);
    if (pinned === undefined) throw new Error("the version that is asked for is planned");
    return work(whole, pinned);
  });
}

/**
 * How many pods workloads have afterwards. Those of a release have what its version rendered, unless a user set another
 * number since (decisions 20.2); those of YAML as many as there are.
 * @returns `replicas` are remembered as set by hand, `counts` are those that the text of the version does not say
 */
async function countsAfter(
  environment: EnvironmentRecord,
  current: EnvironmentService,
  version: Pick<VersionContent, "replicas" | "release"> & { standing: string },
  options: RollbackOptions,
): Promise<{ replicas: Record<string, number>; counts: SetReplicas; notes: Record<string, string> }> {
  if (options.replicas) return { replicas: version.replicas, counts: {}, notes: {} };
  const objects = parseManifest(version.standing);
  const workloads = objects.map(({ apiVersion, kind, metadata: { name } }) => ({ apiVersion, kind, name }));
  if (version.release === undefined) {
    const live = await liveReplicas(environment, workloads);
    return { replicas: { ...version.replicas, ...live }, counts: live, notes: {} };
  }
  const { renderedReplicas: rendered = renderedReplicas(objects) } = version.release;
  const held = await heldReplicas(environment, current);
  const replicas = stillHeld(held, new Set(workloads.map(workloadKey)), rendered);
  return { replicas, counts: { ...rendered, ...replicas }, notes: heldNotes(replicas, rendered) };
}

/** As it was decided then; Helm counts on. */
function releaseOf({ chart, values, valuesYaml, pins, renderedReplicas: rendered }: PlannedRelease): PlannedRelease {
  return { chart, values, valuesYaml, ...(pins && { pins }), ...(rendered && { renderedReplicas: rendered }) };
}
