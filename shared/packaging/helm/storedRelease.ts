import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import * as z from "zod";
import { parseExactJson } from "../../base/common/exactJson.ts";
import { log } from "../../base/settings/log.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { ChartProblem } from "./chartProblem.ts";

const file = z.object({ name: z.string(), data: z.string().nullish() });
const map = z.record(z.string(), z.unknown()).nullish();
const hook = z.object({
  name: z.string(),
  kind: z.string(),
  path: z.string().default(""),
  events: z.array(z.string()).nullish(),
  weight: z.int().default(0),
  last_run: z
    .object({ phase: z.string().nullish(), started_at: z.string().nullish(), completed_at: z.string().nullish() })
    .nullish(),
});

/** What we read of the record that Helm keeps of a revision. */
const releaseSchema = z.object({
  version: z.int(),
  manifest: z.string().nullish(),
  config: map,
  hooks: z.array(hook).nullish(),
  chart: z.object({
    metadata: z.looseObject({ name: z.string(), version: z.string() }),
    lock: map,
    values: map,
    schema: z.string().nullish(),
    templates: z.array(file).nullish(),
    files: z.array(file).nullish(),
  }),
});

export type StoredRelease = z.output<typeof releaseSchema>;

const maxReleaseBytes = 100 * 1024 * 1024;
const unzip = promisify(gunzip);

/** A revision as Helm wrote it into its Secret: base64 of packed JSON. @throws ChartProblem when it is none; ClusterError */
export async function readStoredRelease(
  client: ClusterClient,
  { namespace, secret }: { namespace: string; secret: string },
): Promise<StoredRelease> {
  const { data } = await client.get({ apiVersion: "v1", kind: "Secret", namespace, name: secret });
  const held = isRecord(data) && typeof data.release === "string" ? data.release : "";
  try {
    const packed = Buffer.from(Buffer.from(held, "base64").toString("latin1"), "base64");
    const text = await unzip(packed, { maxOutputLength: maxReleaseBytes });
    return releaseSchema.parse(parseExactJson(text.toString("utf8")));
  } catch (error) {
    log.warn("release not read", {
      namespace,
      secret,
      internal: error instanceof Error ? error.message : String(error),
    });
    throw new ChartProblem(`Secret "${secret}" holds no release that can be read`);
  }
}
