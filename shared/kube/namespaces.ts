import * as z from "zod";

const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Decisions 5.7: never a target, for either kind of environment. */
export const forbiddenNamespaces = ["kube-system", "kube-public", "kube-node-lease", "slipway-jobs"];

export const namespaceSchema = z
  .string()
  .regex(namespaceName, "namespace must be a DNS label: 1 to 63 lowercase letters, digits and hyphens")
  .refine(
    (name) => !forbiddenNamespaces.includes(name),
    "namespace belongs to the system and cannot hold an environment",
  );
