import * as z from "zod";
import type { KindRef, LiveObject, ObjectList } from "./ClusterClient.ts";
import { ClusterAnswerUnreadable } from "./errors.ts";

const object = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

const list = z.object({
  metadata: z.object({ resourceVersion: z.string().default(""), continue: z.string().optional() }),
  items: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) })).nullable(),
});

function isObject(body: unknown): body is LiveObject {
  return object.safeParse(body).success;
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
  const found = list.safeParse(body);
  if (!found.success) throw new ClusterAnswerUnreadable(`${what}: the answer is not a Kubernetes list`);
  const { metadata, items } = found.data;
  const { apiVersion, kind: name } = kind;
  return {
    // Answers with metadata alone name a kind of their own, so ours is written over it.
    items: (items ?? []).map((item) => readObject({ ...item, apiVersion, kind: name }, what)),
    resourceVersion: metadata.resourceVersion,
    continueToken: metadata.continue === "" ? undefined : metadata.continue,
  };
}
