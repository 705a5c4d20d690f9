import { loadText } from "../aws/objects/objectStore.ts";
import { requireEnvironment } from "../environments/requireEnvironment.ts";
import { findManifest } from "../environments/store/environments.ts";
import { ApiError, badRequest, type Problem } from "../errors/apiError.ts";
import { readImageReference } from "../images/rules/imageReference.ts";
import { maskedManifest } from "../kube/maskedManifest.ts";
import type { VersionImage, VersionSource } from "./rules/version.ts";
import { findVersionId, findWholeVersion } from "./store/versions.ts";

/** What is asked for of an image; empty: taken from the source of the version. */
export type AskedImage = Omit<VersionImage, "registryId">;

export interface AskedService {
  name: string;
  /** Empty: taken from the source of the version, or none. */
  yaml: string;
  images: AskedImage[];
}

export interface AskedVersion {
  projectKey: string;
  name: string;
  source: VersionSource;
  envKey: string;
  originalName: string;
  production: boolean;
  description: string;
  labels: string[];
  registryId: string;
  services: AskedService[];
  createdBy: string;
}

type Found = Pick<AskedImage, "imageName" | "sourceImage">;

/** Where values come from that the request leaves out (contract D 1.7). */
interface Source {
  /** Of a container; a sentence when the source has none. */
  imageOf(service: string, container: string): Found | string;
  yamlOf(service: string): Promise<string>;
}

const nothing: Source = { imageOf: () => ({ imageName: "", sourceImage: "" }), yamlOf: async () => "" };

/**
 * The services with what the source knows of them. A value of the request wins; what cannot be found is a problem.
 * @throws ApiError 400 naming every field; 404 for an environment that is not there
 */
export async function fillFromSource(asked: AskedVersion): Promise<AskedService[]> {
  const source = await sourceOf(asked);
  const problems: Problem[] = [];
  const services = asked.services.map(async (service, at) => ({
    ...service,
    yaml: service.yaml === "" ? await source.yamlOf(service.name) : service.yaml,
    images: service.images.map((image, position) => {
      const found = source.imageOf(service.name, image.container);
      const path = `services[${at}].images[${position}]`;
      if (typeof found !== "string") return filled(image, found);
      problems.push({ in: "body", path: `${path}.container_name`, problem: found });
      return image;
    }),
  }));
  const all = await Promise.all(services);
  if (problems.length > 0) throw badRequest(problems);
  return all;
}

function filled(image: AskedImage, found: Found): AskedImage {
  const sourceImage = image.sourceImage || found.sourceImage;
  const read = readImageReference(sourceImage);
  return {
    ...image,
    imageName: image.imageName || found.imageName,
    sourceImage,
    sourceImageTag: image.sourceImageTag || (typeof read === "string" ? "" : read.tag),
  };
}

async function sourceOf(asked: AskedVersion): Promise<Source> {
  if (asked.source === "from_env") return environmentSource(asked);
  if (asked.source === "from_version" && asked.originalName !== "") return versionSource(asked);
  return nothing;
}

async function environmentSource({ projectKey, envKey, production }: AskedVersion): Promise<Source> {
  const { services } = await requireEnvironment({ projectKey, envKey, production });
  return {
    imageOf: (serviceName, containerName) => {
      const service = services.find(({ name }) => name === serviceName);
      const container = service?.containers.find(({ name }) => name === containerName);
      if (container !== undefined) return { imageName: container.imageName, sourceImage: container.image };
      return `container not found, serviceName: ${serviceName}, containerName: ${containerName}, envName: ${envKey}, projectKey: ${projectKey}`;
    },
    yamlOf: async (service) => {
      const manifest = await findManifest(projectKey, envKey, service, { consistent: false });
      // It is shown and compared, never applied: values of Secrets are nobody's business here.
      return manifest === undefined ? "" : maskedManifest(await loadText(manifest.text));
    },
  };
}

async function versionSource({ projectKey, originalName }: AskedVersion): Promise<Source> {
  const id = await findVersionId(projectKey, originalName);
  const original = id === undefined ? undefined : await findWholeVersion(id, { consistent: false });
  if (original === undefined)
    throw new ApiError(400, `original_version_name: version ${originalName} does not exist in project ${projectKey}`);
  return {
    ...nothing,
    imageOf: (serviceName, containerName) => {
      const service = original.services.find(({ name }) => name === serviceName);
      const image = service?.images.find(({ container }) => container === containerName);
      return (
        image ??
        `container not found, serviceName: ${serviceName}, containerName: ${containerName}, versionName: ${originalName}, projectKey: ${projectKey}`
      );
    },
  };
}
