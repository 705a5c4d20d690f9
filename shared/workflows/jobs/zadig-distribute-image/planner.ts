import * as z from "zod";
import { replaceVariables } from "../../../base/common/placeholders.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import { plainText, type Tree } from "../../../manifest/tree.ts";
import { imagePrefix } from "../../../packaging/registries/imagePrefix.ts";
import { findRegistry, type RegistryRecord } from "../../../packaging/registries/store/registries.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { moduleInput } from "../../definition/specParts.ts";
import { filledText, listOf, text } from "../../definition/wireFields.ts";
import { jobNamed } from "../jobNamed.ts";
import { chosenOf, isSameModule, modulesOfJob, originOf } from "../modulesOfJob.ts";
import type { JobPlanner, PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { type DistributeTarget, kind as zadigDistributeImage } from "./kind.ts";

type DistributeSpec = z.output<typeof zadigDistributeImage.schema>;

/** One image on its way. */
export interface DistributedImage {
  service: string;
  module: string;
  /** As it is written, or the variable that an earlier job gives. */
  sourceImage: string;
  /** Empty: the tag of the source; `sourceTagMark` in it is replaced by that tag too. */
  targetTag: string;
  updatesTag: boolean;
}

/** What becomes of an image. */
export interface CopyState {
  targetImage: string;
  /** Of the source, fixed when its copy begins; then of what the target has. */
  digest: string;
  status: "" | "running" | "passed" | "failed" | "timeout" | "cancelled";
  error: string;
}

/** What the runner needs to copy the images of a job. */
export interface DistributeRun {
  /** Where images of an earlier job are looked for first; may be empty. */
  sourceRegistryId: string;
  targetRegistryId: string;
  images: DistributedImage[];
  platforms: string[];
  /** The job whose outputs the images are. */
  imagesFrom: string;
}

/** No tag has these characters. */
export const sourceTagMark = "<SOURCE_TAG>";

/** Variables of tag rules that stand for the tag of the source image, whatever it comes from. */
const sourceTagVariables = ["workflow.input.imageTag", "job.preBuild.imageTag", "job.preJob.imageTag"];

const input = z.looseObject({
  target_registry_id: text,
  service_list: listOf(
    z.looseObject({
      ...moduleInput,
      service_name: filledText,
      ...{ source_tag: text, target_tag: text, image_name: text },
    }),
  ),
});

/** Copies of images to another registry: one job task for all of them (contract W 8.9). */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { targets, target_registry_id: configured } = readSpec(zadigDistributeImage, job);
    const { target_registry_id, service_list } = readInputs(input, parameters, job);
    const chosen = service_list.map(({ service_name, service_module, source_tag, target_tag, image_name }) => ({
      ...targets.find((target) => isSameModule(target, { service_name, service_module })),
      ...{ service_name, service_module },
      ...(source_tag && { source_tag }),
      ...(target_tag && { target_tag, update_tag: true }),
      ...(image_name && { image_name }),
    }));
    return {
      ...job.spec,
      target_registry_id: target_registry_id || configured,
      ...(chosen.length > 0 && { targets: chosen }),
    };
  },
  expand: async (job, scope) => {
    const spec = readSpec(zadigDistributeImage, job);
    const run: DistributeRun = {
      sourceRegistryId: sourceRegistryOf(spec, scope),
      targetRegistryId: (await requireRegistry(job, "target_registry_id", spec.target_registry_id)).registryId,
      images: await imagesOf(job, spec, scope),
      platforms: platformsOf(spec.architecture ?? ""),
      imagesFrom: spec.source === "fromjob" ? originOf(spec) : "",
    };
    return [
      {
        parts: [],
        spec: {
          ...{ source_registry_id: run.sourceRegistryId, target_registry_id: run.targetRegistryId },
          distribute_target: run.images.map((image) => shownImage(image)),
        },
        run: { ...run },
        timeoutMinutes: spec.timeout ?? 0,
      },
    ];
  },
  variables: async (job, scope) => {
    const images = await imagesOf(job, readSpec(zadigDistributeImage, job), scope);
    const outputs = images.map(({ service, module }) => `{{.job.${job.name}.${service}.${module}.output.IMAGE}}`);
    return new Map([
      ["IMAGES", outputs.join(",")],
      ...images.map(({ service, module }, at): [string, string] => [`${service}.${module}.IMAGE`, outputs[at] ?? ""]),
    ]);
  },
};

