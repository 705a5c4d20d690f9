import { readStoredText } from "../base/aws/objects/objectStore.ts";
import { ApiError } from "../base/errors/apiError.ts";
import type { ImagePath } from "./rules/imageInValues.ts";
import type { VersionChart, VersionImage } from "./rules/version.ts";
import { findVersionId, findWholeVersion, type WholeVersion } from "./store/versions.ts";

export type Found = Pick<VersionImage, "imageName" | "sourceImage"> & Partial<Pick<VersionImage, "imagePath">>;

/** Where values come from that the request leaves out (contract D 1.7). */
export interface Source {
  /** Of a container; a sentence when the source has none. */
  imageOf(service: string, container: string): Found | string;
  yamlOf(service: string): Promise<string>;
  /** What a chart is made of, or which field of the service is wrong. */
  chartOf(service: string, asked: VersionChart): VersionChart | { field: string; problem: string };
  /** Where charts come from that are fetched. */
  chartRepoName: string;
}

export const nothing: Source = {
  imageOf: () => ({ imageName: "", sourceImage: "" }),
  yamlOf: async () => "",
  chartOf: (_, asked) => asked,
  chartRepoName: "",
};

interface WithContainers {
  name: string;
  containers: readonly {
    name: string;
    imageName: string;
    image: string;
    imagePath: VersionImage["imagePath"] | null;
  }[];
}

/** Images of services by their containers. @param where how the sentence about a missing one ends */
export function imagesOfServices(services: Iterable<WithContainers>, where: string): Source["imageOf"] {
  const containersOf = new Map([...services].map(({ name, containers }) => [name, containers]));
  return (service, container) => {
    const found = containersOf.get(service)?.find(({ name }) => name === container);
    if (found === undefined)
      return `container not found, serviceName: ${service}, containerName: ${container},${where}`;
    const { imageName, image, imagePath } = found;
    return { imageName, sourceImage: image, ...(imagePath && { imagePath: inOrder(imagePath) }) };
  };
}

/** The store gives parts in any order; the content of a version is a text, and always the same one. */
function inOrder({ repo, namespace, image, tag }: ImagePath): ImagePath {
  return { repo, namespace, image, tag };
}

/** The version that another one is made from. @throws ApiError 400 */
export async function originalOf({
  projectKey,
  originalName,
}: {
  projectKey: string;
  originalName: string;
}): Promise<WholeVersion> {
  const id = await findVersionId(projectKey, originalName);
  const original = id === undefined ? undefined : await findWholeVersion(id, { consistent: false });
  if (original === undefined)
    throw new ApiError(400, `original_version_name: version ${originalName} does not exist in project ${projectKey}`);
  return original;
}

export function versionSource({ version, services }: WholeVersion): Source {
  const { name: originalName, projectKey } = version;
  const found = new Map(services.map((service) => [service.name, service]));
  return {
    imageOf: (service, container) =>
      found.get(service)?.images.find((image) => image.container === container) ??
      `container not found, serviceName: ${service}, containerName: ${container}, versionName: ${originalName}, projectKey: ${projectKey}`,
    // Manifests come from the request alone, and may stay empty.
    yamlOf: async (service) => {
      const original = found.get(service);
      return original?.chart === undefined ? "" : readStoredText(original.yaml);
    },
    chartOf: (service, asked) => {
      const original = found.get(service)?.chart;
      if (original === undefined)
        return { field: "service_name", problem: `version ${originalName} has no chart of service ${service}` };
      return { ...asked, originalVersion: asked.originalVersion || original.version };
    },
    chartRepoName: version.chartRepoName,
  };
}
