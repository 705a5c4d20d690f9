import * as z from "zod";

/** Contract P 20. */
const environmentName = /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/;
const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Path segments that an environment would hide (decisions 2, last paragraph). */
const reserved = ["production", "envcfgs", "service", "services", "helm", "kube", "image", "scale"];

/** Decisions 5.7: never a target, for either kind of environment. */
export const forbiddenNamespaces = ["kube-system", "kube-public", "kube-node-lease", "slipway-jobs"];

export const envKeySchema = z
  .string()
  .regex(
    environmentName,
    "environment name must have 1 to 50 lowercase letters, digits and hyphens, and begin and end with a letter or digit",
  )
  .refine((name) => !reserved.includes(name), "environment name is reserved, choose another one");

export const namespaceSchema = z
  .string()
  .regex(namespaceName, "namespace must be a DNS label: 1 to 63 lowercase letters, digits and hyphens")
  .refine(
    (name) => !forbiddenNamespaces.includes(name),
    "namespace belongs to the system and cannot hold an environment",
  );
