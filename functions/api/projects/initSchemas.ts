import * as z from "zod";
import { envKeySchema } from "../../../shared/environments/rules/envKeySchema.ts";
import { keyValueList } from "../../../shared/http/keyVal.ts";
import { filled } from "../../../shared/http/schemas.ts";
import { namespaceSchema } from "../../../shared/kube/namespaces.ts";
import { serviceNameSchema } from "../../../shared/services/rules/names.ts";
import { withAliases } from "../../../shared/values/withAliases.ts";
import { projectFields } from "./schemas.ts";

const sources = ["template", "yaml"] as const;
const maxServices = 200;
/** Environments are accepted one after another within the time of one request. */
const maxEnvironments = 20;

const sentService = z
  .object({
    service_name: serviceNameSchema,
    source: z.enum(sources, "source of a service can only be of template or yaml"),
    template_name: z.string().default(""),
    yaml: z.string().default(""),
    variable_yaml: keyValueList.default([]),
    auto_sync: z.boolean().default(false),
  })
  .superRefine(({ service_name, source, template_name, yaml }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (source === "yaml" && yaml === "") refuse("yaml", "yaml cannot be empty when the service source is yaml");
    if (source === "template" && template_name === "")
      refuse("template_name", "template_name cannot be empty when the service source is template");
    if (source === "template" && service_name !== service_name.toLowerCase())
      refuse("service_name", "service name should be lowercase");
  });

/** The field table of the specification calls the cluster `cluster`, its sample `cluster_name`. */
const sentEnvironment = withAliases(
  z.object({ env_key: envKeySchema, cluster_name: filled("cluster_name", 64), namespace: z.string().default("") }),
  { cluster_name: ["cluster"] },
);

/** Contract P 1.2. An empty namespace becomes `<project_key>-env-<env_key>`. */
export const newYamlProject = z
  .object({
    ...projectFields,
    project_type: z.literal("yaml", "must be yaml").default("yaml"),
    service_list: z
      .array(sentService)
      .min(1, "initializing a project with no services is not allowed")
      .max(maxServices, `must have at most ${maxServices} services`),
    env_list: z.array(sentEnvironment).max(maxEnvironments, `must have at most ${maxEnvironments} environments`),
  })
  .transform(({ env_list, ...project }) => ({
    ...project,
    env_list: env_list.map(({ namespace, ...environment }) => ({
      ...environment,
      namespace: namespace === "" ? `${project.project_key}-env-${environment.env_key}` : namespace,
    })),
  }))
  .superRefine(({ service_list, env_list }, context) => {
    const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
    const repeated = (list: string, field: string, values: readonly string[], message: string) => {
      for (const [position, value] of values.entries())
        if (values.indexOf(value) < position) refuse([list, position, field], message);
    };
    const names = service_list.map((service) => service.service_name);
    const keys = env_list.map((environment) => environment.env_key);
    const places = env_list.map(({ cluster_name, namespace }) => JSON.stringify([cluster_name, namespace]));
    repeated("service_list", "service_name", names, "another service of the list has this name");
    repeated("env_list", "env_key", keys, "another environment of the list has this name");
    repeated(
      "env_list",
      "namespace",
      places,
      "another environment of the list has the same services in this namespace",
    );
    for (const [position, { namespace }] of env_list.entries()) {
      const { error } = namespaceSchema.safeParse(namespace);
      for (const issue of error?.issues ?? []) refuse(["env_list", position, "namespace"], issue.message);
    }
  });
