import * as z from "zod";
import { timeZoneProblem } from "../common/schedule/timeZone.ts";

/** The key of a project follows, or part of it with a digest: 63 characters in all. */
const jobsNamespace = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;

const address = z.url({ protocol: /^https?$/, error: "must be an address such as https://slipway.example.com" });
const image = z.string().regex(/^\S+$/, "must be the name of an image, without white space");
const wholeNumber = (what: string, least: number) => {
  const error = `must be a whole number of ${what}, ${least} or more`;
  return z.coerce.number({ error }).int({ error }).min(least, { error });
};

/** What the operator of an installation may choose, on one machine and in AWS alike; docs/settings.md explains each. */
export const operatorSettings = z.object({
  /** Address of the console, without a slash at the end: links to tasks begin with it. Empty: they are relative. */
  SLIPWAY_CONSOLE_ADDRESS: address.transform((text) => text.replace(/\/+$/, "")).default(""),
  /** Comma list of CIDR ranges and names that user-given addresses may reach beside public ones. */
  SLIPWAY_OUTBOUND_ALLOW: z.string().default(""),
  /** Comma list replacing the cluster-scoped kinds that may be applied. */
  SLIPWAY_CLUSTER_SCOPED_KINDS: z.string().optional(),
  /** Longest wait for one service group to become ready, in seconds. */
  SLIPWAY_READY_SECONDS: wholeNumber("seconds", 1).default(300),
  /** How long a job whose error a user decides about waits for that, in seconds; at most a year, as an execution. */
  SLIPWAY_DECISION_SECONDS: wholeNumber("seconds", 1)
    .max(365 * 24 * 3600, "must be at most one year: 31536000 seconds")
    .default(7 * 24 * 3600),
  /** What the namespaces begin with in which Jobs of job tasks run, on every cluster: one for each project. */
  SLIPWAY_JOBS_NAMESPACE: z
    .string()
    .regex(jobsNamespace, "must be the beginning of names of namespaces: 1 to 40 of a-z 0-9 -")
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
  /** Where days of statistics begin and end. */
  SLIPWAY_TIME_ZONE: z
    .string()
    .superRefine((name, context) => {
      const message = timeZoneProblem(name);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .default("UTC"),
  /** The Helm 4 program that deploys charts; in AWS that of the layer. */
  SLIPWAY_HELM: z.string().min(1, "must be the path of a Helm 4 program").optional(),
  SLIPWAY_REFERENCE_SHAPES: z.stringbool({ error: "must be true or false" }).default(false),
  /** The identity provider that users may sign in by; without these three there is none. */
  SLIPWAY_OIDC_ISSUER: address.optional(),
  SLIPWAY_OIDC_CLIENT_ID: z.string().min(1, "must be the id of this installation at the provider").optional(),
  /** Where the provider sends the browser back. */
  SLIPWAY_OIDC_REDIRECT_URI: address.optional(),
  SLIPWAY_OIDC_SCOPES: z.string().default("openid profile email"),
  /** The claim that names the groups of a user. */
  SLIPWAY_OIDC_GROUPS_CLAIM: z.string().min(1, "must be the name of a claim").default("groups"),
});
