import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { versionSources } from "../../../shared/delivery/rules/version.ts";
import {
  filled,
  isObject,
  paging,
  plainName,
  projectKey,
  recordId,
  unixSeconds,
} from "../../../shared/http/schemas.ts";
import { maxValuesBytes } from "../../../shared/packaging/helm/rules/readValues.ts";

export const maxServices = 200;
const maxImages = 200;
const maxLabels = 20;

/** A name of 1 to 128 characters on one line; it is used in messages, never in a path. */
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

const imageFields = {
  container_name: plainName(253),
  ...{ image_name: reference, source_image: reference, source_image_tag: versionText(128) },
  ...{ target_image: reference, target_image_tag: versionText(128) },
  push_image: z.boolean().nullish(),
};

function imageOf(image: z.output<z.ZodObject<typeof imageFields>>) {
  return {
    container: image.container_name,
    imageName: image.image_name,
    sourceImage: image.source_image,
    sourceImageTag: image.source_image_tag,
    targetImage: image.target_image,
    targetImageTag: image.target_image_tag,
    pushes: image.push_image === true,
  };
}

const askedImage = z.object(imageFields).transform(imageOf);

const place = versionText(256);
/** Where the values of a chart name the image; empty: nowhere said, and taken from the source of the version. */
const askedChartImage = z
  .object({
    ...imageFields,
    image_path: z.object({ repo: place, namespace: place, image: place, tag: place }, "must be an object").nullish(),
  })
  .transform(({ image_path: imagePath, ...image }) => ({ ...imageOf(image), ...(imagePath && { imagePath }) }));

function eachOnce({ images }: { images: { container: string }[] }, context: z.RefinementCtx): void {
  for (const [at, { container }] of images.entries())
    if (images.findIndex((one) => one.container === container) < at)
      context.addIssue({ code: "custom", path: ["images", at, "container_name"], message: "is there twice" });
}

const askedService = z
  .object({
    service_name: plainName(),
    yaml_content: versionText(2 * 1024 * 1024),
    images: z.array(askedImage, "images must be a list"),
  })
  .superRefine(eachOnce, { when: hasImages })
  .transform(({ service_name, yaml_content, images }) => ({ name: service_name, yaml: yaml_content, images }));

function hasImages({ value }: z.core.ParsePayload): boolean {
  return typeof value === "object" && value !== null && Array.isArray((value as { images?: unknown }).images);
}

const part = "(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)";
const number = "(?:0|[1-9]\\d*)";
/** Of semver.org; without the `v` that Git tags have. */
const semanticVersion = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-${part}(?:\\.${part})*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);
const chartVersion = z
  .string("chart_version must be a text such as 1.2.3")
  .max(100, "must have at most 100 characters")
  .refine((text) => semanticVersion.test(text), "must be a version such as 1.2.3 or 1.2.3-rc.1");

/** A service as Helm names releases (decisions 11.8); its chart is called like it (contract D 1.6). */
const askedChartService = z
  .object({
    service_name: z
      .string()
      .regex(/^[a-z]([a-z0-9-]{0,51}[a-z0-9])?$/, "must be the name of a release: lower case letters, digits and -"),
    chart_version: chartVersion,
    original_chart_version: versionText(100),
    yaml_content: versionText(maxValuesBytes),
    images: z
      .array(askedChartImage, "images must be a list")
      .nullish()
      .transform((images) => images ?? []),
  })
  .superRefine(eachOnce, { when: hasImages })
  .transform(({ service_name: name, yaml_content: yaml, images, chart_version, original_chart_version }) => ({
    ...{ name, yaml, images },
    chart: { name, version: chart_version, originalVersion: original_chart_version },
  }));

type NamedService = z.ZodType<{ name: string; images: unknown[] }>;

function listOf<S extends NamedService>(service: S) {
  return z
    .array(service, "services must be a list")
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
}

const versionFields = {
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
};

function needsEnvironment({ source, env_name }: { source: string; env_name: string }, context: z.RefinementCtx): void {
  const message = "env name is required when source is from env";
  if (source === "from_env" && !env_name) context.addIssue({ code: "custom", path: ["env_name"], message });
}

const versionAliases = {
  project_key: ["projectKey", "project_name"],
  version_name: ["version"],
  desc: ["description"],
};

/** A version of manifests (contract D 1.5). */
export const newVersion = withAliases(
  z
    .object({ ...versionFields, image_registry_id: versionText(64), services: listOf(askedService) })
    .superRefine(needsEnvironment, { when: isObject }),
  versionAliases,
);

/** A version of charts (contract D 1.6). */
export const newChartVersion = withAliases(
  z
    .object({
      ...versionFields,
      image_registry_id: filled("image registry not appointed: image_registry_id", 64),
      chart_repo_name: filled("chart_repo_name", 253),
      original_chart_repo_name: versionText(253),
      services: listOf(askedChartService),
    })
    .superRefine(needsEnvironment, { when: isObject }),
  versionAliases,
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
  image_path: z
    .record(z.string(), z.string())
    .nullable()
    .meta({ description: "Of a chart: where its values name repo, namespace, image and tag" }),
  push_image: z.boolean(),
  status: z.string().meta({ description: "Empty when it is not to be pushed, or not begun" }),
  error: z.string(),
  digest: z.string().meta({ description: "Fixed when the version was made; empty when it could not be read" }),
  size: z.int().meta({ description: "Bytes of everything that the image consists of" }),
  platforms: z.array(z.string()).meta({ description: "linux/amd64, …" }),
  signature: z
    .object({
      identity: z.string().meta({ description: "Who signed; empty: the key of the project" }),
      issuer: z.string().meta({ description: "Who vouches for the identity" }),
    })
    .nullable()
    .meta({ description: "As it was checked when the version was made; null when the project demanded none" }),
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
