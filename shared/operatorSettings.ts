import * as z from "zod";
import { parseOutboundPolicy } from "./clients/outbound/outboundPolicy.ts";

const callbackPath = "/api/v1/sso/callback";
const namespace = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const kinds = /^\s*([A-Z][A-Za-z0-9]*\s*(,\s*[A-Z][A-Za-z0-9]*\s*)*)?$/;

const address = z.url({ protocol: /^https?$/, error: "must be an address such as https://slipway.example.com" });
const image = z.string().regex(/^\S+$/, "must be the name of an image, without white space");
const wholeNumber = (what: string, least: number) => {
  const error = `must be a whole number of ${what}, ${least} or more`;
  return z.coerce.number({ error }).int({ error }).min(least, { error });
};

/** What whoever runs an installation may choose, on one machine and in AWS alike; the README explains each. */
export const operatorSettings = z.object({
  /** Address of the console, without a slash at the end: links to tasks begin with it. Empty: they are relative. */
  SLIPWAY_CONSOLE_ADDRESS: address.transform((text) => text.replace(/\/+$/, "")).default(""),
  /** Comma list of CIDR ranges and names that user-given addresses may reach beside public ones. */
  SLIPWAY_OUTBOUND_ALLOW: z
    .string()
    .superRefine((text, context) => {
      try {
        parseOutboundPolicy(text);
      } catch (error) {
        context.addIssue(error instanceof Error ? error.message : String(error));
      }
    })
    .default(""),
  /** Comma list replacing the cluster-scoped kinds that may be applied. */
  SLIPWAY_CLUSTER_SCOPED_KINDS: z
    .string()
    .regex(kinds, "must be a comma list of kinds such as ClusterRole,StorageClass")
    .optional(),
  /** Longest wait for one service group to become ready, in seconds. */
  SLIPWAY_READY_SECONDS: wholeNumber("seconds", 1).default(300),
  /** How long a job whose error somebody decides about waits for the decision, in seconds; at most a year, as an execution. */
  SLIPWAY_DECISION_SECONDS: wholeNumber("seconds", 1)
    .max(365 * 24 * 3600, "must be a year at most: 31536000 seconds")
    .default(7 * 24 * 3600),
  /** Where the Jobs of job tasks run, on every cluster. */
  SLIPWAY_JOBS_NAMESPACE: z
    .string()
    .regex(namespace, "must be the name of a namespace: 1 to 63 of a-z 0-9 -")
    .default("slipway-jobs"),
  /** Has git and, for SSH, an ssh client. */
  SLIPWAY_IMAGE_GIT: image.default("alpine/git:v2.47.2"),
  /** Has buildctl-daemonless.sh; with `rootless` the image of that kind. */
  SLIPWAY_IMAGE_BUILDKIT: image.default("moby/buildkit:v0.25.2"),
  /** Has tar, gzip, base64 and curl. */
  SLIPWAY_IMAGE_TOOLS: image.default("curlimages/curl:8.16.0"),
  SLIPWAY_BUILDKIT_MODE: z
    .enum(["privileged", "rootless"], { error: "must be privileged or rootless" })
    .default("privileged"),
  /** How long records of the operation log are kept, in days; 0 keeps them for ever. */
  SLIPWAY_OPERATION_LOG_DAYS: wholeNumber("days", 0).default(0),
  SLIPWAY_REFERENCE_SHAPES: z.stringbool({ error: "must be true or false" }).default(false),
  /** The identity provider that users may sign in by; without these three there is none. */
  SLIPWAY_OIDC_ISSUER: address.optional(),
  SLIPWAY_OIDC_CLIENT_ID: z.string().min(1, "must be the id of this installation at the provider").optional(),
  /** Where the provider sends the browser back. */
  SLIPWAY_OIDC_REDIRECT_URI: address
    .refine((text) => text.endsWith(callbackPath), `must end in ${callbackPath}`)
    .optional(),
  SLIPWAY_OIDC_SCOPES: z
    .string()
    .regex(/(^|\s)openid(\s|$)/, "must name the scope openid")
    .default("openid profile email"),
  /** The claim that names the groups of a user. */
  SLIPWAY_OIDC_GROUPS_CLAIM: z.string().min(1, "must be the name of a claim").default("groups"),
});

const provider = ["SLIPWAY_OIDC_ISSUER", "SLIPWAY_OIDC_CLIENT_ID", "SLIPWAY_OIDC_REDIRECT_URI"] as const;

/** Why settings, each right by itself, do not fit together, as `NAME what would be right`; none when they do. */
export function mismatchedSettings(given: z.output<typeof operatorSettings>): string[] {
  const missing = provider.filter((name) => given[name] === undefined);
  if (missing.length === 0 || missing.length === provider.length) return [];
  return missing.map((name) => `${name} is required beside the other settings of the identity provider`);
}
