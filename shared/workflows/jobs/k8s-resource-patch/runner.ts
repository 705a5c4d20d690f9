import { openCluster } from "../../../clusters/openCluster.ts";
import { EnvironmentProblem, reasonOf } from "../../../environments/failures.ts";
import type { ClusterClient, Patch } from "../../../kube/client/ClusterClient.ts";
import { patchAnnotation } from "../../../kube/marks.ts";
import { filledYaml } from "../../../manifest/filledYaml.ts";
import type { YamlTemplate } from "../../../manifest/yamlTemplate.ts";
import { maskedValue } from "../../definition/script/keyVal.ts";
import { tryName } from "../../records/rules/tryName.ts";
import { ownerOf } from "../ownerOf.ts";
import { type OwnNamespace, ownNamespace } from "../ownNamespace.ts";
import { failed, immediate, type JobRun, passed } from "../runner.ts";
import type { PatchRun } from "./planner.ts";

type Item = PatchRun["items"][number] & { mark: Mark };

/** Which patch of which try of a job this is. */
interface Mark {
  attempt: string;
  position: number;
}

const types: Readonly<Record<string, Patch["type"]>> = {
  "strategic-merge": "strategic",
  merge: "merge",
  json: "json",
};

/**
 * Patches objects in a namespace of the project's environments, one after another; the first one that is refused fails
 * the job, and those behind it are left alone (contract W 5, decisions 5.7).
 */
export const patchRunner = immediate(async (run) => {
  const { clusterId, namespace, items } = run.run as unknown as PatchRun;
  const place = await ownNamespace(run.task.owner.projectKey, clusterId, namespace);
  const { client } = await openCluster(place.clusterId);
  for (const [position, item] of items.entries()) {
    const mark = { attempt: tryName(run.job), position };
    const error = masked(await patchOrReason(client, place, { ...item, mark }), run.secrets);
    if (error !== undefined)
      return failed(`${item.kind} "${item.name}": ${error}`, { result: noting(run, position, error) });
  }
  return passed({ result: noting(run, -1, "") });
});

async function patchOrReason(client: ClusterClient, place: OwnNamespace, item: Item): Promise<string | undefined> {
  try {
    await patch(client, place, item);
    return undefined;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return reason;
  }
}

/** A cluster may repeat in its refusal what it was sent. */
function masked(error: string | undefined, secrets: readonly string[]): string | undefined {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((text, secret) => text?.replaceAll(secret, maskedValue), error);
}

async function patch(client: ClusterClient, place: OwnNamespace, item: Item): Promise<void> {
  const { apiVersion, kind, name, mark } = item;
  const type = types[item.strategy];
  if (type === undefined)
    throw new EnvironmentProblem(
      `patch_strategy ${item.strategy} is unknown; it must be strategic-merge, merge or json`,
    );
  const { namespaced } = await client.resource({ apiVersion, kind });
  if (!namespaced)
    throw new EnvironmentProblem("the kind belongs to no namespace; jobs may change only what is in one");
  const ref = { apiVersion, kind, name, namespace: place.namespace };
  // Environments of other projects may share the namespace.
  const live = await client.get(ref);
  await ownerOf(live, place);
  const { annotations } = live.metadata;
  if (type === "json" && hasPatch(annotations?.[patchAnnotation], mark)) return;
  const body = bodyOf(item.content, type);
  await client.patch(ref, { type, body: Array.isArray(body) ? [...marking(annotations, mark), ...body] : body });
}

/** Patches of a try come in their order: one that an object has had tells of those before it, too. */
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

/** The items as they are shown, with the reason at the one that was refused. */
function noting({ spec }: JobRun, position: number, error: string): Record<string, unknown> {
  const items = Array.isArray(spec.patch_items) ? spec.patch_items : [];
  return { patch_items: items.map((item: object, at) => ({ ...item, error: at === position ? error : "" })) };
}
