import * as z from "zod";
import { withAliases } from "../../../../shared/base/common/withAliases.ts";
import { envKeySchema } from "../../../../shared/environments/rules/envKeySchema.ts";
import { filled, recordId } from "../../../../shared/http/schemas.ts";
import { namespaceSchema } from "../../../../shared/kube/namespaces.ts";
import { namedOnce, serviceName, subEnvironment } from "../schemas.ts";

const production = z.boolean("production must be a boolean").default(false);

/** Contract P 6.1: here the identifier is `env_name`. */
export const newHelmEnvironment = withAliases(
  z.object({
    env_name: envKeySchema,
    cluster_id: recordId,
    namespace: namespaceSchema,
    registry_id: recordId,
    production,
    alias: z.string().max(128).optional(),
    adopt: z.boolean().optional(),
    sub_env: subEnvironment.optional(),
  }),
  { env_name: ["env_key"] },
);

/** Decisions 11.9. */
export const defaultValues = z.object({
  default_values: z.string("default_values must be a text with YAML").max(1_000_000),
});

const strategies = ["deploy", "import", "draft"] as const;

/** Contract P 6.2. */
export const releases = z.object({
  env_name: z.string().optional(),
  production: z.boolean().optional(),
  services: namedOnce(
    z.object({
      service_name: serviceName,
      values_yaml: z.string("values_yaml must be a text").max(1_000_000).optional(),
      override_kvs: z
        .array(z.object({ key: filled("key", 1024), value: z.json() }))
        .max(1000)
        .optional(),
      import_values_from_git: z.unknown().optional(),
      deploy_strategy: z.enum(strategies, `must be one of ${strategies.join(", ")}`).default("deploy"),
    }),
  ),
});

export const releaseAnswers = z.array(
  z.object({ env_name: z.string(), status: z.string(), err_message: z.string() }).meta({ id: "ReleaseOutcome" }),
);
