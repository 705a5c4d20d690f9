import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { keyVal, keyValList, keyValueList, textValueList } from "../../../shared/http/keyVal.ts";
import { optionalPaging } from "../../../shared/http/optionalPaging.ts";
import { filled, paging, queryBoolean, repositoryPath, warning } from "../../../shared/http/schemas.ts";
import { chartSourcesOfCodeHosts } from "../../../shared/integrations/rules/codeHosts/providers.ts";
import {
  chartServiceNameSchema,
  lowerServiceNameSchema,
  serviceNameSchema,
} from "../../../shared/projects/services/rules/names.ts";

export const ofProject = z.object({ projectKey: filled("projectKey", 256) });
export const ofProjectAndKind = ofProject.extend({ production: queryBoolean.optional() });
export const listOfProject = ofProject.extend(optionalPaging);
export const pageOfProject = ofProject.extend(paging);
export const serviceParams = z.object({ serviceName: z.string().max(256, "must have at most 256 characters") });
export const revisionParams = serviceParams.extend({
  revision: z
    .string()
    .regex(/^[1-9]\d{0,11}$/, "must be the number of a revision")
    .transform(Number),
});

const yaml = z.string("yaml must be a text").min(1, "yaml cannot be empty");

const strict = z.boolean("strict must be a boolean").optional().meta({
  description: "true: what would be warned of is refused, now and in later revisions; left out: as the service is",
});

/** Clients that know the answer's spelling send it here too (contract P 24). */
export const newService = withAliases(
  z.object({ service_name: serviceNameSchema, yaml, variable_yaml: keyValList.default([]), strict }),
  { variable_yaml: ["service_variable_kvs"] },
);

/** Contract P 3.1; `yaml` and `production`, which the production sample carries, are ignored. */
export const templateLoad = z.object({
  service_name: lowerServiceNameSchema,
  project_key: filled("project_key", 256),
  template_name: filled("template_name"),
  auto_sync: z.boolean().default(false),
  variable_yaml: keyValueList.default([]),
});

/** Contract P 3.2; `variable_yaml` is the name that project initialization uses. */
export const chartLoad = withAliases(
  z.object({
    service_name: chartServiceNameSchema,
    template_name: filled("template_name"),
    production: z.boolean("production must be a boolean").default(false),
    auto_sync: z.boolean("auto_sync must be a boolean").default(false),
    values_yaml: z.string("values_yaml must be a text").max(1_000_000).default(""),
    variables: textValueList.default([]),
  }),
  { variables: ["variable_yaml"] },
);

const chartSources = ["chartRepo", "repo", ...chartSourcesOfCodeHosts];

/** Contract P 3.3; what `createFrom` holds goes by the source. */
export const chartsLoad = z.object({
  source: z.enum(chartSources, {
    error: ({ input }) =>
      input === "publicRepo"
        ? "a repository is read through a registered code host; register it and use source repo"
        : `must be one of ${chartSources.join(", ")}`,
  }),
  /** Of the service; empty: as its chart. */
  name: z.union([z.literal(""), chartServiceNameSchema]).default(""),
  production: z.boolean("production must be a boolean").default(false),
  values_yaml: z.string("values_yaml must be a text").max(1_000_000).optional(),
  createFrom: z.unknown(),
});

const mostPaths = 20;
const loadedPath = repositoryPath(
  z.string("path must be a text").min(1, "path cannot be empty; . is the root of the repository"),
);

/** Contract P 3.3: where the files are; `remoteName`, which Gerrit has, is ignored. */
export const loaderQuery = z
  .object({
    codehostName: filled("codehostName", 64),
    repoName: z.string().max(256, "must have at most 256 characters").default(""),
    repoUUID: z.string().max(256, "must have at most 256 characters").default(""),
    branchName: filled("branchName", 256),
    remoteName: z.string().optional(),
    repoOwner: z.string().max(512, "must have at most 512 characters").default(""),
    namespace: z.string().max(512, "must have at most 512 characters").default(""),
    production: queryBoolean.default(false),
  })
  .refine(({ repoName, repoUUID }) => repoName !== "" || repoUUID !== "", {
    path: ["repoName"],
    message: "is required, or repoUUID",
  })
  .refine(({ repoOwner, namespace }) => repoOwner !== "" || namespace !== "", {
    path: ["repoOwner"],
    message: "is required, or namespace",
  });

export const loaderBody = z.object({
  product_name: filled("product_name", 256),
  service_paths: z
    .array(
      z.object({
        /** Empty: as the file or the folder. */
        service_name: z.union([z.literal(""), serviceNameSchema]).default(""),
        path: loadedPath,
        is_dir: z.boolean("is_dir must be a boolean").default(false),
      }),
    )
    .min(1, "name at least one path")
    .max(mostPaths, `at most ${mostPaths} paths are loaded at once`),
});

export const chartsLoaded = z
  .object({
    successServices: z.array(z.string()),
    failedServices: z.array(z.object({ path: z.string(), error: z.string() })),
  })
  .meta({ id: "ChartsLoaded" });

export const newYaml = z.object({ type: z.literal("k8s", "type must be k8s"), yaml, strict });
export const newVariables = z.object({ service_variable_kvs: keyValList });

const imagePath = z.object({ repo: z.string(), namespace: z.string(), image: z.string(), tag: z.string() });
const container = z.object({ name: z.string(), image: z.string(), image_name: z.string() });

export const serviceItem = z
  .object({
    service_name: z.string(),
    source: z.string(),
    type: z.enum(["k8s", "helm"]),
    containers: z.array(container),
  })
  .meta({ id: "ServiceItem" });

/** Wrapped as the specification samples it, or bare as other servers of this API send it. */
export const testServiceList = z.union([z.object({ service: z.array(serviceItem) }), z.array(serviceItem)]);

export const serviceDetail = z
  .object({
    service_name: z.string(),
    source: z.string(),
    type: z.enum(["k8s", "helm"]),
    chart: z.object({ name: z.string(), version: z.string(), digest: z.string() }).optional(),
    template_name: z.string(),
    created_by: z.string(),
    created_time: z.int(),
    yaml: z.string(),
    containers: z.array(container.extend({ type: z.enum(["", "init"]), image_path: imagePath.nullable() })),
    service_variable_kvs: z.array(keyVal),
    strict: z.boolean(),
    warnings: z.array(warning),
  })
  .meta({ id: "ServiceDetail" });

export const serviceRevision = z
  .object({
    revision: z.int(),
    created_by: z.string(),
    created_time: z.int(),
    source: z.string(),
    images: z.array(z.string()),
  })
  .meta({ id: "ServiceRevision" });

export const revisionList = z.object({ total: z.int(), revisions: z.array(serviceRevision) });

export const serviceLabels = z.array(z.object({ key: z.string(), value: z.string() }));
