import * as z from "zod";
import { operatorSettings } from "./operatorSettings.ts";

const settings = operatorSettings.extend({
  /** Name of the DynamoDB table. */
  SLIPWAY_TABLE: z.string().default("slipway"),
  SLIPWAY_DYNAMODB_ENDPOINT: z.url().optional(),
  SLIPWAY_BUCKET: z.string().default("slipway"),
  SLIPWAY_KMS_KEY: z.string().default("alias/slipway"),
  SLIPWAY_ENVIRONMENT_CHANGE_ARN: z.string().default(""),
  SLIPWAY_WORKFLOW_TASK_ARN: z.string().default(""),
  SLIPWAY_JOB_ARN: z.string().default(""),
  SLIPWAY_RELEASE_PLAN_ARN: z.string().default(""),
  SLIPWAY_DELIVERY_VERSION_ARN: z.string().default(""),
  /** After so many seconds a function that copies images hands over to its successor (decisions 14.1). */
  SLIPWAY_COPY_SECONDS: z.coerce.number().int().min(1).default(720),
  /** Images are given up so many seconds after the last confirmed blob or chunk, and after so many altogether (decisions 14.3). */
  SLIPWAY_COPY_STALL_SECONDS: z.coerce.number().int().min(1).default(3600),
  SLIPWAY_COPY_WHOLE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(6 * 3600),
  /** Precedes the name of every function that is started: in AWS the installation's name. */
  SLIPWAY_FUNCTION_PREFIX: z.string().default(""),
  SLIPWAY_CLUSTER_WATCHER: z.string().default("cluster-watcher"),
  SLIPWAY_RECONCILER_SCHEDULE: z.string().default("slipway-reconciler"),
  SLIPWAY_SWEEP_SCHEDULE: z.string().default("slipway-sweep"),
  /** Where changes of status are published (decisions 7.8). */
  SLIPWAY_EVENT_BUS: z.string().default("slipway"),
  SLIPWAY_SCHEDULE_GROUP: z.string().default("default"),
  /** What schedules of environments invoke, and the role that EventBridge Scheduler takes for it. */
  SLIPWAY_SLEEP_SCHEDULE_ARN: z.string().default(""),
  /** What the times of release plans invoke. */
  SLIPWAY_PLAN_FOLLOWER_ARN: z.string().default(""),
  /** What looks at approvals of tasks at chat services. */
  SLIPWAY_APPROVAL_FOLLOWER_ARN: z.string().default(""),
  /** What the times of crons invoke. */
  SLIPWAY_TRIGGER_STARTER_ARN: z.string().default(""),
  SLIPWAY_SCHEDULER_ROLE_ARN: z.string().default(""),
  /** Queue for what a schedule cannot hand over; without it such an event is dropped. */
  SLIPWAY_FAILED_EVENTS_ARN: z.string().optional(),
  /** When a stream of events ends and its client has to come again, in seconds, a multiple of 15; 0: when its client leaves. */
  SLIPWAY_STREAM_SECONDS: z.coerce.number().int().min(0).default(0),
  /** How many of them may be open at once; 0: any number. */
  SLIPWAY_OPEN_STREAMS: z.coerce.number().int().min(0).default(0),
  /** Where clients open a change socket: `wss://…` in AWS, the path on one machine; empty: there is none. */
  SLIPWAY_SOCKET_ADDRESS: z.string().default(""),
  /** Where API Gateway takes what is sent to connections. */
  SLIPWAY_SOCKET_CONNECTIONS: z.string().default(""),
  /** Name or ARN of the secret that holds the bootstrap secret in AWS; its text on one machine. */
  SLIPWAY_BOOTSTRAP_SECRET_ARN: z.string().optional(),
  SLIPWAY_BOOTSTRAP_SECRET: z.string().optional(),
  /** The secret of this installation at the identity provider, in AWS the name of the secret that holds it; a public client has none. */
  SLIPWAY_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  SLIPWAY_OIDC_CLIENT_SECRET_NAME: z.string().min(1).optional(),
  /** What metrics in the log are told apart by; without it the log carries none (docs/decisions/0149). */
  SLIPWAY_METRICS_INSTALLATION: z.string().min(1).optional(),
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
export function removeConfig(): void {
  current = undefined;
}

/**
 * What is made at its first use and kept as long as the settings it was made under: clients, and what they found out.
 * Nothing of it outlives `removeConfig`.
 */
export function keptWithConfig<T>(make: () => T): () => T {
  let kept: { under: Config; value: T } | undefined;
  return () => {
    const under = config();
    if (kept?.under !== under) kept = { under, value: make() };
    return kept.value;
  };
}

/** Settings of every client of AWS; the SDK itself reads AWS_ENDPOINT_URL, where a test plays AWS. */
export function awsRegion(): { region: string } {
  return { region: config().AWS_REGION };
}
