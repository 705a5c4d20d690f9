import * as z from "zod";
import { advancedSettingsInput, defaultSettings } from "../../../definition/script/advancedSettings.ts";
import { declaredKeyVals } from "../../../definition/script/keyVal.ts";
import { buildOutputs, type Output } from "../../../definition/script/output.ts";
import { repositoryInputs } from "../../../definition/script/repository.ts";
import {
  infrastructures,
  packageInputs,
  type ScriptJobInput,
  scriptText,
  scriptTypes,
} from "../../../definition/script/scriptJob.ts";
import { line } from "../../../definition/script/texts.ts";
import { type DockerBuildInput, dockerBuildInput } from "./dockerBuildForm.ts";

/** A build, or a template of builds, as callers send it: everything by its name (contract W 10.1). */
export interface BuildScriptInput extends ScriptJobInput {
  dockerBuild: DockerBuildInput | undefined;
  outputs: readonly Output[];
}

/** The fields of builds of their own and of build templates. */
export const buildScriptFields = {
  infrastructure: z.enum(infrastructures, `must be one of ${infrastructures.join(", ")}`),
  build_os: line(64),
  installs: packageInputs,
  script_type: z.enum(scriptTypes, `must be one of ${scriptTypes.join(", ")}`),
  build_script: scriptText.min(1, "build_script cannot be empty"),
  repo_info: repositoryInputs.nullish(),
  parameters: declaredKeyVals.nullish(),
  docker_build_step: dockerBuildInput.nullish(),
  advanced_settings: advancedSettingsInput.nullish(),
};

const sent = z.object(buildScriptFields);

export function readBuildScript(body: z.output<typeof sent>): BuildScriptInput {
  const settings = body.advanced_settings ?? defaultSettings;
  return {
    infrastructure: body.infrastructure,
    imageLabel: body.build_os,
    installs: body.installs,
    scriptType: body.script_type,
    script: body.build_script,
    repositories: body.repo_info ?? [],
    keyVals: body.parameters ?? [],
    dockerBuild: body.docker_build_step ?? undefined,
    settings,
    outputs: withOwnOutputs(settings.outputs),
  };
}

/** What every build leaves, then what is declared. */
function withOwnOutputs(declared: readonly Output[]): Output[] {
  const own = new Set(buildOutputs.map(({ name }) => name));
  return [...buildOutputs, ...declared.filter(({ name }) => !own.has(name))];
}
