import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

/** Beyond this nodes begin a new log file, and the beginning is lost anyway. */
const maxBytes = 16 * 1024 * 1024;
const readSeconds = 60;

/** What the main container of an ended pod printed. @throws ClusterError */
export async function mainContainerText(
  client: ClusterClient,
  { namespace }: ContainerJobRef,
  pod: { name: string; container: string },
): Promise<string> {
  const signal = AbortSignal.timeout(readSeconds * 1000);
  const log = await client.podLog({ namespace, name: pod.name }, { container: pod.container, signal });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of log) {
    bytes += chunk.length;
    if (bytes > maxBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The lines between two marks; undefined when one of them is missing. */
export function linesBetween(text: string, { begin, end }: { begin: string; end: string }): string[] | undefined {
  const lines = text.split("\n");
  const from = lines.indexOf(begin);
  const to = lines.indexOf(end, from + 1);
  return from < 0 || to < 0 ? undefined : lines.slice(from + 1, to);
}
