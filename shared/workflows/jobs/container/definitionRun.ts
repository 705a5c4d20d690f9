import { ApiError } from "../../../base/errors/apiError.ts";
import { baseImages, builtInImages } from "../../../integrations/store/baseImages.ts";
import { withTextsApart } from "../../definition/outsideTexts.ts";
import { refusalOf } from "../../definition/refusal.ts";
import type { KeyVal } from "../../definition/script/keyVal.ts";
import type { Repository } from "../../definition/script/repository.ts";
import { showRepository } from "../../definition/script/repositoryForm.ts";
import type { JobImage, ScriptJob } from "../../definition/script/scriptJob.ts";
import type { JobRepositories, JobVariable } from "../../definition/specParts.ts";
import type { PlanScope } from "../planner.ts";
import type { ScriptRun } from "./containerRun.ts";
import { planRepositories } from "./jobRepositories.ts";
import { paramVariables, planVariables } from "./jobVariables.ts";
import { requirePlaceFor, settingsOfDefinition } from "./settings.ts";

/** What a workflow says of a build, a test or a scan that one of its jobs runs. */
export interface DefinitionUse {
  /** Its name, for sentences. */
  what: string;
  /** Instead of the definition's own, where there are any. */
  repos: JobRepositories;
  /** Values instead of the definition's, by key; others come with them. */
  keyVals: readonly JobVariable[];
  /** Values of the definition's credentials by key. */
  credentials: ReadonlyMap<string, string>;
  shareStorages?: readonly { name: string; path: string }[];
}

export interface PlannedDefinition {
  run: Omit<ScriptRun, "facts" | "outputs">;
  shown: { repos: Record<string, unknown>[]; envs: Record<string, unknown>[] };
  variables: JobVariable[];
}

/** The run of a build, a test or a scan as it is stored now (contract W 10 to 13). @throws ApiError 6160 */
export async function planDefinition(job: ScriptJob, use: DefinitionUse, scope: PlanScope): Promise<PlannedDefinition> {
  const image = await imageReference(job.image);
  if (image === undefined) throw new ApiError(6160, `${use.what}: base image ${job.image.label} does not exist`);
  const settings = settingsOfDefinition(scope.project.key, job.settings);
  await requirePlaceFor(scope.project.key, use.what, settings);
  const repositories = await planRepositories(reposOf(use.repos, job.repositories), scope);
  const variables = variablesOf(job.keyVals, use);
  const {
    scripts: [script = ""],
    variables: textVariables,
  } = withTextsApart([job.script], scope.definition);
  const planned = planVariables(variables, scope);
  return {
    run: {
      refusal: refusalOf(job),
      image,
      packages: job.installs,
      script,
      repositories: repositories.run,
      variables: [...paramVariables(scope), ...planned.run, ...textVariables],
      settings: { ...settings, shareStorages: use.shareStorages ?? [] },
      ignoreCache: scope.definition.ignore_cache === true,
      cacheName: use.what,
    },
    shown: { repos: repositories.shown, envs: planned.shown },
    variables,
  };
}

/** In the full form, so that a start call can change them. */
export function reposOf(configured: JobRepositories, own: readonly Repository[]): JobRepositories {
  return configured.length > 0 ? configured : own.map((one) => ({ ...showRepository(one) }));
}

function variablesOf(own: readonly KeyVal[], { keyVals, credentials }: DefinitionUse): JobVariable[] {
  const known = own.map((pair): JobVariable => {
    const given = keyVals.findLast(({ key }) => key === pair.key);
    const stored = pair.isCredential ? (credentials.get(pair.key) ?? "") : pair.value;
    const isGiven = given !== undefined && !(pair.isCredential && ["", "********"].includes(given.value));
    return {
      key: pair.key,
      type: pair.type,
      value: isGiven ? given.value : stored,
      choice_option: [...pair.choiceOptions],
      choice_value: isGiven ? (given.choice_value ?? []) : [...pair.choiceValues],
      is_credential: pair.isCredential,
      description: pair.description,
    };
  });
  const names = new Set(own.map(({ key }) => key));
  return [...known, ...keyVals.filter(({ key }) => !names.has(key))];
}

/**
 * Where the image of a job is now. A base image is held as long as something refers to it.
 * @returns undefined when it is gone all the same
 */
export async function imageReference({ imageId, label }: JobImage): Promise<string | undefined> {
  if (imageId === "") return builtInImages.find((image) => [image.label, image.name].includes(label))?.reference;
  return (await baseImages.find(imageId))?.shown.value;
}
