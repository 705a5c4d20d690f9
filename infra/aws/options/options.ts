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

export type Network = z.infer<typeof network>;
export type Domain = z.infer<typeof domain>;

export interface Options {
  settings: Settings;
  network: Network | undefined;
  domain: Domain | undefined;
}

/** What this deployment chooses: the keys `settings`, `network` and `domain` of the context (docs/aws.md). @throws Error */
export function readOptions(node: Node): Options {
  if (node.tryGetContext("operationLogDays") !== undefined)
    throw new Error('context "operationLogDays" is now SLIPWAY_OPERATION_LOG_DAYS in context "settings"');
  return {
    settings: readSettings(readContext(node, "settings")),
    network: readOption(node, "network", network),
    domain: readOption(node, "domain", domain),
  };
}
