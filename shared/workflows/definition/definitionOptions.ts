import { type Tree, treesOf } from "../../manifest/tree.ts";
import type { JobOptions } from "./jobOptions.ts";
import { showKeyVal } from "./script/keyVal.ts";
import { showRepository } from "./script/repositoryForm.ts";
import type { ScriptJob } from "./script/scriptJob.ts";

/** What a definition brings to a job that runs it: a start may change both. */
export type DefinitionInputs = Pick<ScriptJob, "repositories" | "keyVals">;

/** A test or a code scan that a job may run. */
export type DefinitionOption = DefinitionInputs & { name: string };

/** Names of the lists of a job of tests or scans: what is chosen, and what may be, by itself and for service modules. */
export interface DefinitionLists {
  chosen: string;
  options: string;
  services: string;
  serviceOptions: string;
}

/** What is longer is no name of a record (decisions 1.7). */
export const longestName = 64;

/** What kinds of jobs that run tests or scans by their names have in common. */
export function ofDefinitions(kind: "test" | "scan", lists: DefinitionLists) {
  const all = `${kind}s` as const;
  return {
    lists,
    references: { kind, lists: [lists.chosen, lists.services], field: "name" },
    needs: (spec: Tree, projectKey: string) => ({ [all]: namesIn(lists, spec, projectKey) }),
    options: (spec: Tree, options: JobOptions) => withDefinitions(lists, spec, options[all], options.projectKey),
  };
}

/** The tests or scans of its own project that a job names, each once. */
function namesIn(lists: DefinitionLists, spec: Tree, projectKey: string): string[] {
  const named = Object.values(lists)
    .flatMap((field) => treesOf(spec[field]))
    .filter((item) => isOf(item, projectKey))
    .map(({ name }) => name)
    .filter((name): name is string => typeof name === "string" && name !== "" && name.length <= longestName);
  return [...new Set(named)];
}

/**
 * The lists of a job of tests or scans. What may be chosen is what a start may name: what the job has (contract W 3).
 * Each item has the repositories and the variables of its definition, where the job does not say others.
 */
function withDefinitions(
  lists: DefinitionLists,
  spec: Tree,
  definitions: readonly DefinitionOption[],
  projectKey: string,
): Tree {
  const filled = (item: Tree): Tree =>
    withDefinition(item, isOf(item, projectKey) ? definitions.find(({ name }) => name === item.name) : undefined);
  const pair = (chosen: string, options: string): Tree => ({
    [chosen]: treesOf(spec[chosen]).map(filled),
    [options]: optionsOf(spec, options, chosen, ["service_name", "service_module", "project_name", "name"]).map(filled),
  });
  return { ...spec, ...pair(lists.chosen, lists.options), ...pair(lists.services, lists.serviceOptions) };
}

/** What is stored as an option, then what is chosen and is no option yet, told apart by the fields of `identity`. */
export function optionsOf(spec: Tree, options: string, chosen: string, identity: readonly string[]): Tree[] {
  const idOf = (item: Tree): string => JSON.stringify(identity.map((field) => item[field] ?? ""));
  const stored = treesOf(spec[options]);
  const seen = new Set(stored.map(idOf));
  return [...stored, ...treesOf(spec[chosen]).filter((item) => !seen.has(idOf(item)))];
}

function isOf({ project_name }: Tree, projectKey: string): boolean {
  return !project_name || project_name === projectKey;
}

/** Credentials have no value here: a start that gives none takes the stored one. */
export function withDefinition(item: Tree, definition: DefinitionInputs | undefined): Tree {
  if (definition === undefined) return item;
  const { repositories, keyVals } = definition;
  const [repos, pairs] = [treesOf(item.repos), treesOf(item.key_vals)];
  const own = keyVals.map((pair): Tree => {
    const given = pairs.find(({ key }) => key === pair.key);
    return { ...showKeyVal(pair, false), ...given };
  });
  const keys = new Set(keyVals.map(({ key }) => key));
  return {
    ...item,
    repos: repos.length > 0 ? repos : repositories.map(showRepository),
    key_vals: [...own, ...pairs.filter(({ key }) => typeof key !== "string" || !keys.has(key))],
  };
}
