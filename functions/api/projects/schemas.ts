import * as z from "zod";
import { keyVal, keyValList } from "../../../shared/http/keyVal.ts";
import { filled, projectKey, readableName } from "../../../shared/http/schemas.ts";

const projectTypes = ["yaml", "helm", "loaded"] as const;

/** What every creation says of its project (contract P 1.1). */
export const projectFields = {
  project_name: z
    .string("project_name must be a text")
    .trim()
    .min(1, "project_name cannot be empty")
    .pipe(readableName(256)),
  project_key: projectKey,
  is_public: z.boolean().default(false),
  description: z.string().max(4096, "must have at most 4096 characters").default(""),
};

export const newProject = z.object({
  ...projectFields,
  project_type: z.enum(projectTypes, `unsupported project type: must be one of ${projectTypes.join(", ")}`),
});

export const ofProject = z.object({ projectKey: filled("projectKey", 256) });

const deployType = z.enum(["k8s", "helm", "external"]);

export const projectList = z.object({
  projects: z.array(
    z.object({
      project_name: z.string(),
      project_key: z.string(),
      deploy_type: deployType,
      description: z.string(),
      desc: z.string(),
    }),
  ),
  total: z.int(),
});

export const projectDetail = z.object({
  project_name: z.string(),
  project_key: z.string(),
  is_public: z.boolean(),
  desc: z.string(),
  description: z.string(),
  deploy_type: deployType,
  create_time: z.int(),
  created_time: z.int(),
  created_by: z.string(),
});

export const globalVariables = z.object({ variables: z.array(keyVal), production_variables: z.array(keyVal) });
export const newGlobalVariables = z.object({ global_variables: keyValList });
