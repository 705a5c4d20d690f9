import type { Node } from "constructs";
import * as z from "zod";
import { readContext, readOption } from "./readContext.ts";
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

/** Names of repositories as IAM takes them; `*` stands for any text, so that what is made later is meant too. */
const repositoryForm = /^[a-z0-9][a-z0-9._/-]*\*?$/;
const repositoryProblem = 'must be a list of names of ECR repositories, such as ["slipway/*"]';

/** The repositories of this account that a registry without keys pulls from and jobs push to. */
const ecrRepositories = z.array(
  z.string(repositoryProblem).regex(repositoryForm, repositoryProblem),
  repositoryProblem,
);

export type Network = z.infer<typeof network>;
export type Domain = z.infer<typeof domain>;

export interface Options {
  settings: Settings;
  network: Network | undefined;
  domain: Domain | undefined;
  ecrRepositories: readonly string[];
}

/** What this deployment chooses: keys of the context (docs/aws.md). @throws Error */
export function readOptions(node: Node): Options {
  if (node.tryGetContext("operationLogDays") !== undefined)
    throw new Error('context "operationLogDays" is now SLIPWAY_OPERATION_LOG_DAYS in context "settings"');
  return {
    settings: readSettings(readContext(node, "settings")),
    network: readOption(node, "network", network),
    domain: readOption(node, "domain", domain),
    ecrRepositories: readOption(node, "ecrRepositories", ecrRepositories) ?? ["slipway/*"],
  };
}
