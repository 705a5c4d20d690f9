import { storeText } from "../base/aws/objects/objectStore.ts";
import { ApiError, badRequest, type Problem } from "../base/errors/apiError.ts";
import { enableReconciler } from "../base/reconciling/enableReconciler.ts";
import { newId, nowSeconds } from "../base/store/ids.ts";
import { ConditionFailed, conflictedOn } from "../base/store/tableClient.ts";
import { chartRepositories } from "../integrations/store/chartRepositories.ts";
import { ManifestError } from "../manifest/manifestError.ts";
import { dumpYaml } from "../manifest/parseYaml.ts";
import { readValues } from "../packaging/helm/rules/readValues.ts";
import { referenceProblem, repositoryProblem } from "../packaging/images/rules/imageNames.ts";
import { readImageReference } from "../packaging/images/rules/imageReference.ts";
import { imagePrefix } from "../packaging/registries/imagePrefix.ts";
import { findRegistry, listRegistries, type RegistrySummary } from "../packaging/registries/store/registries.ts";
import { requireProject } from "../projects/store/projects.ts";
import { ownerOf } from "./ownerOf.ts";
import { pathProblem, withImageInValues } from "./rules/imageInValues.ts";
import { retagged } from "./rules/retagged.ts";
import type { VersionImage, VersionService } from "./rules/version.ts";
import { type AskedImage, type AskedService, type AskedVersion, fillFromSource } from "./sourceValues.ts";
import { startVersion } from "./startVersion.ts";
import { newVersionIndex, createVersion as storeVersion, type VersionRecord } from "./store/versions.ts";

/**
 * Makes a version of manifests or of charts (contract D 1.8): everything that can be reported without asking a registry
 * is reported at once, the rest goes into the record.
 * @throws ApiError 400 naming every field that is wrong; 404; 6560 when the project has a version of this name
 */
export async function createVersion(asked: AskedVersion): Promise<string> {
  const { projectKey, name } = asked;
  const { projectType } = await requireProject(projectKey);
  if (asked.versionType === "HelmChart" && projectType !== "helm")
    throw new ApiError(
      400,
      `project ${projectKey} is of type ${projectType}: its services are no charts; make a version of manifests by POST /openapi/delivery/releases/k8s`,
    );
  const filled = await fillFromSource(asked);
  const { originalChartRepoName } = filled;
  const services = await settleServices({ ...asked, originalChartRepoName }, filled.services);
  const now = nowSeconds();
  const { versionType, source, envKey, production, description, labels, registryId, createdBy, chartRepoName } = asked;
  const version: VersionRecord = {
    versionId: newId(now),
    index: await newVersionIndex(projectKey),
    ...{
      projectKey,
      name,
      versionType,
      source,
      envKey,
      production,
      description,
      labels,
      registryId,
      createdBy,
    },
    ...{ status: "creating", error: "", chartRepoName, originalChartRepoName },
    ...{ createdAt: now, roundStartedAt: now, progressAt: now, attempt: 1, round: 1 },
  };
  await enableReconciler();
  try {
    await storeVersion(version, services);
  } catch (error) {
    if (conflictedOn(error, "version name"))
      throw new ApiError(6560, `failed to insert delivery version ${name}, version already exist`);
    if (error instanceof ConditionFailed) throw new ApiError(404, `project ${projectKey} does not exist`);
    throw error;
  }
  await startVersion(version);
  return version.versionId;
}

/** Checks every image and writes what manifests will say. @throws ApiError 400 */
async function settleServices(asked: AskedVersion, services: readonly AskedService[]): Promise<VersionService[]> {
  const problems: Problem[] = [];
  const target = await targetOf(asked, problems);
  problems.push(...(await repositoryProblems(asked)));
  const { registries } = await listRegistries();
  const settled = services.map((service, at) => {
    const path = `services[${at}]`;
    const images = service.images.map((image, position) => {
      const settling = { service, image, target, registries };
      const { settled, wrong } = settleImage(settling);
      problems.push(
        ...wrong.map(([field, problem]): Problem => {
          return { in: "body", path: `${path}.images[${position}].${field}`, problem };
        }),
      );
      return settled;
    });
    const settled = { name: service.name, images, ...(service.chart && { chart: service.chart }) };
    try {
      return { ...settled, yaml: settledYaml(asked, service, images) };
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      problems.push({ in: "body", path: `${path}.yaml_content`, problem: error.message });
      return { ...settled, yaml: "" };
    }
  });
  if (problems.length > 0) throw badRequest(problems);
  return Promise.all(settled.map(async (service) => ({ ...service, yaml: await storeText(service.yaml) })));
}

