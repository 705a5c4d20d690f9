import * as z from "zod";
import { projectKey } from "./schemas.ts";

/** What every creation says of its project (contract P 1.1). */
export const projectFields = {
  project_name: z
    .string("project_name must be a text")
    .trim()
    .min(1, "project_name cannot be empty")
    .max(256, "must have at most 256 characters"),
  project_key: projectKey,
  is_public: z.boolean().default(false),
  description: z.string().max(4096, "must have at most 4096 characters").default(""),
};
