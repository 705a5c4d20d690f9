import { codeHosts } from "../../integrations/store/codeHosts.ts";
import { showSettings } from "../definition/script/advancedSettings.ts";
import { showKeyVal } from "../definition/script/keyVal.ts";
import { showRepositoryInfo } from "../definition/script/repositoryInfo.ts";
import type { ScriptJob } from "../definition/script/scriptJob.ts";
import { credentialField } from "./credentials.ts";
import { savedPlace } from "./savedPlace.ts";
import { type NamedUse, savedName } from "./store/namedUse.ts";

/** What answers show of a job in the form in which it is sent: references by their saved names, credentials as stars. */
export function showScriptJob(
  job: ScriptJob,
  { uses, secretFields }: { uses: readonly NamedUse[]; secretFields: readonly string[] },
) {
  return {
    installs: job.installs.map(({ name, version }) => ({ name, version })),
    repo_info: job.repositories.map((repository) =>
      showRepositoryInfo(repository, savedName(uses, codeHosts.key(String(repository.codeHostId)))),
    ),
    parameters: job.keyVals.map((pair) => showKeyVal(pair, secretFields.includes(credentialField("", pair.key)))),
    advanced_settings: showSettings(job.settings, savedPlace(job.settings, uses)),
  };
}
