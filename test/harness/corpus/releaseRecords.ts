import { gunzipSync } from "node:zlib";
import { parseExactJson } from "../../../shared/base/common/exactJson.ts";
import type { ClusterClient, LiveObject } from "../../../shared/kube/client/ClusterClient.ts";

/** What `helm get` and `helm history` read: the record that Helm keeps of a revision. */
export interface ReleaseRecord {
  name: string;
  version: number;
  manifest: string;
  config?: Record<string, unknown>;
  info: { status: string; description: string; notes?: string };
  chart: { metadata: { name: string; version: string; appVersion?: string }; values?: Record<string, unknown> };
  hooks?: { name: string; kind: string; events: string[]; weight?: number; delete_policies?: string[] }[];
}

/** All revisions of all releases in a namespace, by name and revision. */
export async function releaseRecords(client: ClusterClient, namespace: string): Promise<ReleaseRecord[]> {
  const secrets = { apiVersion: "v1", kind: "Secret" };
  const { items } = await client.list(secrets, { namespace, labelSelector: "owner=helm" });
  return items.map(recordIn).sort((a, b) => a.name.localeCompare(b.name) || a.version - b.version);
}

function recordIn({ data }: LiveObject): ReleaseRecord {
  const held = (data as { release: string }).release;
  const packed = Buffer.from(Buffer.from(held, "base64").toString("latin1"), "base64");
  return parseExactJson(gunzipSync(packed).toString("utf8")) as ReleaseRecord;
}
