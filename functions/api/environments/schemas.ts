import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { configTypes } from "../../../shared/environments/rules/configObject.ts";
import { envKeySchema } from "../../../shared/environments/rules/envKeySchema.ts";
import { filled, plainName, queryBoolean, recordId } from "../../../shared/http/schemas.ts";
import { cutMark } from "../../../shared/http/stream/cutMark.ts";
import { namespaceSchema } from "../../../shared/kube/namespaces.ts";
import { sourceDetail } from "./configs/configSource.ts";

const variableType = z.enum(["bool", "string", "enum", "yaml"]);

/** KeyVal in answers: all five keys, always (contract P 0.18). */
const keyVal = {
  key: z.string(),
  value: z.json(),
  type: variableType,
  options: z.array(z.string()),
  desc: z.string(),
};

const imagePath = z
  .object({ repo: z.string(), namespace: z.string(), image: z.string(), tag: z.string() })
  .meta({ id: "ImagePath" });

const container = z
  .object({
    name: z.string(),
    type: z.enum(["", "init"]),
    image: z.string(),
    image_name: z.string(),
    image_path: imagePath.nullable(),
  })
  .meta({ id: "EnvironmentContainer" });

export const environmentItem = z
  .object({
    env_key: z.string(),
    env_name: z.string(),
    envName: z.string().optional(),
    cluster_id: z.string(),
    namespace: z.string(),
    production: z.boolean(),
    registry_id: z.string(),
    status: z.string(),
    update_by: z.string(),
    update_time: z.int(),
  })
  .meta({ id: "EnvironmentItem" });

const testRun = z
  .object({
    status: z.enum(["running", "passed", "failed"]),
    version: z.int().meta({ description: "The version of the service that was tested; 0 while it runs" }),
    tested_by: z.string(),
    started_at: z.int(),
    ended_at: z.int().meta({ description: "0 while it runs" }),
    error: z.string().meta({ description: "Why the tests could not be run to their end; empty otherwise" }),
    tests: z.array(
      z.object({
        kind: z.string(),
        name: z.string(),
        status: z.enum(["passed", "failed", "skipped"]),
        message: z.string().meta({ description: "Why it failed; empty otherwise" }),
        started_at: z.int(),
        ended_at: z.int(),
      }),
    ),
  })
  .meta({ id: "ReleaseTestRun", description: "How the tests of a chart's release went the last time" });

export const environmentDetail = z
  .object({
    project_key: z.string(),
    env_key: z.string(),
    env_name: z.string(),
    update_by: z.string(),
    update_time: z.int(),
    cluster_id: z.string(),
    namespace: z.string(),
    registry_id: z.string(),
    global_variables: z.array(z.object({ ...keyVal, related_services: z.array(z.string()) })),
    services: z.array(
      z.object({
        service_name: z.string(),
        type: z.enum(["k8s", "helm", "helm_chart"]),
        rolled_back: z.object({ revision: z.int(), from: z.int(), at: z.int() }).optional().meta({
          description: "The version that a rollback went to and the one it left, while the service stands there",
        }),
        status: z.string(),
        containers: z.array(container),
        variable_kvs: z.array(z.object({ ...keyVal, use_global_variable: z.boolean() })),
        chart: z.object({ name: z.string(), version: z.string() }).optional(),
        test: testRun.optional(),
        deploy_strategy: z.enum(["deploy", "import", "draft"]),
        error: z.string(),
      }),
    ),
    status: z.string(),
    stored_status: z.string(),
    error: z.string(),
    ...cutMark,
  })
  .meta({ id: "EnvironmentDetail" });

const sentVariable = z.object({
  key: filled("key", 256),
  value: z.json(),
  use_global_variable: z.boolean().optional(),
});

