import * as z from "zod";

/** Contract P 20. */
const environmentName = /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/;

/** Path segments that an environment would hide (decisions 2, last paragraph). */
const reserved = ["production", "envcfgs", "service", "services", "helm", "kube", "image", "scale"];

export const envKeySchema = z
  .string()
  .regex(
    environmentName,
    "environment name must have 1 to 50 lowercase letters, digits and hyphens, and begin and end with a letter or digit",
  )
  .refine((name) => !reserved.includes(name), "environment name is reserved, choose another one");
