import * as z from "zod";
import { advancedSettingsInput, defaultSettings } from "../../../definition/script/advancedSettings.ts";
import { keyValInputs } from "../../../definition/script/keyVal.ts";
import { repositoryInputs } from "../../../definition/script/repository.ts";
import {
  infrastructures,
  packageInputs,
  type ScriptJobInput,
  scriptText,
  scriptTypes,
} from "../../../definition/script/scriptJob.ts";
import { line, optionalText, workspacePath } from "../../../definition/script/texts.ts";
import { archivePaths } from "./archivePaths.ts";
import { concurrencyLimit } from "./concurrencyLimit.ts";
import type { TestDefinition } from "./testDefinition.ts";

/** A test as callers send it: everything by its name (decisions 7.7). */
export type TestInput = Pick<
  TestDefinition,
  "description" | "reportDirectory" | "htmlReportPath" | "archivePaths" | "passRate" | "concurrencyLimit"
> & { job: ScriptJobInput };

/** The fields of a test beside its name and project. */
export const testFields = {
  description: optionalText(1024).default(""),
  infrastructure: z.enum(infrastructures, `must be one of ${infrastructures.join(", ")}`).default("kubernetes"),
  build_os: line(64),
  installs: packageInputs.default([]),
  script_type: z.enum(scriptTypes, `must be one of ${scriptTypes.join(", ")}`).default("shell"),
  script: scriptText.min(1, "script cannot be empty"),
  repo_info: repositoryInputs.nullish(),
  parameters: keyValInputs.nullish(),
  report_dir: workspacePath.default(""),
  html_report_path: workspacePath.default(""),
  archive_paths: archivePaths,
  pass_rate: z
    .int("must be a whole number of percent")
    .min(0, "must be at least 0")
    .max(100, "must be at most 100")
    .default(100),
  concurrency_limit: concurrencyLimit,
  advanced_settings: advancedSettingsInput.nullish(),
};

const sent = z.object(testFields);

export function readTest(body: z.output<typeof sent>): TestInput {
  return {
    description: body.description,
    reportDirectory: body.report_dir,
    htmlReportPath: body.html_report_path,
    archivePaths: body.archive_paths,
    passRate: body.pass_rate,
    concurrencyLimit: body.concurrency_limit,
    job: {
      infrastructure: body.infrastructure,
      imageLabel: body.build_os,
      installs: body.installs,
      scriptType: body.script_type,
      script: body.script,
      repositories: body.repo_info ?? [],
      keyVals: body.parameters ?? [],
      settings: body.advanced_settings ?? defaultSettings,
    },
  };
}
