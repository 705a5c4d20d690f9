import * as z from "zod";
import { withTextsApart } from "../../definition/outsideTexts.ts";
import type { ScanDefinition } from "../../jobDefinitions/rules/quality/scanDefinition.ts";
import { scans } from "../../jobDefinitions/store/scans.ts";
import { serviceVariables } from "../../pods/rules/jobVariables.ts";
import type { ScriptRun } from "../container/containerRun.ts";
import { itemInputs, serviceInputs } from "../container/definitionItems.ts";
import { type DefinitionPart, definitionPlanner } from "../container/definitionPlanner.ts";
import { inWorkspace } from "../container/inWorkspace.ts";
import { originOf } from "../modulesOfJob.ts";
import type { PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as zadigScanning } from "./kind.ts";
import { scanOutputs } from "./scannerScript.ts";

/** What a start call says (contract W 3). */
const scanParameters = z.looseObject({
  scanning_list: itemInputs("scanning_name"),
  service_list: serviceInputs,
});

/** What a scan needs beside its script, which is that of `other`. */
export interface ScanRun
  extends ScriptRun,
    Pick<
      ScanDefinition,
      "scannerType" | "sonarId" | "sonarParameter" | "prelaunchScript" | "enableQualityGate" | "archivePaths"
    > {
  name: string;
}

/** Runs code scans (contract W 5, 12). */
export const planner = definitionPlanner<ScanDefinition>({
  noun: "code scan",
  verb: "run_scan",
  store: scans,
  lists: (job) => {
    const spec = readSpec(zadigScanning, job);
    return {
      isPerService: spec.scanning_type === "service_scanning",
      chosen: spec.scannings,
      options: spec.scanning_options,
      services: spec.service_and_scannings,
      serviceOptions: spec.service_scanning_options,
      targets: spec.target_services,
      fromJob: spec.source === "fromjob" ? originOf(spec) : "",
    };
  },
  given: (job, parameters) => {
    const { scanning_list, service_list } = readInputs(scanParameters, parameters, job);
    return { items: scanning_list.map((one) => ({ ...one, name: one.scanning_name })), services: service_list };
  },
  fields: zadigScanning.lists,
  expand: (part, job, scope) => {
    const { name, planned, module } = part;
    const scanning_type = readSpec(zadigScanning, job).scanning_type ?? "";
    const { service_name = "", service_module = "" } = module ?? {};
    return {
      jobInfo: { ...module, scanning_name: name, scanning_type },
      spec: {
        ...{ scanning_type, scanning_name: name, service_name, service_module, repos: planned.shown.repos },
        ...{ sonar_metrics: null, is_has_artifact: false, link_url: "", envs: planned.shown.envs },
      },
      run: { ...runOf(part, scope) },
    };
  },
});

function runOf({ name, content, planned, module }: DefinitionPart<ScanDefinition>, scope: PlanScope): ScanRun {
  const { scannerType, sonarId, sonarParameter, enableQualityGate, archivePaths, settings } = content;
  const ofScanner = scannerType === "sonarQube" ? scanOutputs : [];
  const { scripts, variables } = withTextsApart([content.prelaunchScript], scope.definition);
  const [prelaunchScript = ""] = scripts;
  const facts = module && serviceVariables({ service: module.service_name, serviceModule: module.service_module });
  return {
    ...planned.run,
    variables: [...planned.run.variables, ...variables],
    facts: Object.entries(facts ?? {}).map(([key, value]) => ({ name: key, value })),
    outputs: [...new Set([...settings.outputs.map((one) => one.name), ...ofScanner])],
    ...{ name, scannerType, sonarId, sonarParameter, prelaunchScript, enableQualityGate },
    archivePaths: archivePaths.map(inWorkspace),
  };
}
