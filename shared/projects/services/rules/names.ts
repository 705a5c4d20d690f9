import * as z from "zod";

/** Contract P 20; becomes a label value, so it begins and ends with a letter or digit. */
const serviceName = /^[a-zA-Z0-9]([a-zA-Z0-9_-]*[a-zA-Z0-9])?$/;

/** Path segments that a service would hide (decisions 2, last paragraph); the same for both kinds. */
const reserved = ["services", "production", "raw"];

export const serviceNameSchema = z
  .string()
  .min(1, "service_name cannot be empty")
  .max(63, "service name must have at most 63 characters")
  .regex(
    serviceName,
    "service name must have only letters, digits, hyphens and underscores, and begin and end with a letter or digit",
  )
  .refine((name) => !reserved.includes(name), "service name is reserved, choose another one");

/** Of a chart, whose release has its name (decisions 11.8). */
export const chartServiceNameSchema = z
  .string("service_name must be a text")
  .regex(
    /^[a-z]([a-z0-9-]{0,51}[a-z0-9])?$/,
    "service name must have 1 to 53 of a-z 0-9 -, begin with a letter and not end with a hyphen",
  );

/** Of services made from a template, whose objects mostly carry the service's name (contract P 3.1 and 20). */
export const lowerServiceNameSchema = serviceNameSchema.refine(
  (name) => name === name.toLowerCase(),
  "service name should be lowercase",
);
