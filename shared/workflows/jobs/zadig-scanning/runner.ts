import { scanVariables } from "../../pods/rules/jobVariables.ts";
import { type JobContent, variablesOf } from "../container/containerJobOf.ts";
import { containerRunner } from "../container/containerRunner.ts";
import { archived, archiveStep, scriptStep } from "../container/scriptStep.ts";
import type { JobRun } from "../runner.ts";
import { followAnalysis } from "./followAnalysis.ts";
import type { ScanRun } from "./planner.ts";
import { scannerScript } from "./scannerScript.ts";
import { sonarLink, sonarProperty, sonarServer } from "./sonarServer.ts";

const mention = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/**
 * The scanner's configuration with `$NAME` and `${NAME}` replaced by values of variables, the last of a name; what is no
 * variable stays. It is a properties file: a value brings no line of its own, and its backslashes are themselves.
 */
export function withVariables(properties: string, variables: readonly { name: string; value: string }[]): string {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  return properties.replace(mention, (text, braced: string | undefined, bare: string | undefined) => {
    const value = values.get(braced ?? bare ?? "");
    return value === undefined ? text : value.replace(/[\r\n]+/g, " ").replaceAll("\\", "\\\\");
  });
}

/** Runs a code scan: the script of `other`, or SonarQube's scanner (contract W 12.4). */
export const runner = containerRunner({
  content: async (jobRun) => {
    const run = runOf(jobRun);
    const content =
      run.scannerType === "sonarQube"
        ? await sonarContent(jobRun)
        : { steps: scriptStep(run), variables: scanVariables(factsOf(run)) };
    // Kept after a failure too: it shows what was found.
    const files = archiveStep(jobRun, archived(run.archivePaths), { always: true, required: false });
    return { ...content, steps: [...content.steps, ...files] };
  },
  conclude: async (jobRun, end) => {
    const run = runOf(jobRun);
    const result = { is_has_artifact: run.archivePaths.length > 0 };
    if (run.scannerType !== "sonarQube") return { ...end, result };
    const { project, branch } = projectOf(jobRun);
    const outputs = {
      ...end.outputs,
      ...(project !== "" && { SonarProjectKey: end.outputs.SonarProjectKey ?? project }),
      ...(branch !== "" && { SonarBranchKey: branch }),
    };
    const link_url = sonarLink(await sonarServer(run.sonarId), outputs.SonarProjectKey ?? "", branch);
    return { ...end, outputs, result: { ...result, link_url } };
  },
  follow: async (jobRun, end, since) => {
    const run = runOf(jobRun);
    return run.scannerType === "sonarQube" ? followAnalysis(run, end, since) : end;
  },
});

function runOf({ run }: JobRun): ScanRun {
  return run as unknown as ScanRun;
}

async function sonarContent(jobRun: JobRun): Promise<JobContent> {
  const run = runOf(jobRun);
  const server = await sonarServer(run.sonarId);
  const { project, branch } = projectOf(jobRun);
  const sonar = { url: server.address, token: server.token, link: sonarLink(server, project, branch) };
  const { env, secretEnv } = scanVariables({ ...factsOf(run), sonar });
  const [first] = run.repositories;
  const own = [
    { name: "SONAR_PROPERTIES", value: withVariables(run.sonarParameter, ofScan(jobRun)) },
    { name: "SONAR_FOLDER", value: first === undefined ? "" : first.checkoutPath || first.name },
  ];
  const before = run.prelaunchScript === "" ? [] : scriptStep({ ...run, script: run.prelaunchScript }, "prelaunch");
  return {
    // What is to be installed is needed by the scanner, whose container is another one.
    steps: [...before, ...scriptStep({ ...run, script: scannerScript }, "scanner")],
    variables: { env: [...env, ...own], secretEnv },
  };
}

function factsOf({ name, scannerType: type, repositories }: ScanRun) {
  return { name, type, branch: repositories[0]?.branch ?? "" };
}

/** The variables of a scan's script, but those of the server. */
function ofScan(jobRun: JobRun) {
  return variablesOf(jobRun, scanVariables(factsOf(runOf(jobRun))));
}

/** As far as the scanner's configuration names them; they are shown, so credentials are not put in. */
function projectOf(jobRun: JobRun): { project: string; branch: string } {
  const known = ofScan(jobRun).filter(({ isCredential }) => !isCredential);
  const properties = withVariables(runOf(jobRun).sonarParameter, known);
  return {
    project: sonarProperty(properties, "sonar.projectKey"),
    branch: sonarProperty(properties, "sonar.branch.name"),
  };
}
