import * as z from "zod";
import { advancedSettingsFields, defaultSettings, readSettings } from "../../../definition/script/advancedSettings.ts";
import { keyValInputs } from "../../../definition/script/keyVal.ts";
import { repositoryInputs } from "../../../definition/script/repository.ts";
import { packageInputs, type ScriptJobInput, scriptText } from "../../../definition/script/scriptJob.ts";
import { line, optionalText } from "../../../definition/script/texts.ts";
import { archivePaths } from "./archivePaths.ts";
import { concurrencyLimit } from "./concurrencyLimit.ts";
import { hookEvents, type ScanDefinition, type ScanHook, scannerTypes } from "./scanDefinition.ts";

/** A code scan as callers send it: everything by its name (contract W 12.1). */
export type ScanInput = Pick<
  ScanDefinition,
  | "description"
  | "scannerType"
  | "sonarParameter"
  | "prelaunchScript"
  | "enableQualityGate"
  | "archivePaths"
  | "concurrencyLimit"
  | "webhooks"
> & { sonarSystem: string; job: ScriptJobInput };

const hook = z
  .object({
    codehost_name: line(64),
    repo_namespace: line(),
    repo_name: line(),
    branch: line(),
    events: z.array(z.enum(hookEvents, `must be one of ${hookEvents.join(", ")}`)).min(1, "must have an event"),
    match_folders: z.array(optionalText(1024)).max(100, "must have at most 100 entries"),
  })
  .transform(
    (sent): ScanHook => ({
      codeHostName: sent.codehost_name,
      namespace: sent.repo_namespace,
      repository: sent.repo_name,
      branch: sent.branch,
      events: sent.events,
      matchFolders: sent.match_folders,
    }),
  );

const webhooks = z
  .object({
    enabled: z.boolean("must be true or false"),
    hook_list: z.array(hook).max(50, "must have at most 50 hooks").nullish(),
  })
  .superRefine(({ enabled, hook_list }, context) => {
    if (enabled && !hook_list?.length)
      context.addIssue({ code: "custom", path: ["hook_list"], message: "is required when webhooks are enabled" });
  })
  .transform(({ enabled, hook_list }) => ({ enabled, hooks: hook_list ?? [] }));

const settings = z.object({
  ...advancedSettingsFields,
  cluster_name: line(100),
  webhooks: webhooks.nullish(),
});

/** The fields of a code scan beside its name and project. */
export const scanFields = {
  description: optionalText(1024).default(""),
  scanner_type: z.enum(scannerTypes, "scanner_type can only be sonarQube or other"),
  image_name: z
    .string("image name cannot be empty")
    .min(1, "image name cannot be empty")
    .max(64, "must have at most 64 characters"),
  sonar_system: optionalText(64).default(""),
  repo_info: repositoryInputs.nullish(),
  addons: packageInputs.nullish(),
  parameters: keyValInputs.nullish(),
  prelaunch_script: scriptText.default(""),
  sonar_parameter: scriptText.default(""),
  script: scriptText.default(""),
  enable_quality_gate: z.boolean("must be true or false").default(false),
  archive_paths: archivePaths,
  concurrency_limit: concurrencyLimit,
  advanced_settings: settings.nullish(),
};

const sent = z.object(scanFields);

/** What the scanner's type asks for. */
export function checkScan(body: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void {
  if (body.scanner_type === "sonarQube" && (body.sonar_system === undefined || body.sonar_system === ""))
    context.addIssue({ code: "custom", path: ["sonar_system"], message: "is required for scanner_type sonarQube" });
}

export function readScan(body: z.output<typeof sent>): ScanInput {
  const given = body.advanced_settings;
  return {
    description: body.description,
    scannerType: body.scanner_type,
    sonarSystem: body.scanner_type === "sonarQube" ? body.sonar_system : "",
    sonarParameter: body.sonar_parameter,
    prelaunchScript: body.prelaunch_script,
    enableQualityGate: body.enable_quality_gate,
    archivePaths: body.archive_paths,
    concurrencyLimit: body.concurrency_limit,
    webhooks: given?.webhooks ?? { enabled: false, hooks: [] },
    job: {
      infrastructure: "kubernetes",
      imageLabel: body.image_name,
      installs: body.addons ?? [],
      scriptType: "shell",
      script: body.script,
      repositories: body.repo_info ?? [],
      keyVals: body.parameters ?? [],
      settings: given ? readSettings(given) : defaultSettings,
    },
  };
}
