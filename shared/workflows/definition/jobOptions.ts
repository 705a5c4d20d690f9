import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { type Tree, treesOf } from "../../manifest/tree.ts";
import type { DefinitionInputs, DefinitionOption } from "./definitionOptions.ts";
import type { EnvironmentOption } from "./environmentOptions.ts";
import { jobKindOf } from "./jobKinds.ts";

/** A service module that a build job may build, with what its build brings. */
export interface BuildOption extends DefinitionInputs {
  serviceName: string;
  serviceModule: string;
  buildName: string;
}

/** What the jobs of a project's workflows may choose from; lists that no job asks for may be empty. */
export interface JobOptions {
  projectKey: string;
  builds: readonly BuildOption[];
  /** Tests and code scans of the project that jobs name. */
  tests: readonly DefinitionOption[];
  scans: readonly DefinitionOption[];
  environments: readonly EnvironmentOption[];
}

/** What must be looked up for the jobs of a definition. */
export interface OptionNeeds {
  builds: boolean;
  /** Names of tests and code scans. */
  tests: string[];
  scans: string[];
  environments: boolean;
  /** Keys of environments whose services are shown. */
  servicesOf: string[];
}

export function optionNeeds(source: Tree, projectKey: string): OptionNeeds {
  const jobs = treesOf(source.stages).flatMap((stage) => treesOf(stage.jobs));
  const all = jobs.map(({ type, spec }) => jobKindOf(type)?.needs?.(isRecord(spec) ? spec : {}, projectKey) ?? {});
  const named = (list: "tests" | "scans" | "servicesOf") => [...new Set(all.flatMap((needs) => needs[list] ?? []))];
  return {
    builds: all.some(({ builds }) => builds === true),
    tests: named("tests"),
    scans: named("scans"),
    environments: all.some(({ environments }) => environments === true),
    servicesOf: named("servicesOf"),
  };
}

/**
 * A definition whose jobs show what may be chosen (contract W 2.2). Entries of the definition itself come first and are
 * unchanged; no entry of a list that it fills is lost.
 */
export function withOptions(source: Tree, options: JobOptions): Tree {
  return mapJobs(source, (job) => ({
    ...job,
    ...(isRecord(job.spec) && { spec: jobKindOf(job.type)?.options?.(job.spec, options) ?? job.spec }),
  }));
}

/** As a start of the workflow begins: jobs that do not run by themselves are skipped (contract W 2.4 step 3). */
export function withRunPolicies(source: Tree): Tree {
  return mapJobs(source, (job) => (job.run_policy === "default_not_run" ? { ...job, skipped: true } : job));
}

export function mapJobs(source: Tree, change: (job: Tree) => Tree): Tree {
  const stages = treesOf(source.stages).map((stage) => ({ ...stage, jobs: treesOf(stage.jobs).map(change) }));
  return { ...source, stages };
}
