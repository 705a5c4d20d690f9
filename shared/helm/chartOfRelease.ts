import { dumpYaml } from "../manifest/parseYaml.ts";
import { type Chart, packedAgain, readArchive } from "./readArchive.ts";
import type { StoredRelease } from "./storedRelease.ts";

/**
 * The chart of a release, put together from what Helm keeps of it. Helm does not keep charts in its `charts/` folder,
 * so that a chart with dependencies cannot be made again.
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
