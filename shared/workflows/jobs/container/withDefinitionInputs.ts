import type * as z from "zod";
import type { ScriptJob } from "../../definition/script/scriptJob.ts";
import type { JobRepositories, JobVariable } from "../../definition/specParts.ts";
import { reposOf } from "./definitionRun.ts";
import { type repositoryInputs, withRepositoryInputs } from "./jobRepositories.ts";
import { type variableInputs, withInputs } from "./jobVariables.ts";

interface Configured {
  repos: JobRepositories;
  key_vals: readonly JobVariable[];
}

interface Given {
  repo_info: z.output<typeof repositoryInputs>;
  inputs: z.output<typeof variableInputs>;
}

/**
 * What a workflow sets for a build, a test or a scan that one of its jobs runs, with what the start call sets for it
 * (contract W 3). A value that neither sets remains the definition's own.
 * @throws ApiError 6160
 */
export async function withDefinitionInputs(
  { repos, key_vals }: Configured,
  script: Pick<ScriptJob, "repositories" | "keyVals">,
  { repo_info, inputs }: Given,
) {
  const isConfigured = (key: string) => key_vals.some((one) => one.key === key);
  const own = script.keyVals.map(({ key, type, isCredential }): JobVariable => {
    return { key, type, value: "", is_credential: isCredential };
  });
  const all = [...key_vals, ...own.filter(({ key }) => !isConfigured(key))];
  const given = new Set(inputs.map(({ key }) => key));
  return {
    repos: await withRepositoryInputs(reposOf(repos, script.repositories), repo_info),
    key_vals: withInputs(all, inputs).filter(({ key }) => given.has(key) || isConfigured(key)),
  };
}
