import type { Readable } from "node:stream";
import type { PodLogOptions } from "./ClusterClient.ts";
import type { Discovery } from "./discovery.ts";
import { describe } from "./objectRef.ts";
import type { Transport } from "./wire/transport.ts";
import { transportError } from "./wire/transportError.ts";

/** Opens the log of a container; see `ClusterClient.podLog`. */
export async function podLog(
  transport: Transport,
  discovery: Discovery,
  pod: { namespace: string; name: string },
  { container, follow, previous, tailLines, sinceSeconds, sinceTime, timestamps, signal }: PodLogOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const ref = { apiVersion: "v1", kind: "Pod", ...pod };
  const what = `read log of ${describe(ref)}`;
  const body = await transport.open({
    what,
    verb: "log",
    method: "GET",
    path: `${await discovery.path(ref, pod, { signal })}/log`,
    query: {
      container,
      follow: follow === true ? "true" : undefined,
      previous: previous === true ? "true" : undefined,
      tailLines: tailLines?.toString(),
      sinceSeconds: sinceSeconds?.toString(),
      sinceTime,
      timestamps: timestamps === true ? "true" : undefined,
    },
    accept: "*/*",
    signal,
    patient: true,
  });
  return contentOf(body, what, signal);
}

async function* contentOf(body: Readable, what: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw transportError(error, what, signal.aborted ? "signal" : undefined);
  } finally {
    body.destroy();
  }
}
