import { readStoredText } from "../base/aws/objects/objectStore.ts";
import { isKeptByPolicy, policySentence } from "../kube/apply/keptByPolicy.ts";
import type { ObjectRef } from "../kube/client/ClusterClient.ts";
import { refOf } from "../kube/client/objectRef.ts";
import { objectKey } from "../kube/objectKey.ts";
import { parseManifest } from "../manifest/parseManifest.ts";
import { isDefinition } from "../manifest/schema/isDefinition.ts";
import type { PlanWarning, RenderedPlan } from "./plan/planServices.ts";
import { findManifests } from "./store/environmentManifests.ts";
import type { WholeEnvironment } from "./store/environments.ts";

/** Warns of what says `keep` and what new manifests do not have any longer: it stays (decisions 20.3). */
export async function keptObjects(
  { environment, services }: WholeEnvironment,
  plans: readonly RenderedPlan[],
): Promise<PlanWarning[]> {
  const { projectKey, envKey, namespace } = environment;
  const names = plans.map(({ plan }) => plan.name);
  const manifests = await findManifests(projectKey, envKey, names);
  const kept = plans.map(async ({ plan, objects }) => {
    const before = manifests.get(plan.name);
    if (before === undefined) return [];
    const wanted = new Set(objects.map((object) => keyOf(refOf(object))));
    const former = parseManifest(await readStoredText(before.text)).filter(
      (object) => isKeptByPolicy(object) && !isDefinition(object) && !wanted.has(keyOf(refOf(object))),
    );
    const shared = new Set(services.find(({ name }) => name === plan.name)?.clusterObjects?.map(keyOf));
    return former.map(refOf).map((ref) => (shared.has(keyOf(ref)) ? ref : { ...ref, namespace }));
  });
  const refs = (await Promise.all(kept)).flat();
  return refs.map((ref) => ({ code: "object_kept", message: policySentence(ref), line: 0 }));
}

/** Of an object of one environment: a manifest may leave its namespace out. */
const keyOf = ({ apiVersion, kind, name }: ObjectRef): string => objectKey({ apiVersion, kind, name });
