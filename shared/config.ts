import * as z from "zod";

const settings = z.object({
  /** Name of the DynamoDB table. */
  SLIPWAY_TABLE: z.string().default("slipway"),
  SLIPWAY_DYNAMODB_ENDPOINT: z.url().optional(),
  /** One endpoint for every other AWS service; unset in AWS. */
  SLIPWAY_AWS_ENDPOINT: z.url().optional(),
  SLIPWAY_BUCKET: z.string().default("slipway"),
  SLIPWAY_KMS_KEY: z.string().default("alias/slipway"),
  SLIPWAY_ENVIRONMENT_CHANGE_ARN: z.string().default(""),
  SLIPWAY_WORKFLOW_TASK_ARN: z.string().default(""),
  SLIPWAY_JOB_ARN: z.string().default(""),
  /** Address of the console, without a slash at the end: links to tasks begin with it. */
  SLIPWAY_CONSOLE_ADDRESS: z.string().default(""),
  /** Stands before the name of every function that is started: in AWS the installation's name. */
  SLIPWAY_FUNCTION_PREFIX: z.string().default(""),
  SLIPWAY_CLUSTER_WATCHER: z.string().default("cluster-watcher"),
  SLIPWAY_RECONCILER_SCHEDULE: z.string().default("slipway-reconciler"),
  SLIPWAY_SWEEP_SCHEDULE: z.string().default("slipway-sweep"),
  /** Where changes of status are published (decisions 7.8). */
  SLIPWAY_EVENT_BUS: z.string().default("slipway"),
  SLIPWAY_SCHEDULE_GROUP: z.string().default("default"),
  /** What schedules of environments invoke, and the role that EventBridge Scheduler takes for it. */
  SLIPWAY_SLEEP_SCHEDULE_ARN: z.string().default(""),
  SLIPWAY_SCHEDULER_ROLE_ARN: z.string().default(""),
  /** Comma list of CIDR ranges and names that user-given addresses may reach (decisions 5.8). */
  SLIPWAY_OUTBOUND_ALLOW: z.string().default(""),
  /** Comma list replacing the cluster-scoped kinds that may be applied (decisions 5.7). */
  SLIPWAY_CLUSTER_SCOPED_KINDS: z.string().optional(),
  /** Longest wait for one service group to become ready, in seconds (decisions 6.2). */
  SLIPWAY_READY_SECONDS: z.coerce.number().int().positive().default(300),
  /** How long a job whose error somebody decides about waits for the decision, in seconds; at most a year, as an execution. */
  SLIPWAY_DECISION_SECONDS: z.coerce
    .number()
    .int()
    .positive()
    .max(365 * 24 * 3600)
    .default(7 * 24 * 3600),
  /** Where the Jobs of job tasks run, on every cluster (decisions 7.4). */
  SLIPWAY_JOBS_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, "must be the name of a namespace: 1 to 63 of a-z 0-9 -")
    .default("slipway-jobs"),
  /** Has git and, for SSH, an ssh client. */
  SLIPWAY_IMAGE_GIT: z.string().min(1).default("alpine/git:v2.47.2"),
  /** Has buildctl-daemonless.sh; with `rootless` the image of that kind. */
  SLIPWAY_IMAGE_BUILDKIT: z.string().min(1).default("moby/buildkit:v0.25.2"),
  /** Has tar, gzip, base64 and curl. */
  SLIPWAY_IMAGE_TOOLS: z.string().min(1).default("curlimages/curl:8.16.0"),
  SLIPWAY_BUILDKIT_MODE: z.enum(["privileged", "rootless"]).default("privileged"),
  /** How long records of the operation log are kept, in days; 0 keeps them for ever. */
  SLIPWAY_OPERATION_LOG_DAYS: z.coerce.number().int().min(0).default(0),
  SLIPWAY_REFERENCE_SHAPES: z.stringbool().default(false),
  /** Name or ARN of the secret that holds the bootstrap secret in AWS; its text on one machine. */
  SLIPWAY_BOOTSTRAP_SECRET_ARN: z.string().optional(),
  SLIPWAY_BOOTSTRAP_SECRET: z.string().optional(),
  /** The identity provider that users may sign in by; without these three there is none. */
  SLIPWAY_OIDC_ISSUER: z.url().optional(),
  SLIPWAY_OIDC_CLIENT_ID: z.string().min(1).optional(),
  /** Where the provider sends the browser back: this installation's address with `/api/v1/sso/callback`. */
  SLIPWAY_OIDC_REDIRECT_URI: z.url().optional(),
  /** Unset for a public client. */
  SLIPWAY_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  SLIPWAY_OIDC_SCOPES: z.string().default("openid profile email"),
  /** The claim that names the groups of a user. */
  SLIPWAY_OIDC_GROUPS_CLAIM: z.string().default("groups"),
  AWS_REGION: z.string().default("us-east-1"),
});

export type Config = z.infer<typeof settings>;

let current: Config | undefined;

/**
 * Settings of this process, read from the environment once.
 * @throws ZodError that names every setting with a wrong value
 */
export function config(): Config {
  current ??= settings.parse(process.env);
  return current;
}

/** Reads the environment again at the next call: for a start that sets variables after modules were loaded. */
export function forgetConfig(): void {
  current = undefined;
}

/**
 * What is made at its first use and kept as long as the settings it was made under: clients, and what they found out.
 * Nothing of it outlives `forgetConfig`.
 */
export function keptWithConfig<T>(make: () => T): () => T {
  let kept: { under: Config; value: T } | undefined;
  return () => {
    const under = config();
    if (kept?.under !== under) kept = { under, value: make() };
    return kept.value;
  };
}

/** Options for every AWS client but DynamoDB's: the endpoint of this machine, or AWS itself. */
export function awsClientOptions(): {
  region: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
} {
  const { SLIPWAY_AWS_ENDPOINT: endpoint, AWS_REGION: region } = config();
  if (endpoint === undefined) return { region };
  return { region, endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } };
}
