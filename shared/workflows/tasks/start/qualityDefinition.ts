import type { QualityKind } from "../../../base/common/ownerKey.ts";
import { notFound } from "../../../base/errors/apiError.ts";
import { codeHosts } from "../../../integrations/store/codeHosts.ts";
import { type WorkflowDefinition, workflowDefinition } from "../../definition/definition.ts";
import { type KeyVal, maskedValue, showKeyVal } from "../../definition/script/keyVal.ts";
import type { Repository } from "../../definition/script/repository.ts";
import { showRepository } from "../../definition/script/repositoryForm.ts";
import type { ScriptJob } from "../../definition/script/scriptJob.ts";
import { type RepositoryOverride, withOverrides } from "../../jobDefinitions/rules/quality/repositoryOverride.ts";
import type { VersionedDefinition } from "../../jobDefinitions/store/definitionStore.ts";
import { findScan } from "../../jobDefinitions/store/scans.ts";
import { findTest } from "../../jobDefinitions/store/tests.ts";
import { kind as zadigScanning } from "../../jobs/zadig-scanning/kind.ts";
import { kind as zadigTest } from "../../jobs/zadig-test/kind.ts";

export type QualityDefinition = VersionedDefinition<ScriptJob>;

/** What a start call says of a test or a scan (contract W 12.2, 13.1). */
export interface QualityArguments {
  repositories: readonly RepositoryOverride[];
  /** Values of variables by key; keys that the definition does not have are ignored. */
  values: readonly { key: string; value: string }[];
}

/** In sentences. */
export const qualityNouns = { test: "test", scan: "code scan" } as const;

/** @throws ApiError 404 */
export async function requireQuality(kind: QualityKind, projectKey: string, name: string): Promise<QualityDefinition> {
  const found = await (kind === "test" ? findTest : findScan)(projectKey, name);
  if (found === undefined) throw notFound(`${qualityNouns[kind]} ${name} of project ${projectKey}`);
  return found;
}

type Module = Record<string, unknown>;

/** The one stage and the one job of a task (contract W 12.2, 13.1). */
const shapes = {
  test: { type: zadigTest.type, spec: (one: Module) => ({ test_type: "", source: "runtime", test_modules: [one] }) },
  scan: {
    type: zadigScanning.type,
    spec: (one: Module) => ({ scanning_type: "", source: "runtime", scannings: [one] }),
  },
} as const;

/**
 * What a task of a test or a scan runs, in the form of a workflow.
 * @param keepSecret as in a plan: what the start call gives for a credential is not in the definition
 */
export async function qualityDefinition(
  kind: QualityKind,
  { projectKey, name, content }: QualityDefinition,
  { repositories, values }: QualityArguments,
  keepSecret: (value: string) => string,
): Promise<WorkflowDefinition> {
  const { type, spec } = shapes[kind];
  const module = {
    name,
    project_name: projectKey,
    repos: await Promise.all(withOverrides(content.repositories, repositories).map(withAddress)),
    key_vals: content.keyVals.map((pair) => withValue(pair, values, keepSecret)),
  };
  const stages = [{ name: kind, jobs: [{ name, type, spec: spec(module) }] }];
  return workflowDefinition.parse({ name, project: projectKey, stages });
}

async function withAddress(repository: Repository) {
  const host = await codeHosts.find(String(repository.codeHostId));
  return { ...showRepository(repository), address: host?.shown.address ?? "" };
}

/** In the spelling of the wire; a credential that the start call does not set has no value here. */
function withValue(pair: KeyVal, values: QualityArguments["values"], keepSecret: (value: string) => string) {
  const shown = showKeyVal(pair, false);
  const given = values.findLast(({ key }) => key === pair.key)?.value;
  const isKept = given === undefined || (pair.isCredential && ["", maskedValue].includes(given));
  if (isKept) return shown;
  if (pair.isCredential) return { ...shown, value: keepSecret(given) };
  const chosen = pair.type === "multi-select" && given !== "" ? given.split(",") : [];
  return { ...shown, value: given, choice_value: chosen };
}
