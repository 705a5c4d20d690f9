import { unsealCredentials } from "../../../packaging/registries/credentials.ts";
import { hostOf } from "../../pods/rules/buildkitConfig.ts";
import { type JobVariables, registryVariables } from "../../pods/rules/jobVariables.ts";
import { containerRunner } from "../container/containerRunner.ts";
import { registriesOfJob } from "../container/jobRegistries.ts";
import { archiveStep, scriptStep } from "../container/scriptStep.ts";
import type { FreestyleRun } from "./planner.ts";

/** Runs a script of the workflow (contract W 5, 11). */
export const runner = containerRunner({
  content: async (jobRun) => {
    const run = jobRun.run as unknown as FreestyleRun;
    return {
      steps: [...scriptStep(run), ...archiveStep(jobRun, run.uploads, { always: false, required: true })],
      variables: await ofRegistries(jobRun.task.owner.projectKey),
    };
  },
  conclude: (_run, end) => ({ ...end, result: { image: end.outputs.IMAGE ?? "" } }),
});

/** Hosts and keys of the registries of the project's environments (contract W 11.4, decisions 17.6). */
async function ofRegistries(projectKey: string): Promise<JobVariables> {
  const facts = (await registriesOfJob(projectKey)).map(async (registry) => {
    const { accessKey, secretKey } = await unsealCredentials(registry);
    return { host: hostOf(registry.address), namespace: registry.namespace, accessKey, secretKey };
  });
  return registryVariables(await Promise.all(facts));
}