/** As task detail shows an image (contract W 4.4): what only a run knows is empty before. */
export function shownImage(image: DistributedImage & Partial<CopyState>): Tree {
  const { service, module, sourceImage, targetTag, updatesTag } = image;
  const { targetImage = "", digest = "", status = "", error = "" } = image;
  return {
    ...{ source_image: sourceImage, target_image: targetImage },
    ...{ target_tag: targetTag.includes(sourceTagMark) ? "" : targetTag, update_tag: updatesTag },
    ...{ service_name: service, service_module: module, digest, status, error },
  };
}

/** The one that is named; else that of the job which makes the images, as far as it says so. */
function sourceRegistryOf(spec: DistributeSpec, scope: PlanScope): string {
  if (spec.source !== "fromjob" || spec.source_registry_id) return spec.source_registry_id ?? "";
  const origin = jobNamed(scope, originOf(spec))?.spec;
  return plainText(origin?.docker_registry_id) || plainText(origin?.target_registry_id);
}

async function imagesOf(job: WorkflowJob, spec: DistributeSpec, scope: PlanScope): Promise<DistributedImage[]> {
  const images = spec.source === "fromjob" ? imagesOfJob(job, spec, scope) : await namedImages(job, spec);
  if (images.length > 0) return images;
  const none = spec.source === "fromjob" ? `job ${originOf(spec)} works on no such service` : "name images in targets";
  throw new ApiError(6160, `job ${job.name} has no image to copy: ${none}`);
}

function imagesOfJob(job: WorkflowJob, spec: DistributeSpec, scope: PlanScope): DistributedImage[] {
  const modules = modulesOfJob(scope, { by: job.name, from: originOf(spec), mustRun: true });
  return chosenOf(modules, spec.targets).map(({ service_name, service_module, image }) => {
    const listed = spec.targets.find((target) => isSameModule(target, { service_name, service_module }));
    const target = { update_tag: false, ...listed, service_name, service_module };
    return { service: service_name, module: service_module, sourceImage: image, ...tagOf(job, spec, target) };
  });
}

/** Images whose names and tags the job says. */
async function namedImages(job: WorkflowJob, spec: DistributeSpec): Promise<DistributedImage[]> {
  const source = await requireRegistry(job, "source_registry_id", spec.source_registry_id);
  return spec.targets.map((target) => {
    const { service_name, service_module, source_tag, image_name } = target;
    if (service_module === "") throw wrong(job, target, "has no service_module");
    if (!source_tag) throw wrong(job, target, "has no source_tag: name the tag of the image that is copied");
    return {
      ...{ service: service_name, module: service_module },
      sourceImage: `${imagePrefix(source)}/${image_name || service_module}:${source_tag}`,
      ...tagOf(job, spec, target),
    };
  });
}

/** The tag at the target: by the job's rule, or the image's own, or that of the source (contract W 5). */
function tagOf(
  job: WorkflowJob,
  spec: DistributeSpec,
  target: Pick<DistributeTarget, "service_name" | "service_module" | "target_tag" | "update_tag">,
): Pick<DistributedImage, "targetTag" | "updatesTag"> {
  const isByRule = spec.enable_target_image_tag_rule === true;
  const updatesTag = isByRule || target.update_tag === true;
  if (!updatesTag) return { targetTag: "", updatesTag };
  const tag = isByRule ? spec.target_image_tag_rule : target.target_tag;
  if (!tag && isByRule)
    throw new ApiError(6160, `job ${job.name} has a rule for tags, and target_image_tag_rule is empty`);
  if (!tag) throw wrong(job, target, "has update_tag and no target_tag: name the tag of the copy");
  const named = tag
    .replaceAll("<SERVICE>", () => target.service_name)
    .replaceAll("<MODULE>", () => target.service_module);
  const targetTag = replaceVariables(named, (path, written) =>
    sourceTagVariables.includes(path) ? sourceTagMark : written,
  );
  return { targetTag, updatesTag };
}

function wrong(
  { name }: WorkflowJob,
  { service_name, service_module }: Pick<DistributeTarget, "service_name" | "service_module">,
  problem: string,
): ApiError {
  return new ApiError(6160, `job ${name}: target ${service_name}/${service_module} ${problem}`);
}

/** @throws ApiError 6160 */
async function requireRegistry(
  { name }: WorkflowJob,
  field: string,
  id: string | null | undefined,
): Promise<RegistryRecord> {
  if (!id) throw new ApiError(6160, `job ${name} names no registry: set ${field}`);
  const found = await findRegistry(id);
  if (found !== undefined) return found;
  throw new ApiError(6160, `job ${name}: ${field} is ${id}, and there is no such registry`);
}

/** `amd64` is an architecture of Linux. */
function platformsOf(architecture: string): string[] {
  const named = architecture.split(",").map((one) => one.trim().toLowerCase());
  return named.filter((one) => one !== "").map((one) => (one.includes("/") ? one : `linux/${one}`));
}