/** Where charts go and come from has to be registered; what it says is asked by the machine. */
async function repositoryProblems(asked: AskedVersion): Promise<Problem[]> {
  const named = { chart_repo_name: asked.chartRepoName, original_chart_repo_name: asked.originalChartRepoName };
  const problems = Object.entries(named).map(async ([path, name]): Promise<Problem[]> => {
    if (name === "" || (await chartRepositories.findByName(name)) !== undefined) return [];
    return [{ in: "body", path, problem: `chart repository ${name} does not exist; register it first` }];
  });
  return (await Promise.all(problems)).flat();
}

/** Manifests, or the values of a chart, with the images of the version. */
function settledYaml(
  { source, versionType }: AskedVersion,
  { yaml }: AskedService,
  images: readonly VersionImage[],
): string {
  if (versionType === "HelmChart")
    return dumpYaml(
      images.reduce(
        (values, { imagePath, targetImage }) =>
          imagePath === undefined || pathProblem(imagePath) !== undefined
            ? values
            : withImageInValues(values, imagePath, targetImage),
        readValues(yaml),
      ),
    );
  return source === "manual" || yaml === "" ? yaml : retagged(yaml, images);
}

/** The registry that images go to, when any of them does (contract D 1.10). */
async function targetOf(
  { services, registryId }: AskedVersion,
  problems: Problem[],
): Promise<RegistrySummary | undefined> {
  const pushes = services.some(({ images }) => images.some((image) => image.pushes));
  const found = registryId === "" ? undefined : await findRegistry(registryId);
  if (registryId !== "" && found === undefined)
    problems.push({ in: "body", path: "image_registry_id", problem: "can not find target registry" });
  if (registryId === "" && pushes)
    problems.push({
      in: "body",
      path: "image_registry_id",
      problem: "target registry not appointed, and images are pushed",
    });
  return found;
}

interface Settling {
  service: AskedService;
  image: AskedImage;
  target: RegistrySummary | undefined;
  registries: readonly RegistrySummary[];
}

type Wrong = [field: string, problem: string];

function settleImage({ service, image, target, registries }: Settling): { settled: VersionImage; wrong: Wrong[] } {
  const targetImageTag = image.targetImageTag
    .replaceAll("<SERVICE>", () => service.name)
    .replaceAll("<MODULE>", () => image.container);
  const wrong = (["imageName", "sourceImage", "targetImage", "targetImageTag"] as const).flatMap((field): Wrong[] => {
    return image[field] === "" ? [[wireNames[field], `${wireNames[field]} cannot be empty`]] : [];
  });
  const asked = { ...image, targetImageTag };
  if (wrong.length > 0) return { settled: { ...asked, registryId: "" }, wrong };
  const owner = ownerOf(image.pushes ? image.sourceImage : image.targetImage, registries);
  const registryId = "registryId" in owner ? owner.registryId : "";
  const found = [...sourceProblems(asked), ...targetProblems(asked)];
  const path = image.imagePath === undefined ? undefined : pathProblem(image.imagePath);
  if (path !== undefined) found.push(["image_path", path]);
  // An image that is not pushed needs no readable registry.
  if (image.pushes && "problem" in owner && found.length === 0) found.push(["source_image", owner.problem]);
  if (image.pushes && target !== undefined && found.length === 0) found.push(...pushProblems(asked, target));
  return { settled: { ...asked, registryId }, wrong: found };
}

const wireNames = {
  imageName: "image_name",
  sourceImage: "source_image",
  targetImage: "target_image",
  targetImageTag: "target_image_tag",
} as const;

function sourceProblems({ sourceImage, sourceImageTag }: AskedImage): Wrong[] {
  const read = readImageReference(sourceImage);
  if (typeof read === "string") return [["source_image", read]];
  if (sourceImageTag === read.tag) return [];
  return [["source_image_tag", `is not the tag of source_image, which is ${read.tag || "(none)"}`]];
}

function targetProblems({ targetImage }: AskedImage): Wrong[] {
  const read = readImageReference(targetImage);
  return typeof read === "string" ? [["target_image", read]] : [];
}

/** The name that is pushed is made of the registry's, image_name and target_image_tag; target_image must say the same. */
function pushProblems({ imageName, targetImage, targetImageTag }: AskedImage, target: RegistrySummary): Wrong[] {
  const repository = repositoryProblem(imageName, "");
  if (repository !== undefined) return [["image_name", repository]];
  const tag = targetImageTag.startsWith("sha256:")
    ? "must be a tag; a digest cannot be pushed to"
    : referenceProblem(targetImageTag);
  if (tag !== undefined) return [["target_image_tag", tag]];
  const pushed = `${imagePrefix(target)}/${imageName}:${targetImageTag}`;
  return targetImage === pushed ? [] : [["target_image", `must be what is pushed, ${pushed}`]];
}