/** One list names a key once (contract P 20). */
function keyedOnce<S extends z.ZodType<{ key: string }>>(variable: S) {
  return z
    .array(variable)
    .max(1000)
    .superRefine((variables, context) => {
      const seen = new Set<string>();
      for (const [position, { key }] of variables.entries()) {
        if (seen.has(key))
          context.addIssue({ code: "custom", path: [position, "key"], message: `duplicated key: ${key}` });
        seen.add(key);
      }
    });
}

export const sentVariables = keyedOnce(sentVariable);
export const sentGlobals = keyedOnce(
  sentVariable.extend({ related_services: z.array(z.string()).max(200).optional() }),
);

export const serviceName = plainName(63);
const maxServices = 1000;

/** A list names a service once. */
export function namedOnce<T extends z.ZodType<{ service_name: string }>>(item: T) {
  return z
    .array(item)
    .max(maxServices, `must hold at most ${maxServices} services`)
    .superRefine((services, context) => {
      const seen = new Set<string>();
      for (const [position, { service_name }] of services.entries()) {
        if (seen.has(service_name))
          context.addIssue({
            code: "custom",
            path: [position, "service_name"],
            message: `${service_name} stands twice in the list`,
          });
        seen.add(service_name);
      }
    });
}

const newService = z.object({
  service_name: serviceName,
  type: z.string().optional(),
  containers: z
    .array(z.object({ name: filled("name"), image: filled("image"), image_name: z.string().optional() }))
    .optional(),
  variable_kvs: sentVariables.optional(),
});

const adopt = z
  .boolean()
  .optional()
  .meta({ description: "true: objects that stand there already are taken over, and kubectl's fields with them" });
const reset = z
  .boolean()
  .optional()
  .meta({ description: "true: fields that people and tools added to the objects are removed" });

const delete_crds = {
  description:
    "true: a definition of a kind that goes takes objects of others along; otherwise it stays, with a warning",
};

export const subEnvironment = z.object({ enable: z.boolean(), base_env: z.string().default("") });

const common = {
  env_key: envKeySchema,
  namespace: namespaceSchema,
  registry_id: z.union([recordId, z.literal("")]).optional(),
  cluster_id: recordId.optional(),
  cluster_name: z.string().optional(),
  adopt,
  sub_env: z.union([subEnvironment, z.array(subEnvironment)]).optional(),
};

const oneCluster = (body: { cluster_id?: string | undefined; cluster_name?: string | undefined }): boolean =>
  body.cluster_id !== undefined || (body.cluster_name !== undefined && body.cluster_name !== "");
const clusterRequired = { path: ["cluster_id"], message: "cluster_id is required" };

export const newTestEnvironment = withAliases(
  z
    .object({
      ...common,
      env_configs: z
        .array(
          z.object({
            yaml_data: filled("yaml_data", 1_000_000),
            common_env_cfg_type: z.enum(configTypes),
            name: z.string().optional(),
            auto_sync: z.boolean().optional().meta({ description: "true: it follows the file of source_detail" }),
            source_detail: sourceDetail.nullish(),
            /** Older clients send the two parts of `source_detail` by themselves. */
            ...sourceDetail.shape,
          }),
        )
        .max(100)
        .optional(),
      global_variables: sentVariables.optional(),
      services: namedOnce(newService).optional(),
    })
    .refine(oneCluster, clusterRequired),
  { env_key: ["env_name"] },
);

export const newProductionEnvironment = z
  .object({ ...common, env_name: z.string().max(128).optional() })
  .refine(oneCluster, clusterRequired);

const changedServices = namedOnce(
  withAliases(z.object({ service_name: serviceName, variable_kvs: sentVariables.optional() }), {
    variable_kvs: ["variables"],
  }),
);

const inEnvironment = { env_key: envKeySchema, service_list: changedServices };
const aliases: { env_key: string[]; service_list: string[] } = { env_key: ["env_name"], service_list: ["services"] };

export const addedServices = withAliases(z.object({ ...inEnvironment, adopt }), aliases);
export const serviceList = withAliases(
  z.object({ ...inEnvironment, reset, delete_crds: z.boolean().optional().meta(delete_crds) }),
  aliases,
);

