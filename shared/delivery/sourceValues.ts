import { readStoredText } from "../base/aws/objects/objectStore.ts";
import { badRequest, type Problem } from "../base/errors/apiError.ts";
import { requireEnvironment } from "../environments/requireEnvironment.ts";
import { findManifest } from "../environments/store/environments.ts";
import { maskedManifest } from "../kube/live/maskedManifest.ts";
import { readImageReference } from "../packaging/images/rules/imageReference.ts";
import { chartSource } from "./chartSources.ts";
import type { VersionChart, VersionImage, VersionSource, VersionType } from "./rules/version.ts";
import { type Found, imagesOfServices, nothing, originalOf, type Source, versionSource } from "./sources.ts";

/** What is asked for of an image; empty: taken from the source of the version. */
export type AskedImage = Omit<VersionImage, "registryId">;

export interface AskedService {
  name: string;
  /** Empty: taken from the source of the version, or none. */
  yaml: string;
  images: AskedImage[];
  /** Of a version of charts. An empty original version: taken from the source. */
  chart?: VersionChart;
}

export interface AskedVersion {
  projectKey: string;
  name: string;
  versionType: VersionType;
  source: VersionSource;
  envKey: string;
  originalName: string;
  production: boolean;
  description: string;
  labels: string[];
  registryId: string;
  /** Where charts go, and where those come from that are in no store of ours; empty for manifests. */
  chartRepoName: string;
  originalChartRepoName: string;
  services: AskedService[];
  createdBy: string;
}

/**
 * The services with what the source knows of them. A value of the request wins; what cannot be found is a problem.
 * @throws ApiError 400 naming every field; 404 for an environment that is not there
 */
export async function fillFromSource(
  asked: AskedVersion,
): Promise<{ services: AskedService[]; originalChartRepoName: string }> {
  const source = await sourceOf(asked);
  const problems: Problem[] = [];
  const services = asked.services.map(async (service, at): Promise<AskedService> => {
    const chart = service.chart && source.chartOf(service.name, service.chart);
    if (chart !== undefined && "problem" in chart) {
      problems.push({ in: "body", path: `services[${at}].${chart.field}`, problem: chart.problem });
      return service;
    }
    const yaml = service.yaml === "" ? await source.yamlOf(service.name) : service.yaml;
    if (chart !== undefined && yaml === "")
      problems.push({
        ...{ in: "body", path: `services[${at}].yaml_content` },
        problem: "cannot be empty: nothing says which values the chart has",
      });
    const images = service.images.map((image, position) => {
      const found = source.imageOf(service.name, image.container);
      const path = `services[${at}].images[${position}]`;
      if (typeof found === "string") {
        problems.push({ in: "body", path: `${path}.container_name`, problem: found });
        return image;
      }
      const whole = filled(image, found);
      if (chart !== undefined && whole.imagePath === undefined)
        problems.push({
          ...{ in: "body", path: `${path}.image_path` },
          problem: "is required: nothing says where the values of the chart name the image",
        });
      return whole;
    });
    return { ...service, yaml, images, ...(chart && { chart }) };
  });
  const all = await Promise.all(services);
  if (problems.length > 0) throw badRequest(problems);
  return { services: all, originalChartRepoName: asked.originalChartRepoName || source.chartRepoName };
}

function filled(image: AskedImage, found: Found): AskedImage {
  const sourceImage = image.sourceImage || found.sourceImage;
  const read = readImageReference(sourceImage);
  return {
    ...image,
    imageName: image.imageName || found.imageName,
    sourceImage,
    sourceImageTag: image.sourceImageTag || (typeof read === "string" ? "" : read.tag),
    ...(found.imagePath && !image.imagePath && { imagePath: found.imagePath }),
  };
}

async function sourceOf(asked: AskedVersion): Promise<Source> {
  if (asked.versionType === "HelmChart") return chartSource(asked);
  if (asked.source === "from_env") return environmentSource(asked);
  if (asked.source === "from_version" && asked.originalName !== "") return versionSource(await originalOf(asked));
  return nothing;
}

async function environmentSource({ projectKey, envKey, production }: AskedVersion): Promise<Source> {
  const { services } = await requireEnvironment({ projectKey, envKey, production });
  return {
    ...nothing,
    imageOf: imagesOfServices(services, ` envName: ${envKey}, projectKey: ${projectKey}`),
    yamlOf: async (service) => {
      const manifest = await findManifest(projectKey, envKey, service, { consistent: false });
      // It is shown and compared, never applied: values of Secrets do not belong here.
      return manifest === undefined ? "" : maskedManifest(await readStoredText(manifest.text));
    },
  };
}
