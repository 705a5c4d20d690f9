import { ChartProblem } from "../helm/chartProblem.ts";
import { maxArchiveBytes } from "../helm/readArchive.ts";
import { askAccess, checkRegistry } from "../images/askRegistry.ts";
import { readWholeBlob } from "../images/copy/blobReader.ts";
import { ImageProblem } from "../images/imageProblem.ts";
import { requireManifest } from "../images/readManifest.ts";
import { listTags } from "../images/readTags.ts";
import { publicAccess, type RegistryAccess } from "../images/registryAccess.ts";
import type { RegistryLine } from "../images/registryLine.ts";
import { repositoryProblem } from "../images/rules/imageNames.ts";
import { hostAddress, readImageReference } from "../images/rules/imageReference.ts";
import { type ChartSource, notThere } from "./chartSource.ts";
import { pickVersion } from "./rules/pickVersion.ts";

/** Registries take no `+` in a tag; Helm writes `_` for it. */
export const tagOf = (version: string): string => version.replaceAll("+", "_");
const versionOf = (tag: string): string => tag.replaceAll("_", "+");

/** Charts of a registry, each a repository below the namespace of `access`. */
export function ociRepository(repoName: string, access: RegistryAccess): ChartSource {
  const ask = <T>(work: (line: RegistryLine) => Promise<T>) =>
    inWords(`chart repository ${repoName}`, () => askAccess(access, work));
  return {
    check: () => inWords(`chart repository ${repoName}`, () => checkRegistry(access)),
    versions: async (name) => {
      const repository = repositoryOf(repoName, access, name);
      const tags = await ask((line) => listTags({ line, repository }));
      return tags.map((tag) => ({ version: versionOf(tag), url: `oci://${access.address}/${repository}:${tag}` }));
    },
    fetch: async (name, wanted) => {
      const repository = repositoryOf(repoName, access, name);
      return ask(async (line) => {
        const versions = (await listTags({ line, repository })).map(versionOf);
        const version = pickVersion(versions, wanted);
        if (version === undefined) throw notThere(repoName, name, wanted, versions.length > 0);
        return readChart(line, repository, tagOf(version));
      });
    },
  };
}

/** The repository of a chart. @throws ChartProblem where no registry takes such a name */
export function repositoryOf(repoName: string, access: RegistryAccess, name: string): string {
  const repository = [access.namespace, name].filter((part) => part !== "").join("/");
  const problem = repositoryProblem(repository, "");
  if (problem !== undefined)
    throw new ChartProblem(`chart repository ${repoName}: the repository ${repository} ${problem}`);
  return repository;
}

/** A chart that an index keeps in a registry; it is read without a login. */
export function publicOciChart(address: string, what: string): Promise<Buffer> {
  const reference = readImageReference(address.slice("oci://".length));
  if (typeof reference === "string" || reference.tag === "")
    throw new ChartProblem(`${what}: the index names no address for it; ask its operator`);
  const { host, repository, tag } = reference;
  return inWords(what, () =>
    askAccess(publicAccess(hostAddress(host)), (line) => readChart(line, repository, tagOf(tag))),
  );
}

export const chartLayerType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
export const layerTypes = [chartLayerType, "application/tar+gzip"];

async function readChart(line: RegistryLine, repository: string, reference: string): Promise<Buffer> {
  const place = `${line.access.address}/${repository}:${reference}`;
  const { blobs, config } = await requireManifest({ line, repository, reference });
  const layer = blobs.find(({ mediaType }) => layerTypes.includes(mediaType));
  if (layer === undefined)
    throw new ChartProblem(`${place} is no chart (${config?.mediaType ?? "an index"}); name one that helm push wrote`);
  if (layer.size > maxArchiveBytes)
    throw new ChartProblem(`${place} has ${layer.size} bytes; a chart may have at most ${maxArchiveBytes}`);
  return readWholeBlob({ line, repository }, layer);
}

/** What a registry says, as what is wrong with a chart. */
export async function inWords<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImageProblem) throw new ChartProblem(`${what}: ${error.message}`);
    throw error;
  }
}
