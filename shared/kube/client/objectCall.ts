import type { CallOptions, LiveObject, ObjectRef } from "./ClusterClient.ts";
import type { Discovery } from "./discovery.ts";
import { ClusterNotFound } from "./errors.ts";
import { describe } from "./objectRef.ts";
import { readObject } from "./readObject.ts";
import { readStatus, type Status } from "./wire/statusError.ts";
import type { Transport } from "./wire/transport.ts";

export interface ObjectCall {
  verb: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  query?: Record<string, string | undefined>;
  body?: unknown;
  contentType?: string;
  accept?: string;
}

export interface ObjectAnswer {
  /** Whether the server made the object with this call. */
  created: boolean;
  /** A `Status` is what a completed delete answers. */
  body: LiveObject | Status;
}

/** Sends one call for one object. A path that does not exist makes discovery ask the cluster again next time. */
export async function callObject(
  transport: Transport,
  discovery: Discovery,
  ref: ObjectRef,
  call: ObjectCall,
  options: CallOptions = {},
): Promise<ObjectAnswer> {
  const { body, ...request } = call;
  const what = `${call.verb} ${describe(ref)}`;
  const place = call.method === "POST" ? { namespace: ref.namespace } : { namespace: ref.namespace, name: ref.name };
  try {
    const answer = await transport.send({
      ...request,
      ...options,
      what,
      path: await discovery.path(ref, place, options),
      body: body === undefined ? undefined : JSON.stringify(body),
      // A create that is sent twice would meet its own object.
      idempotent: call.method !== "POST",
    });
    return { created: answer.status === 201, body: readStatus(answer.body) ?? readObject(answer.body, what) };
  } catch (error) {
    if (error instanceof ClusterNotFound) discovery.forget(ref.apiVersion);
    throw error;
  }
}
