import { EnvironmentProblem } from "../../../environments/failures.ts";
import { jobBoundsProblem } from "../../../environments/plan/boundsOf.ts";
import { requireNoRollout } from "../../../environments/workloads/requireNoRollout.ts";
import { isPullSecret, patchAnnotation, pullSecretSentence } from "../../../kube/apply/marks.ts";
import type { ClusterClient, LiveObject, Patch } from "../../../kube/client/ClusterClient.ts";
import { filledYaml } from "../../../manifest/edit/filledYaml.ts";
import type { YamlTemplate } from "../../../manifest/edit/yamlTemplate.ts";
import { ownerOf } from "../ownerOf.ts";
import type { OwnNamespace } from "../ownNamespace.ts";
import type { PatchRun } from "./planner.ts";

/** Which patch of which try of a job this is. */
export interface Mark {
  attempt: string;
  position: number;
}

const types: Readonly<Record<string, Patch["type"]>> = {
  "strategic-merge": "strategic",
  merge: "merge",
  json: "json",
};

/**
 * Patches one object of a namespace.
 * @param mark of the try, which does nothing twice; without one it is a dry run
 * @returns the object before and after; undefined when the try has done it already
 * @throws EnvironmentProblem, ManifestError and ClusterError
 */
export async function patchObject(
  client: ClusterClient,
  place: OwnNamespace,
  item: PatchRun["items"][number],
  mark?: Mark,
): Promise<{ before: LiveObject; after: LiveObject } | undefined> {
  const { apiVersion, kind, name } = item;
  const type = types[item.strategy];
  if (type === undefined)
    throw new EnvironmentProblem(
      `patch_strategy ${item.strategy} is unknown; it must be strategic-merge, merge or json`,
    );
  const { namespaced } = await client.resource({ apiVersion, kind });
  if (!namespaced)
    throw new EnvironmentProblem("the kind belongs to no namespace; jobs may change only what is in one");
  const ref = { apiVersion, kind, name, namespace: place.namespace };
  if (isPullSecret(ref)) throw new EnvironmentProblem(pullSecretSentence);
  // Environments of other projects may share the namespace.
  const live = await client.get(ref);
  await ownerOf(live, place);
  await requireNoRollout(place, [{ kind, name }]);
  const { annotations } = live.metadata;
  const body = bodyOf(item.content, type);
  if (mark !== undefined && type === "json" && hasPatch(annotations?.[patchAnnotation], mark)) return undefined;
  const after = await client.patch(ref, { type, body }, { dryRun: true });
  const [environment] = place.environments;
  const problem = environment && (await jobBoundsProblem(environment, after));
  if (problem !== undefined) throw new EnvironmentProblem(problem);
  if (mark === undefined) return { before: live, after };
  const marked = Array.isArray(body) ? [...marking(annotations, mark), ...body] : body;
  return { before: live, after: await client.patch(ref, { type, body: marked }) };
}

/** Patches of a try come in their order: one that an object has had proves those before it, too. */
function hasPatch(annotation: string | undefined, { attempt, position }: Mark): boolean {
  const [marked, last] = annotation?.split("/") ?? [];
  return marked === attempt && Number(last) >= position;
}

/**
 * Other patches may be repeated as they are. Operations that add to a list may not, so they leave a mark of themselves; it
 * comes first, so that what they say of annotations counts.
 */
function marking(annotations: object | undefined, { attempt, position }: Mark): object[] {
  const value = `${attempt}/${position}`;
  if (annotations === undefined)
    return [{ op: "add", path: "/metadata/annotations", value: { [patchAnnotation]: value } }];
  return [{ op: "add", path: `/metadata/annotations/${patchAnnotation.replace("/", "~1")}`, value }];
}

/** YAML, of which JSON is a part. */
function bodyOf(content: YamlTemplate, type: Patch["type"]): unknown {
  const body = filledYaml(content);
  const isList = Array.isArray(body);
  if (type === "json" && !isList) throw new EnvironmentProblem("patch_content must be a list of operations");
  if (type !== "json" && (isList || typeof body !== "object" || body === null))
    throw new EnvironmentProblem("patch_content must be an object");
  return body;
}
