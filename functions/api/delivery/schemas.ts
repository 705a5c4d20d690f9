import * as z from "zod";
import { versionSources } from "../../../shared/delivery/rules/version.ts";
import { isObject, paging, plainName, projectKey, recordId, unixSeconds } from "../../../shared/http/schemas.ts";
import { withAliases } from "../../../shared/values/withAliases.ts";

export const maxServices = 200;
const maxImages = 200;
const maxLabels = 20;

/** A name of 1 to 128 characters on one line; it stands in messages, never in a path. */
const versionName = z
  .string("version_name must be a text")
  .min(1, { error: "version_name cannot be empty", abort: true })
  .max(128, "must have at most 128 characters")
  .refine((name) => !/\p{Cc}/u.test(name), "must not contain control characters")
  .refine((name) => name === name.trim(), "must not begin or end with white space");

const reference = z
  .string()
  .max(512, "must have at most 512 characters")
  .nullish()
  .transform((text) => text ?? "");
/** A text that may be left out. */
export const versionText = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .nullish()
    .transform((sent) => sent ?? "");

const askedImage = z
  .object({
    container_name: plainName(253),
    ...{ image_name: reference, source_image: reference, source_image_tag: versionText(128) },
    ...{ target_image: reference, target_image_tag: versionText(128) },
    push_image: z.boolean().nullish(),
  })
  .transform((image) => ({
    container: image.container_name,
    imageName: image.image_name,
    sourceImage: image.source_image,
    sourceImageTag: image.source_image_tag,
    targetImage: image.target_image,
    targetImageTag: image.target_image_tag,
    pushes: image.push_image === true,
  }));

const askedService = z
  .object({
    service_name: plainName(),
    yaml_content: versionText(2 * 1024 * 1024),
    images: z.array(askedImage, "images must be a list"),
  })
  .superRefine(
    ({ images }, context) => {
      for (const [at, { container }] of images.entries())
        if (images.findIndex((one) => one.container === container) < at)
          context.addIssue({ code: "custom", path: ["images", at, "container_name"], message: "is there twice" });
    },
    { when: hasImages },
  )
  .transform(({ service_name, yaml_content, images }) => ({ name: service_name, yaml: yaml_content, images }));

function hasImages({ value }: z.core.ParsePayload): boolean {
  return typeof value === "object" && value !== null && Array.isArray((value as { images?: unknown }).images);
}

const askedServices = z
  .array(askedService, "services must be a list")
  .min(1, "no service info appointed; name at least one")
  .max(maxServices, `must have at most ${maxServices} services`)
  .superRefine((services, context) => {
    const count = services.reduce((sum, { images }) => sum + images.length, 0);
    if (count > maxImages)
      context.addIssue({ code: "custom", message: `have ${count} images; at most ${maxImages} are allowed` });
    for (const [at, { name }] of services.entries())
      if (services.findIndex((one) => one.name === name) < at)
        context.addIssue({ code: "custom", path: [at, "service_name"], message: "is there twice" });
  });

/** A version of manifests (contract D 1.5). */
export const newVersion = withAliases(
  z
    .object({
      project_key: projectKey,
      version_name: versionName,
      source: z.enum(versionSources, `must be one of ${versionSources.join(", ")}`),
      env_name: versionText(64),
      original_version_name: versionText(128),
      production: z.boolean().nullish(),
      desc: versionText(4096),
      labels: z
        .array(plainName(64))
        .max(maxLabels, `must have at most ${maxLabels} labels`)
        .nullish()
        .transform((labels) => [...new Set(labels ?? [])]),
      image_registry_id: versionText(64),
      services: askedServices,
    })
    .superRefine(
      ({ source, env_name }, context) => {
        const message = "env name is required when source is from env";
        if (source === "from_env" && !env_name) context.addIssue({ code: "custom", path: ["env_name"], message });
      },
      { when: isObject },
    ),
  {
    project_key: ["projectKey", "project_name"],
    version_name: ["version"],
    desc: ["description"],
  },
);

/** Which version is to be done again: in the body or in the query (contract D 1.13). */
export const retryBody = withAliases(z.object({ id: recordId.optional(), project_key: projectKey.optional() }), {
  project_key: ["projectKey", "projectName"],
}).optional();
/** The project of either place is judged where it is looked up. */
export const retryQuery = z.object({ id: recordId.optional(), projectKey: z.string().max(63).optional() });

export const ofProject = z.object({ projectKey });
export const versionPage = z.object({ projectKey, ...paging });
export const byName = z.object({ projectKey, versionName: versionName });
export const ofVersion = z.object({ id: z.string() });
export const optionalProject = z.object({ projectKey: projectKey.optional() });

const listed = z.object({
  id: z.string(),
  version_name: z.string(),
  type: z.string(),
  source: z.string(),
  status: z.string(),
  labels: z.array(z.string()),
  description: z.string(),
  created_by: z.string(),
  create_time: unixSeconds,
  created_time: unixSeconds,
});

export const versionList = z.object({ list: z.array(listed), total: z.int() }).meta({ id: "DeliveryVersionList" });

const shownImage = z.object({
  container_name: z.string(),
  image_name: z.string(),
  source_image: z.string(),
  source_image_tag: z.string(),
  target_image: z.string(),
  target_image_tag: z.string(),
  image_path: z.null(),
  push_image: z.boolean(),
  status: z.string().meta({ description: "Empty when it is not to be pushed, or not begun" }),
  error: z.string(),
  digest: z.string().meta({ description: "Fixed when the version was made; empty when it could not be read" }),
  size: z.int().meta({ description: "Bytes of everything that the image consists of" }),
  platforms: z.array(z.string()).meta({ description: "linux/amd64, …" }),
});

export const shownVersion = z
  .object({
    ...listed.shape,
    version: z.string(),
    project_name: z.string(),
    project_key: z.string(),
    env_name: z.string(),
    production: z.boolean(),
    error: z.string(),
    desc: z.string(),
    image_registry_id: z.string(),
    chart_repo_name: z.string(),
    original_chart_repo_name: z.string(),
    services: z.array(
      z.object({
        service_name: z.string(),
        chart_name: z.string(),
        original_chart_version: z.string(),
        chart_version: z.string(),
        chart_status: z.string(),
        yaml_content: z.string(),
        images: z.array(shownImage),
        error: z.string(),
      }),
    ),
    created_at: unixSeconds,
    deleted_at: z.int(),
    workflow_name: z.string().meta({ description: "Always empty: no workflow copies the images" }),
    task_id: z.int().meta({ description: "Always 0" }),
  })
  .meta({ id: "DeliveryVersion" });
