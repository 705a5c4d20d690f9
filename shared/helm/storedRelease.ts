import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import * as z from "zod";
import type { ClusterClient } from "../kube/client/ClusterClient.ts";
import { isRecord } from "../manifest/kubeObject.ts";
import { dumpYaml } from "../manifest/parseYaml.ts";
import { log } from "../settings/log.ts";
import { ChartProblem } from "./chartProblem.ts";
import { type Chart, packedAgain, readArchive } from "./readArchive.ts";

const file = z.object({ name: z.string(), data: z.string().nullish() });
const map = z.record(z.string(), z.unknown()).nullish();

/** What we read of the record that Helm keeps of a revision. */
const releaseSchema = z.object({
  version: z.int(),
  manifest: z.string().nullish(),
  config: map,
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
    return releaseSchema.parse(JSON.parse(text.toString("utf8")));
  } catch (error) {
    log.warn("release not read", {
      namespace,
      secret,
      internal: error instanceof Error ? error.message : String(error),
    });
    throw new ChartProblem(`Secret "${secret}" holds no release that can be read`);
  }
}

/**
 * The chart of a release, put together from what Helm keeps of it. Charts in its `charts/` folder Helm does not keep, so
 * that nobody can make one with dependencies again.
 * @returns undefined for a chart with dependencies
 * @throws ChartProblem for what is no chart
 */
export async function chartOfRelease({ chart, manifest }: StoredRelease): Promise<Chart | undefined> {
  const { metadata, lock, values, schema, templates, files } = chart;
  const needs = Array.isArray(metadata.dependencies) && metadata.dependencies.length > 0;
  if (needs || /^# Source: [^/\n]+\/charts\//m.test(manifest ?? "")) return undefined;
  const content = new Map<string, Buffer>();
  for (const { name, data } of [...(files ?? []), ...(templates ?? [])])
    content.set(name, Buffer.from(data ?? "", "base64"));
  content.set("Chart.yaml", Buffer.from(dumpYaml(metadata)));
  content.set("values.yaml", Buffer.from(dumpYaml(values ?? {})));
  if (lock) content.set("Chart.lock", Buffer.from(dumpYaml(lock)));
  if (schema) content.set("values.schema.json", Buffer.from(schema, "base64"));
  return readArchive(await packedAgain(metadata.name, content));
}
