import { isRecord } from "../../manifest/schema/kubeObject.ts";
import type { KindRef, LiveObject, ObjectList } from "./ClusterClient.ts";
import { ClusterAnswerUnreadable } from "./errors.ts";

function isObject(body: unknown): body is LiveObject {
  return isRecord(body) && typeof body.apiVersion === "string" && typeof body.kind === "string" && isNamed(body);
}

function isNamed({ metadata }: Record<string, unknown>): boolean {
  return isRecord(metadata) && typeof metadata.name === "string";
}

/** The object in an answer. The rest of its shape is the API server's word. */
export function readObject(body: unknown, what: string): LiveObject {
  if (isObject(body)) return body;
  throw new ClusterAnswerUnreadable(`${what}: the answer is not a Kubernetes object`);
}

/** One page of a list; the items of typed lists get the kind that the server leaves out. */
export function readPage(
  body: unknown,
  kind: KindRef,
  what: string,
): ObjectList & { continueToken?: string | undefined } {
  if (!isRecord(body) || !isRecord(body.metadata) || !(Array.isArray(body.items) || body.items === null))
    throw new ClusterAnswerUnreadable(`${what}: the answer is not a Kubernetes list`);
  const { resourceVersion, continue: continueToken } = body.metadata;
  const items: unknown[] = body.items ?? [];
  const { apiVersion, kind: name } = kind;
  return {
    // Answers with metadata alone name a kind of their own, so ours is written over it.
    items: items.map((item) => readObject(isRecord(item) ? { ...item, apiVersion, kind: name } : item, what)),
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    continueToken: typeof continueToken === "string" && continueToken !== "" ? continueToken : undefined,
  };
}
