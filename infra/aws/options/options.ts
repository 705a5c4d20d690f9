import type { Node } from "constructs";
import * as z from "zod";
import { groups } from "../../../functions/api/groups.ts";
import { readSettings, type Settings } from "./settings.ts";

const ids = (prefix: string) => {
  const error = `must be a list of ids that begin with ${prefix}-`;
  return z.array(z.string().regex(new RegExp(`^${prefix}-[0-9a-f]+$`), { error }), { error }).min(1, { error });
};

/** Where the functions stand. Without it they stand outside of every network, as costs nothing. */
const network = z.union(
  [
    /** A network of the stack's own, whose one NAT gateway has an address that does not change. */
    z.strictObject({ fixedEgress: z.literal(true) }),
    /** A network that is there already. */
    z.strictObject({ subnetIds: ids("subnet"), securityGroupIds: ids("sg") }),
  ],
  'must be {"fixedEgress": true} or {"subnetIds": ["subnet-…"], "securityGroupIds": ["sg-…"]}',
);

/** A name of one's own for the API. */
const domain = z.strictObject({
  name: z
    .string('must be a host name such as "slipway.example.com"')
    .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, "must be a host name such as slipway.example.com"),
  certificateArn: z
    .string("must be the ARN of a certificate in ACM")
    .regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, "must be the ARN of a certificate in ACM"),
  hostedZoneId: z
    .string()
    .regex(/^Z[A-Z0-9]{1,31}$/, "must be the id of a hosted zone in Route 53, such as Z0123456789ABC")
    .optional(),
});

/** Names of repositories as IAM takes them; `*` matches any text, so that repositories made later are meant too. */
const repositoryForm = /^[a-z0-9][a-z0-9._/-]*\*?$/;
const repositoryProblem = 'must be a list of names of ECR repositories, such as ["slipway/*"]';

/** The repositories of this account that a registry without keys pulls from and jobs push to. */
const ecrRepositories = z.array(
  z.string(repositoryProblem).regex(repositoryForm, repositoryProblem),
  repositoryProblem,
);

/** Who is told of alarms; CloudWatch bills each alarm beyond those that every stack has. */
const alarms = z.strictObject({ email: z.email("must be an address for mail, such as ops@example.com") });

/** Calls a second that API Gateway takes from all callers together, and how many at once. */
const throttle = z.strictObject({
  rate: z.int("must be a whole number of calls a second").min(1, "must be at least 1"),
  burst: z.int("must be a whole number of calls").min(1, "must be at least 1").max(5000, "must be at most 5000"),
});

/** What CloudWatch takes, in days. */
const logRetentionDays = z.literal(
  [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
  "must be a number of days that CloudWatch Logs takes: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, …",
);

const tagProblem = "must be an object of texts: names of at most 128 characters that do not begin with aws:";
const tags = z.record(
  z.string().regex(/^(?!aws:)[\p{L}\p{N}\s_.:/=+@-]{1,128}$/iu, tagProblem),
  z.string(tagProblem).max(256, "must have at most 256 characters"),
  tagProblem,
);

const webAclArn = z
  .string("must be the ARN of a regional web ACL")
  .regex(
    /^arn:aws[a-z-]*:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/[\w-]+\/[\w-]+$/,
    "must be the ARN of a web ACL of AWS WAF, of the region of the stack",
  );

const bucketName = z
  .string("must be the name of a bucket in S3")
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be the name of a bucket in S3");

/** Where the records are; what is named exists already and is used as it is. */
const data = z.union(
  [
    /** As installations before had it: in the stack of what runs. */
    z.literal("inside"),
    z
      .strictObject({
        table: z.string().regex(/^[\w.-]{3,255}$/, "must be the name of a table in DynamoDB"),
        bucket: bucketName,
        key: z
          .string()
          .regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, "must be the ARN of a symmetric key in KMS"),
      })
      .partial(),
  ],
  'must be "inside", or an object with some of "table" (a name), "bucket" (a name) and "key" (the ARN of a key in KMS)',
);

/** A second region that has the table, the texts and the key; for what the stack makes itself. */
const replica = z.strictObject({
  region: z
    .string("must be a region of AWS")
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region of AWS, such as eu-west-1"),
  bucket: bucketName,
});

/** Ways into the API from networks; with them there is no other. */
const privateEndpoints = ids("vpce");

const groupNames = groups.map(({ name }) => name);
const provisionedProblem = `must be an object of whole numbers from 1 by groups of endpoints: ${groupNames.join(", ")}`;
/** Executions that are kept ready, by the group of endpoints. */
const provisionedConcurrency = z.partialRecord(
  z.enum(groupNames, provisionedProblem),
  z.int(provisionedProblem).min(1, provisionedProblem),
  provisionedProblem,
);

const changeSockets = z.boolean("must be true or false");

const defaultAddress = z.boolean("must be true, or false for a stack with a domain");

/** Names of functions begin with it, and have at most 64 characters; the longest of ours has 20. */
const stackName = z
  .string("must be a text")
  .regex(/^[A-Za-z][A-Za-z0-9-]{0,39}$/, "must begin with a letter, then letters, digits and hyphens, at most 40");

/** What this installation is called: the name of its stack, and the beginning of names in it. @throws Error */
export function readStackName(node: Node): string {
  return readText(node, "name", stackName) ?? "Slipway";
}

