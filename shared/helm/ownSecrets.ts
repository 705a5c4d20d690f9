import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { isObjectList, isRecord } from "../manifest/kubeObject.ts";
import type { ProxiedCluster } from "./kubeProxy.ts";

type Answered = Awaited<ReturnType<ProxiedCluster["client"]["forward"]>>;

/** Whether a request reads Secrets of a namespace, one or a list; no template can ask for a watch. */
export function readsSecrets(method: string, path: string): boolean {
  const [bare = "", query = ""] = path.split("?");
  if (method !== "GET" || new URLSearchParams(query).get("watch") === "true") return false;
  return /^\/api\/v1\/namespaces\/[^/]+\/secrets(?:\/|$)/.test(bare);
}

/**
 * Of the Secrets that the cluster answered as JSON, those that a chart may know: its `lookup` would bring the values of
 * others into what a release shows (decisions 17.5). A list leaves the others out.
 * @returns the answer, or as text why the one Secret is refused
 */
export async function ownSecrets(
  answered: Answered,
  secretProblem: ProxiedCluster["secretProblem"],
): Promise<Answered | string> {
  if (answered.status !== 200) return answered;
  const found = await json(answered.body);
  if (!isObjectList(found)) return (await problemOf(found, secretProblem)) ?? withBody(answered, found);
  const items: unknown[] = [];
  for (const item of found.items) if ((await problemOf(item, secretProblem)) === undefined) items.push(item);
  return withBody(answered, { ...found, items });
}

function problemOf(secret: unknown, secretProblem: ProxiedCluster["secretProblem"]): Promise<string | undefined> {
  const metadata = isRecord(secret) && isRecord(secret.metadata) ? secret.metadata : {};
  const labels = isRecord(metadata.labels) ? (metadata.labels as Record<string, string>) : {};
  return secretProblem({ name: String(metadata.name), labels });
}

function withBody(answered: Answered, content: unknown): Answered {
  return { ...answered, body: Readable.from([Buffer.from(JSON.stringify(content))]) };
}
