import { ChartProblem } from "../helm/chartProblem.ts";
import { readChartHead } from "../helm/readArchive.ts";
import { putBlob } from "../images/copy/copyBlob.ts";
import { digestOf } from "../images/digestOf.ts";
import { findManifest, writeManifest } from "../images/readManifest.ts";
import type { RegistryAccess } from "../images/registryAccess.ts";
import { openRegistryLine } from "../images/registryLine.ts";
import { ociManifest } from "../images/rules/manifest.ts";
import { openTarget } from "../images/targetRepository.ts";
import { type ChartToPush, takenSentence } from "./chartToPush.ts";
import { chartLayerType, inWords, layerTypes, repositoryOf, tagOf } from "./ociRepository.ts";

const configType = "application/vnd.cncf.helm.config.v1+json";

/**
 * Pushes a chart as `helm push` does, but for the time of the push: the same chart gives the same manifest.
 * @returns its address
 * @throws ChartProblem
 */
export async function pushToRegistry(
  repoName: string,
  access: RegistryAccess,
  chart: ChartToPush,
  signal: AbortSignal,
): Promise<string> {
  const repository = repositoryOf(repoName, access, chart.name);
  const reference = tagOf(chart.version);
  const line = openRegistryLine(access, { limit: 4, signal });
  const place = { line, repository, reference };
  const { config, layer, manifest } = await artifactOf(chart);
  try {
    return await inWords(`chart repository ${repoName}`, async () => {
      const standing = await findManifest(place);
      if (standing === undefined) {
        const target = openTarget(line, repository);
        // An ECR makes the repository now.
        await target.lookFor([config.is, layer.is]);
        for (const { is, bytes } of [config, layer]) await putBlob(target, is, bytes);
        await writeManifest(place, manifest);
      } else {
        const there = standing.blobs.find(({ mediaType }) => layerTypes.includes(mediaType))?.digest ?? standing.digest;
        if (there !== layer.is.digest)
          throw new ChartProblem(`chart repository ${repoName}: ${takenSentence(chart, there)}`);
      }
      return `oci://${access.address}/${repository}:${reference}`;
    });
  } finally {
    line.close();
  }
}

async function artifactOf({ name, version, archive }: ChartToPush) {
  const head = await readChartHead(archive);
  // What Helm reads of it are texts.
  const texts = ["apiVersion", "description", "type", "kubeVersion", "icon", "home"].flatMap((key) =>
    typeof head[key] === "string" ? [[key, head[key]] as const] : [],
  );
  const said = { ...Object.fromEntries(texts), name, version, appVersion: version };
  const config = blobOf(configType, Buffer.from(JSON.stringify(said)));
  const layer = blobOf(chartLayerType, archive);
  const annotations = { "org.opencontainers.image.title": name, "org.opencontainers.image.version": version };
  const document = { schemaVersion: 2, mediaType: ociManifest, config: config.is, layers: [layer.is], annotations };
  const bytes = Buffer.from(JSON.stringify(document));
  return { config, layer, manifest: { mediaType: ociManifest, bytes, digest: digestOf(bytes) } };
}

function blobOf(mediaType: string, bytes: Buffer) {
  return { is: { mediaType, digest: digestOf(bytes), size: bytes.length }, bytes };
}