export type Network = z.infer<typeof network>;
export type Domain = z.infer<typeof domain>;
export type AlarmReceiver = z.infer<typeof alarms>;
type ExistingData = Exclude<z.infer<typeof data>, string>;
export type Replica = z.infer<typeof replica>;

/** What is kept in a stack of its own. */
export interface DataBeside {
  existing: ExistingData;
  replica: Replica | undefined;
}
export type Throttle = z.infer<typeof throttle>;

export interface Options {
  settings: Settings;
  network: Network | undefined;
  domain: Domain | undefined;
  ecrRepositories: readonly string[];
  alarms: AlarmReceiver | undefined;
  throttle: Throttle;
  logRetentionDays: number;
  tags: Readonly<Record<string, string>>;
  webAclArn: string | undefined;
  /** Interface endpoints that alone reach the API; undefined: it is open to the internet. */
  privateEndpoints: readonly string[] | undefined;
  provisionedConcurrency: Readonly<Partial<Record<string, number>>>;
  /** Whether API Gateway's own address works beside the domain. */
  defaultAddress: boolean;
  /** Whether there is a WebSocket API, which has an address of API Gateway's own. */
  changeSockets: boolean;
}

/**
 * Where this deployment keeps its records: "inside" the stack of what runs, or in a stack of their own, without what exists
 * already and with a replica in another region where one is chosen.
 * @throws Error
 */
export function readData(node: Node): "inside" | DataBeside {
  const chosen = readOption(node, "replica", replica);
  // A word needs no quotes of JSON on the command line.
  const kept = node.tryGetContext("data") === "inside" ? "inside" : (readOption(node, "data", data) ?? {});
  if (kept !== "inside") {
    const made = Object.keys(kept).length === 0;
    if (chosen === undefined || made) return { existing: kept, replica: chosen };
  }
  if (chosen === undefined) return "inside";
  throw new Error("context cannot be used: replica copies what the stack makes; with data you replicate what is yours");
}

/** A burst that one pipeline cannot reach and that keeps a runaway client from becoming a bill. */
const usualThrottle: Throttle = { rate: 200, burst: 400 };

/** What this deployment chooses: keys of the context (docs/aws.md). @throws Error */
export function readOptions(node: Node): Options {
  if (node.tryGetContext("operationLogDays") !== undefined)
    throw new Error('context "operationLogDays" is now SLIPWAY_OPERATION_LOG_DAYS in context "settings"');
  const chosenDomain = readOption(node, "domain", domain);
  const hasDefaultAddress = readOption(node, "defaultAddress", defaultAddress) ?? true;
  if (!hasDefaultAddress && chosenDomain === undefined)
    throw new Error("context cannot be used: defaultAddress false needs a domain, or nothing reaches the API");
  const chosenEndpoints = readOption(node, "privateEndpoints", privateEndpoints);
  if (chosenEndpoints !== undefined && chosenDomain !== undefined)
    throw new Error(
      "context cannot be used: domain is for an API that the internet reaches, and privateEndpoints close it; leave one of them out",
    );
  const hasSockets = readOption(node, "changeSockets", changeSockets);
  return {
    settings: readSettings(readContext(node, "settings")),
    network: readOption(node, "network", network),
    domain: chosenDomain,
    ecrRepositories: readOption(node, "ecrRepositories", ecrRepositories) ?? ["slipway/*"],
    alarms: readOption(node, "alarms", alarms),
    throttle: readOption(node, "throttle", throttle) ?? usualThrottle,
    logRetentionDays: readOption(node, "logRetentionDays", logRetentionDays) ?? 30,
    tags: readOption(node, "tags", tags) ?? {},
    webAclArn: readText(node, "webAclArn", webAclArn),
    defaultAddress: hasDefaultAddress,
    privateEndpoints: chosenEndpoints,
    provisionedConcurrency: readOption(node, "provisionedConcurrency", provisionedConcurrency) ?? {},
    // A WebSocket API is always open to the internet: an operator who closes the API wants none, unless they say so.
    changeSockets: hasSockets ?? (hasDefaultAddress && chosenEndpoints === undefined),
  };
}

/**
 * A value of the context: from `cdk.json` as it is written there, from `-c key=…` as JSON.
 * @throws Error when a text is no JSON
 */
function readContext(node: Node, key: string): unknown {
  const value: unknown = node.tryGetContext(key);
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`context "${key}" must be JSON, for example -c ${key}='{"…": "…"}'`);
  }
}

/** An option of the stack that is off unless the context has it. @throws Error that names every wrong field */
function readOption<Schema extends z.ZodType>(node: Node, key: string, schema: Schema): z.output<Schema> | undefined {
  return read(key, readContext(node, key), schema);
}

/** The same for an option that is a text, also as typed on the command line. @throws Error that says what is wrong */
function readText(node: Node, key: string, schema: z.ZodString): string | undefined {
  return read(key, node.tryGetContext(key) as unknown, schema);
}

function read<Schema extends z.ZodType>(key: string, value: unknown, schema: Schema): z.output<Schema> | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${[key, ...path].join(".")} ${message}`);
  throw new Error(`context cannot be used: ${problems.join("; ")}`);
}
