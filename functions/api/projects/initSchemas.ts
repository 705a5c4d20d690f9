import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { envKeySchema } from "../../../shared/environments/rules/envKeySchema.ts";
import { keyValueList, textValueList } from "../../../shared/http/keyVal.ts";
import { filled } from "../../../shared/http/schemas.ts";
import { namespaceSchema } from "../../../shared/kube/namespaces.ts";
import { chartServiceNameSchema, serviceNameSchema } from "../../../shared/projects/services/rules/names.ts";
import { projectFields } from "./schemas.ts";

const sources = ["template", "yaml"] as const;
const maxServices = 200;
/** Environments are accepted one after another within the time of one request. */
const maxEnvironments = 20;
/** Helm renders each service once, and again for each environment, within the time of one request. */
const maxRenderings = 100;

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

/** Contract P 1.3. */
const sentChart = z.object({
  service_name: chartServiceNameSchema,
  source: z.literal("template", "source of a service of a Helm project can only be template"),
  template_name: filled("template_name"),
  values_yaml: z.string("values_yaml must be a text").max(1_000_000).default(""),
  variable_yaml: textValueList.default([]),
  auto_sync: z.boolean("auto_sync must be a boolean").default(false),
});

/** The field table of the specification calls the cluster `cluster`, its sample `cluster_name`. */
const sentEnvironment = withAliases(
  z.object({ env_key: envKeySchema, cluster_name: filled("cluster_name", 64), namespace: z.string().default("") }),
  { cluster_name: ["cluster"] },
);

const common = {
  ...projectFields,
  env_list: z.array(sentEnvironment).max(maxEnvironments, `must have at most ${maxEnvironments} environments`),
};

const filledList = <Service extends z.ZodType>(service: Service) =>
  z
    .array(service)
    .min(1, "initializing a project with no services is not allowed")
    .max(maxServices, `must have at most ${maxServices} services`);

/** Contract P 1.2. */
export const newYamlProject = z
  .object({
    ...common,
    project_type: z.literal("yaml", "must be yaml").default("yaml"),
    service_list: filledList(sentService),
  })
  .transform(withNamespaces)
  .superRefine(refuseRepeated);

/** Contract P 1.3. */
export const newHelmProject = z
  .object({
    ...common,
    project_type: z.literal("helm", "must be helm").default("helm"),
    service_list: filledList(sentChart),
  })
  .transform(withNamespaces)
  .superRefine(refuseRepeated)
  .superRefine(({ service_list, env_list }, context) => {
    const renderings = service_list.length * (1 + env_list.length);
    if (renderings <= maxRenderings) return;
    const message = `Helm would render ${renderings} times, for each service and again for each environment; one request may ask for ${maxRenderings}: name fewer here and add the rest afterwards`;
    context.addIssue({ code: "custom", path: ["service_list"], message });
  });

interface SentProject {
  project_key: string;
  service_list: readonly { service_name: string }[];
  env_list: readonly z.output<typeof sentEnvironment>[];
}

/** An empty namespace becomes `<project_key>-env-<env_key>`. */
function withNamespaces<Sent extends SentProject>(project: Sent) {
  const env_list = project.env_list.map(({ namespace, ...environment }) => ({
    ...environment,
    namespace: namespace === "" ? `${project.project_key}-env-${environment.env_key}` : namespace,
  }));
  return { ...project, env_list };
}

function refuseRepeated({ service_list, env_list }: SentProject, context: z.RefinementCtx): void {
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
  repeated("env_list", "namespace", places, "another environment of the list has the same services in this namespace");
  for (const [position, { namespace }] of env_list.entries()) {
    const { error } = namespaceSchema.safeParse(namespace);
    for (const issue of error?.issues ?? []) refuse(["env_list", position, "namespace"], issue.message);
  }
}
