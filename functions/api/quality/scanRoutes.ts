import * as z from "zod";
import { isObject, plainName } from "../../../shared/http/schemas.ts";
import { shownAdvancedSettings } from "../../../shared/workflows/definition/script/advancedSettings.ts";
import { shownKeyVal } from "../../../shared/workflows/definition/script/keyVal.ts";
import { repositoryInfo } from "../../../shared/workflows/definition/script/repositoryInfo.ts";
import { shownPackages } from "../../../shared/workflows/definition/script/scriptJob.ts";
import { hookEvents, scannerTypes } from "../../../shared/workflows/jobDefinitions/rules/quality/scanDefinition.ts";
import { checkScan, readScan, scanFields } from "../../../shared/workflows/jobDefinitions/rules/quality/scanForm.ts";
import { definitionRoutes, projectKeyField } from "./definitionRoutes.ts";

const scanName = z.string("scanning name cannot be empty").min(1, "scanning name cannot be empty").pipe(plainName());

export const newScan = z
  .object({ name: scanName, ...projectKeyField, ...scanFields })
  .superRefine(checkScan, { when: isObject })
  .transform((body) => ({ name: body.name, projectKey: body.project_key, scan: readScan(body) }));

const listed = {
  name: z.string(),
  project_key: z.string(),
  description: z.string(),
  scanner_type: z.enum(scannerTypes),
  update_by: z.string(),
  update_time: z.int(),
};

export const scanList = z.object({
  total: z.int(),
  codescans: z.array(z.object(listed).meta({ id: "CodeScanItem" })),
});

const hook = z.object({
  codehost_name: z.string(),
  repo_namespace: z.string(),
  repo_name: z.string(),
  branch: z.string(),
  events: z.array(z.enum(hookEvents)),
  match_folders: z.array(z.string()),
});

/** What can be sent back as it is. */
export const scan = z
  .object({
    ...listed,
    image_name: z.string(),
    sonar_system: z.string(),
    repo_info: z.array(repositoryInfo),
    addons: shownPackages,
    parameters: z.array(shownKeyVal),
    prelaunch_script: z.string(),
    sonar_parameter: z.string(),
    script: z.string(),
    enable_quality_gate: z.boolean(),
    archive_paths: z.array(z.string()),
    concurrency_limit: z.int(),
    advanced_settings: z.object({
      ...shownAdvancedSettings.shape,
      webhooks: z.object({ enabled: z.boolean(), hook_list: z.array(hook) }),
    }),
  })
  .meta({ id: "CodeScan" });

const definitions = definitionRoutes(
  {
    path: "/openapi/quality/codescan",
    tag: "Code scans",
    verb: "scan",
    readBy: ["get_scan"],
    noun: "a code scan",
    nouns: "code scans",
    function: "Project Management - Code Scan",
    creation: "Add",
  },
  { sent: newScan, listed: scanList, shown: scan, parameter: "scanName", named: z.object({ scanName: z.string() }) },
);

export const scanRoutes = {
  createScan: definitions.create,
  updateScan: definitions.update,
  deleteScan: definitions.remove,
  listScans: definitions.list,
  getScan: definitions.read,
};
