import * as z from "zod";
import { newId } from "../../../base/store/ids.ts";
import type { TestDefinition } from "../../jobDefinitions/rules/quality/testDefinition.ts";
import { tests } from "../../jobDefinitions/store/tests.ts";
import { testVariables } from "../../pods/rules/jobVariables.ts";
import type { ScriptRun } from "../container/containerRun.ts";
import { itemInputs, serviceInputs } from "../container/definitionItems.ts";
import { type DefinitionPart, definitionPlanner } from "../container/definitionPlanner.ts";
import { inWorkspace } from "../container/inWorkspace.ts";
import { originOf } from "../modulesOfJob.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as zadigTest } from "./kind.ts";

/** What a start call says (contract W 3). */
const testParameters = z.looseObject({ testing_list: itemInputs("testing_name"), service_list: serviceInputs });

/** What a test brings out beside its script. */
export interface TestRun
  extends ScriptRun,
    Pick<TestDefinition, "reportDirectory" | "htmlReportPath" | "archivePaths" | "passRate"> {}

/** Runs tests (contract W 5, 13). */
export const planner = definitionPlanner<TestDefinition>({
  noun: "test",
  verb: "run_test",
  store: tests,
  lists: (job) => {
    const spec = readSpec(zadigTest, job);
    return {
      isPerService: spec.test_type === "service_test",
      chosen: spec.test_modules,
      options: spec.test_module_options,
      services: spec.service_and_tests,
      serviceOptions: spec.service_test_options,
      targets: spec.target_services,
      fromJob: spec.source === "fromjob" ? originOf(spec) : "",
    };
  },
  given: (job, parameters) => {
    const { testing_list, service_list } = readInputs(testParameters, parameters, job);
    return { items: testing_list.map((one) => ({ ...one, name: one.testing_name })), services: service_list };
  },
  fields: zadigTest.lists,
  expand: (part, job) => {
    const { name, projectKey, planned, module } = part;
    const test_type = readSpec(zadigTest, job).test_type ?? "";
    const { service_name = "", service_module = "" } = module ?? {};
    return {
      jobInfo: module
        ? { service_name, service_module, testing_name: name, test_type, rand_str: randomText() }
        : { testing_name: name, test_type, rand_str: randomText() },
      spec: {
        ...{ repos: planned.shown.repos, junit_report: false, archive: false, html_report: false },
        ...{ project_name: projectKey, test_name: name, test_type, service_name, service_module },
        envs: planned.shown.envs,
      },
      run: { ...runOf(part, test_type) },
    };
  },
});

function runOf({ name, projectKey, content, planned, module }: DefinitionPart<TestDefinition>, type: string): TestRun {
  const { reportDirectory, htmlReportPath, archivePaths, passRate, settings } = content;
  const target = module && { service: module.service_name, serviceModule: module.service_module };
  return {
    ...planned.run,
    facts: testVariables({ project: projectKey, name, type: type || "function", ...(target && { target }) }),
    outputs: settings.outputs.map((one) => one.name),
    ...{ reportDirectory: inWorkspace(reportDirectory), htmlReportPath: inWorkspace(htmlReportPath) },
    ...{ archivePaths: archivePaths.map(inWorkspace), passRate },
  };
}

/** Five characters, as clients show them behind the name. */
function randomText(): string {
  return newId().slice(-5);
}