export const serviceListOnly = withAliases(
  z.object({ service_list: changedServices, reset, delete_crds: z.boolean().optional().meta(delete_crds) }),
  { service_list: ["services"] },
);

/** The body may be missing where a gateway dropped it; the query says the same then (contract P 5.5). */
export const removedServices = withAliases(
  z.object({
    env_key: z.string().optional(),
    service_names: z.array(serviceName).max(maxServices).optional(),
    not_delete_resource: z.boolean().default(false),
    delete_crds: z.boolean().optional().meta(delete_crds),
  }),
  { env_key: ["env_name"] },
).optional();

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

export const removedServicesQuery = {
  env_name: z.string().optional(),
  service_name: oneOrMore.optional(),
  delete_crds: queryBoolean.optional().meta(delete_crds),
};

export const projectQuery = { projectKey: z.string().meta({ description: "Project key" }) };
export const envParams = z.object({ envName: z.string() });
export const deleteQuery = z.object({
  ...projectQuery,
  isDelete: queryBoolean.default(false),
  delete_crds: queryBoolean.optional().meta(delete_crds),
});

const namedImage = z.object({ name: z.string(), image: z.string(), image_name: z.string() });
const labels = z.record(z.string(), z.string());

const pod = z.object({
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  age: z.string(),
  createtime: z.int(),
  ip: z.string(),
  labels,
  containers: z.array(
    z.object({
      name: z.string(),
      image: z.string(),
      restart_count: z.int(),
      status: z.string(),
      ready: z.boolean(),
      ports: z.array(
        z.object({
          containerPort: z.int(),
          protocol: z.string().default("TCP"),
          name: z.string().optional(),
          hostPort: z.int().optional(),
          hostIP: z.string().optional(),
        }),
      ),
      message: z.string(),
      reason: z.string(),
      started_at: z.int(),
      finished_at: z.int().optional(),
    }),
  ),
  node_name: z.string(),
  host_ip: z.string(),
  enable_debug_container: z.boolean(),
  pod_ready: z.boolean(),
  containers_ready: z.boolean(),
  containers_message: z.string(),
  /** The sandbox cluster shows pods without running anything. */
  played: z.boolean().optional(),
});

/** Instance detail (contract P 5.1). */
export const instanceDetail = z
  .object({
    service_name: z.string(),
    namespace: z.string(),
    env_name: z.string(),
    product_name: z.string(),
    group_name: z.string(),
    scales: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        images: z.array(namedImage),
        pods: z.array(pod),
        replicas: z.int(),
        vendor_release_type: z.string(),
        vendor_release_tag: z.string(),
        zadigx_release_type: z.string(),
        zadigx_release_tag: z.string(),
      }),
    ),
    ingress: z.array(
      z.object({
        name: z.string(),
        labels,
        host_info: z.array(
          z.object({
            host: z.string(),
            backend: z.array(
              z.object({ path: z.string(), path_type: z.string(), service_name: z.string(), service_port: z.string() }),
            ),
          }),
        ),
        ips: z.array(z.string()),
        age: z.string(),
      }),
    ),
    service_endpoints: z.array(
      z.object({
        name: z.string(),
        age: z.string(),
        labels,
        endpoints: z.array(z.object({ service_name: z.string(), service_port: z.int(), node_port: z.int() })),
      }),
    ),
    cron_jobs: z.array(
      z.object({
        name: z.string(),
        labels,
        images: z.array(namedImage),
        pods: z.array(pod),
        create_time: z.int(),
        suspend: z.boolean(),
        schedule: z.string(),
        last_schedule: z.string(),
        active: z.int(),
      }),
    ),
    problems: z.array(
      z.object({ kind: z.string(), name: z.string(), reason: z.string(), message: z.string(), since: z.int() }),
    ),
    test: testRun.optional(),
  })
  .meta({ id: "ServiceInstance" });
