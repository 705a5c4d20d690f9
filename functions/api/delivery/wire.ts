import type * as z from "zod";
import type { ServiceDifference } from "../../../shared/delivery/compareVersions.ts";
import type { ImagePath } from "../../../shared/delivery/rules/imageInValues.ts";
import type { ImageState, VersionImage } from "../../../shared/delivery/rules/version.ts";
import { shownYaml } from "../../../shared/delivery/shownYaml.ts";
import type { VersionSummary, WholeVersion } from "../../../shared/delivery/store/versions.ts";
import type { shownVersion } from "./schemas.ts";
import type { difference } from "./useSchemas.ts";

export function listItem({
  versionId,
  name,
  versionType,
  source,
  status,
  createdBy,
  createdAt,
  ...more
}: VersionSummary) {
  const { labels, description } = more;
  return {
    ...{ id: versionId, version_name: name, type: versionType, source, status, labels: [...labels], description },
    ...{ created_by: createdBy, create_time: createdAt, created_time: createdAt },
  };
}

/**
 * The record of contract D 1.1.
 * @param more whether the manifests of its services are read
 */
export async function versionAnswer(
  { version, services, states, charts }: WholeVersion,
  { withManifests = true }: { withManifests?: boolean } = {},
): Promise<z.input<typeof shownVersion>> {
  const { projectKey, name, description, createdAt } = version;
  return {
    ...listItem(version),
    ...{ version: name, project_name: projectKey, project_key: projectKey, env_name: version.envKey },
    ...{
      production: version.production,
      error: version.error,
      desc: description,
      created_at: createdAt,
      deleted_at: 0,
    },
    ...{ image_registry_id: version.registryId, chart_repo_name: version.chartRepoName },
    original_chart_repo_name: version.originalChartRepoName,
    services: await Promise.all(
      services.map(async (service, at) => {
        const own = states.filter((state) => state.service === at);
        return {
          service_name: service.name,
          ...{ chart_name: service.chart?.name ?? "", original_chart_version: service.chart?.originalVersion ?? "" },
          ...{ chart_version: service.chart?.version ?? "", chart_status: charts[at]?.status ?? "" },
          yaml_content: withManifests ? await shownYaml(service) : "",
          images: service.images.map((image, position) => shownImage(image, own[position])),
          error: charts[at]?.error || (own.find(({ error }) => error !== "")?.error ?? ""),
        };
      }),
    ),
    ...{ workflow_name: "", task_id: 0 },
  };
}

function shownImage(image: VersionImage, state: ImageState | undefined) {
  const { status = "", error = "", digest = "", size = 0, platforms = [] } = state ?? {};
  return {
    ...{ container_name: image.container, image_name: image.imageName, push_image: image.pushes },
    image_path: image.imagePath === undefined ? null : shownPath(image.imagePath),
    ...{ source_image: image.sourceImage, source_image_tag: image.sourceImageTag },
    ...{ target_image: image.targetImage, target_image_tag: image.targetImageTag },
    ...{ status, error, digest, size, platforms: [...platforms] },
    signature: state?.signer ?? null,
  };
}

/** Places that there are (contract D 1.1). */
function shownPath(path: ImagePath) {
  return Object.fromEntries(Object.entries(path).filter(([, place]) => place !== ""));
}

export function differenceAnswer(
  before: VersionSummary,
  after: VersionSummary,
  services: readonly ServiceDifference[],
): z.input<typeof difference> {
  return {
    ...{ id: before.versionId, version_name: before.name },
    ...{ other_id: after.versionId, other_version_name: after.name },
    services: services.map(({ name, change, images, yamlDiff }) => ({
      ...{ service_name: name, change, yaml_diff: yamlDiff },
      images: images.map(({ container, ...image }) => ({
        ...{ container_name: container, change: image.change },
        ...{ before: image.before ?? null, after: image.after ?? null },
      })),
    })),
  };
}
