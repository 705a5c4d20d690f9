import * as z from "zod";
import { shownAdvancedSettings } from "../../../shared/domain/job/advancedSettings.ts";
import { shownKeyVal } from "../../../shared/domain/job/keyVal.ts";
import { repositoryInfo } from "../../../shared/domain/job/repositoryInfo.ts";
import { shownPackages } from "../../../shared/domain/job/scriptJob.ts";
import { hookEvents, scannerTypes } from "../../../shared/domain/quality/scanDefinition.ts";
import { checkScan, readScan, scanFields } from "../../../shared/domain/quality/scanForm.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { isObject, message, plainName } from "../../../shared/http/schemas.ts";
import {
  askedScope,
  deleteQuery,
  listQuery,
  named,
  projectField,
  readQuery,
  sentQuery,
  sentScope,
} from "./routeParts.ts";

const scanName = z.string("scanning name cannot be empty").min(1, "scanning name cannot be empty").pipe(plainName());

export const newScan = z
  .object({ name: scanName, ...projectField, ...scanFields })
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
    advanced_settings: z.object({
      ...shownAdvancedSettings.shape,
      webhooks: z.object({ enabled: z.boolean(), hook_list: z.array(hook) }),
    }),
  })
  .meta({ id: "CodeScan" });

const path = "/openapi/quality/codescan";
const tag = "Code scans";
const words = { function: "Project Management - Code Scan" } as const;

export const scanRoutes = {
  createScan: defineRoute({
    method: "POST",
    path,
    summary: "Create a code scan",
    tag,
    permission: { kind: "verb", verbs: ["create_scan"] },
    scope: sentScope,
    query: sentQuery,
    body: newScan,
    response: message,
    audit: { ...words, method: "Add", detail: named, body: "json" },
  }),
  updateScan: defineRoute({
    method: "PUT",
    path,
    summary: "Replace a code scan; credentials that are sent as ******** stay",
    tag,
    permission: { kind: "verb", verbs: ["edit_scan"] },
    scope: sentScope,
    query: sentQuery,
    body: newScan,
    response: message,
    audit: { ...words, method: "Update", detail: named, body: "json" },
  }),
  deleteScan: defineRoute({
    method: "DELETE",
    path,
    summary: "Delete a code scan that no workflow refers to",
    tag,
    permission: { kind: "verb", verbs: ["delete_scan"] },
    scope: askedScope,
    query: deleteQuery,
    response: message,
    audit: { ...words, method: "Delete", detail: ({ query }) => query.name ?? "", body: "none" },
  }),
  listScans: defineRoute({
    method: "GET",
    path,
    summary: "List the code scans of a project by name",
    tag,
    permission: { kind: "verb", verbs: ["get_scan"] },
    scope: askedScope,
    query: listQuery,
    response: scanList,
  }),
  getScan: defineRoute({
    method: "GET",
    path: `${path}/:scanName`,
    summary: "Read a code scan; values of credentials are shown as ********",
    tag,
    permission: { kind: "verb", verbs: ["get_scan"] },
    scope: askedScope,
    params: z.object({ scanName: z.string() }),
    query: readQuery,
    response: scan,
  }),
};
