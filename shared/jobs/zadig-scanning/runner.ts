import { scanVariables } from "../../domain/container/jobVariables.ts";
import type { JobContent } from "../container/containerJobOf.ts";
import { containerRunner } from "../container/containerRunner.ts";
import { scriptStep } from "../container/scriptStep.ts";
import type { JobRun } from "../runner.ts";
import { followAnalysis } from "./followAnalysis.ts";
import type { ScanRun } from "./planner.ts";
import { scannerScript } from "./scannerScript.ts";
import { sonarLink, sonarProperty, sonarServer } from "./sonarServer.ts";

/** Runs a code scan: the script of `other`, or SonarQube's scanner (contract W 12.4). */
export const scanRunner = containerRunner({
  content: async (jobRun) => {
    const run = runOf(jobRun);
    if (run.scannerType === "sonarQube") return sonarContent(run);
    return { steps: scriptStep(run), variables: scanVariables(factsOf(run)) };
  },
  conclude: async (jobRun, end) => {
    const run = runOf(jobRun);
    if (run.scannerType !== "sonarQube") return end;
    const { project, branch } = projectOf(run);
    const outputs = {
      ...end.outputs,
      ...(project !== "" && { SonarProjectKey: end.outputs.SonarProjectKey ?? project }),
      ...(branch !== "" && { SonarBranchKey: branch }),
    };
    const link_url = sonarLink(await sonarServer(run.sonarId), outputs.SonarProjectKey ?? "", branch);
    return { ...end, outputs, result: { link_url } };
  },
  follow: async (jobRun, end, since) => {
    const run = runOf(jobRun);
    return run.scannerType === "sonarQube" ? followAnalysis(run, end, since) : end;
  },
});

function runOf({ run }: JobRun): ScanRun {
  return run as unknown as ScanRun;
}

async function sonarContent(run: ScanRun): Promise<JobContent> {
  const server = await sonarServer(run.sonarId);
  const { project, branch } = projectOf(run);
  const sonar = { url: server.address, token: server.token, link: sonarLink(server, project, branch) };
  const { env, secretEnv } = scanVariables({ ...factsOf(run), sonar });
  const [first] = run.repositories;
  const own = [
    { name: "SONAR_PROPERTIES", value: run.sonarParameter },
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

/** As far as the scanner's configuration names them. */
function projectOf({ sonarParameter }: ScanRun): { project: string; branch: string } {
  return {
    project: sonarProperty(sonarParameter, "sonar.projectKey"),
    branch: sonarProperty(sonarParameter, "sonar.branch.name"),
  };
}
