import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { table } from "../../shared/base/store/table.ts";
import { findJob } from "../../shared/workflows/records/findTasks.ts";
import { changeJob } from "../../shared/workflows/records/records.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { startJobRun } from "../../shared/workflows/tasks/jobSteps.ts";
import type { Slipway } from "../harness/slipway.ts";
import { type SonarStandIn, startSonarServer } from "../harness/sonarServer.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** Stands for the image that uploads what is kept. */
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const token = "squ_0123456789abcdef";
/** Writes what a scanner writes, for the project that its configuration names. */
const scanner = `#!/bin/sh
for argument; do
  case $argument in
    -Dproject.settings=*) settings=\${argument#*=} ;;
    -Dsonar.scanner.metadataFilePath=*) report=\${argument#*=} ;;
  esac
done
project=$(sed -n 's/^sonar.projectKey=//p' "\${settings:-sonar-project.properties}")
echo "scans $project with $*"
if [ "$project" = crashed ]; then exit 3; fi
if [ "$project" = silent ]; then exit 0; fi
printf 'projectKey=%s\\nserverUrl=x\\nceTaskId=%s:task\\n' "$project" "$project" > "$report"
`;
/** Stands for an image that has the scanner. */
const bringsScanner = `mkdir bin; cat > bin/sonar-scanner <<'END'\n${scanner}END\nchmod +x bin/sonar-scanner`;

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let sonar: SonarStandIn;

const jobsOf = ({ stages }: ShownTask) => stages.flatMap(({ jobs }) => jobs);
const scanning = (scannings: object[], more: object = {}) => ({
  ...{ name: "scan", type: "zadig-scanning" },
  spec: { source: "runtime", scannings, ...more },
});

async function makeScan(name: string, more: object): Promise<void> {
  const parameters = [{ key: "PATH", type: "string", default_value: `/workspace/bin:${process.env.PATH}` }];
  const body = { name, project_key: "shop", image_name: "ubuntu 20.04", parameters, ...more };
  const { text } = await slipway.call("POST", "/openapi/quality/codescan", { body });
  expect(text).toBe('{"message":"success"}');
}

/** A scan of the project of its name. */
function makeSonarScan(project: string, more: object = {}): Promise<void> {
  const sonar_parameter = `sonar.projectKey=${project}\nsonar.sources=.`;
  const gated = { enable_quality_gate: true, sonar_system: "main", sonar_parameter, prelaunch_script: bringsScanner };
  return makeScan(project, { scanner_type: "sonarQube", ...gated, ...more });
}

async function logOf(workflow: string, taskId: number, job: string): Promise<string> {
  return (await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${taskId}/${job}`)).text;
}

/** So that a job of one minute has none left when SonarQube is asked the next time. */
async function beginMinuteEarlier(workflow: string, taskId: number, name: string): Promise<void> {
  const owner = await findTaskOwner(workflow);
  if (owner === undefined) throw new Error(`workflow ${workflow} has no tasks`);
  const job = await waitFor(
    `job ${name} to wait for SonarQube`,
    async () => {
      const found = await findJob(owner.id, taskId, name);
      return found?.halfway !== undefined && found;
    },
    55,
  );
  const startTime = (job.startTime ?? 0) - 60;
  await table().write(changeJob({ owner, taskId }, job, { set: { startTime } }));
}

beforeAll(async () => {
  sonar = await startSonarServer(token);
  ({ slipway, tasks } = await startShop({
    podDelayMilliseconds: 0,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
  }));
  for (const [system_identity, secret] of [
    ["main", token],
    ["stranger", "squ_another-token"],
  ])
    await slipway.call("POST", "/api/aslan/system/sonar/integration", {
      body: { system_identity, server_address: sonar.url, token: secret },
    });
});

afterAll(async () => {
  await slipway?.close();
  await sonar?.close();
});

describe("a scan job", () => {
  test("of another scanner runs its script, once for each service module where it is for services", async () => {
    await makeScan("lint", {
      ...{ scanner_type: "other", script: 'echo "$SCANNING_NAME is $SCANNING_TYPE for $SERVICE_MODULE."; FOUND=7' },
      advanced_settings: { cluster_name: "local", outputs: ["FOUND"] },
    });
    const modules = ["web", "api"].map((service_module) => ({
      ...{ service_name: "shop", service_module, name: "lint" },
    }));
    const each = {
      ...scanning([], { scanning_type: "service_scanning", service_and_scannings: modules }),
      name: "each",
    };
    const after = {
      ...{ name: "after", type: "freestyle" },
      spec: { script: "echo {{.job.scan.lint.output.FOUND}}{{.job.each.shop.api.output.FOUND}}" },
    };
    const first = { name: "one", parallel: true, jobs: [scanning([{ name: "lint" }]), each] };
    await makeWorkflow("shop", { name: "linting", stages: [first, { name: "two", jobs: [after] }] });
    const id = await tasks.started("linting", ["scan", "each", "after"]);
    const task = await tasks.end("linting", id);
    const [plain, web] = jobsOf(task);
    expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual(Array(4).fill(["passed", ""]));
    expect(plain).toMatchObject({
      ...{ key: "scan.lint", job_info: { job_name: "scan", scanning_name: "lint" } },
      spec: {
        ...{ scanning_type: "", scanning_name: "lint", service_name: "", service_module: "", repos: [] },
        ...{ sonar_metrics: null, is_has_artifact: false, link_url: "" },
      },
    });
    expect(web).toMatchObject({ key: "each.shop.web", spec: { scanning_type: "service_scanning" } });
    expect(await logOf("linting", id, "scan")).toBe("lint is other for .\n");
    expect(await logOf("linting", id, "each.shop.api")).toBe("lint is other for api.\n");
    expect(await logOf("linting", id, "after")).toBe("77\n");
  });

  test("of SonarQube waits for the analysis and is judged by the gate", async () => {
    const gated = ["good", "poor", "slow", "shaky", "broken", "gone", "closed", "silent", "crashed"];
    for (const project of gated) await makeSonarScan(project);
    await makeSonarScan("endless", { advanced_settings: { cluster_name: "local", timeout: 1 } });
    await makeSonarScan("refused", { sonar_system: "stranger" });
    const names = [...gated, "endless", "refused"];
    const stage = { name: "one", parallel: true, jobs: [scanning(names.map((name) => ({ name })))] };
    await makeWorkflow("shop", { name: "gates", stages: [stage] });
    const id = await tasks.started("gates", ["scan"]);
    await beginMinuteEarlier("gates", id, `job-0-0-${names.indexOf("endless")}-scan`);
    const task = await tasks.end("gates", id, 60);
    const ends = jobsOf(task).map(({ spec, status, error }) => [spec.scanning_name, status, error]);
    expect(ends).toEqual([
      ["good", "passed", ""],
      ["poor", "failed", "the quality gate is ERROR, not OK: coverage is 43.3"],
      ["slow", "passed", ""],
      ["shaky", "passed", ""],
      ["broken", "failed", "SonarQube could not process the analysis: the report has no files"],
      ["gone", "failed", "SonarQube does not know the analysis task gone:task"],
      ["closed", "failed", "the token of the integration may not read the analysis task closed:task from SonarQube"],
      ["silent", "failed", "the scanner did not say which analysis it has asked for"],
      ["crashed", "failed", "step scanner ended with exit code 3"],
      ["endless", "timeout", "workflow timeout"],
      ["refused", "failed", "SonarQube does not accept the token of the integration"],
    ]);
    const metrics = { Ncloc: "1200", Bugs: "2", Vulnerabilities: "0", CodeSmells: "17", Coverage: "43.3" };
    const specOf = (name: string) => jobsOf(task).find(({ spec }) => spec.scanning_name === name)?.spec;
    expect(specOf("good")).toMatchObject({
      sonar_metrics: { QualityGateStatus: "OK", ...metrics },
      link_url: `${sonar.url}/dashboard?id=good`,
    });
    expect(specOf("poor")?.sonar_metrics).toEqual({ QualityGateStatus: "ERROR", ...metrics });
    expect(specOf("broken")?.sonar_metrics).toBeNull();
    const measured = sonar.asked.find((one) => one.includes("measures") && one.includes("component=good"));
    expect(measured).toContain("&branch=main");
    const log = await logOf("gates", id, "job-0-0-0-scan");
    expect(log).toContain(`scans good with -Dsonar.host.url=${sonar.url} -Dsonar.token=****** -Dsonar.login=******`);
    expect(JSON.stringify(task)).not.toContain(token);
  });

  test("without a gate passes with the numbers of a poor project, and without numbers where there are none", async () => {
    const parameter = (project: string) => ({
      enable_quality_gate: false,
      sonar_parameter: `sonar.projectKey=${project}\nsonar.branch.name = release/1`,
    });
    await makeSonarScan("open-poor", parameter("poor"));
    await makeSonarScan("open-gone", parameter("gone"));
    const after = {
      ...{ name: "after", type: "freestyle" },
      spec: {
        script:
          "echo {{.job.scan.open-poor.output.SonarProjectKey}} {{.job.scan.open-poor.output.SonarBranchKey}} {{.job.scan.open-poor.output.SonarCETaskID}}",
      },
    };
    const first = { name: "one", parallel: true, jobs: [scanning([{ name: "open-poor" }, { name: "open-gone" }])] };
    await makeWorkflow("shop", { name: "open", stages: [first, { name: "two", jobs: [after] }] });
    const id = await tasks.started("open", ["scan", "after"]);
    const task = await tasks.end("open", id);
    expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual(Array(3).fill(["passed", ""]));
    expect(jobsOf(task)[0]?.spec).toMatchObject({
      sonar_metrics: { QualityGateStatus: "ERROR", Bugs: "2" },
      link_url: `${sonar.url}/dashboard?id=poor&branch=release%2F1`,
    });
    expect(jobsOf(task)[1]?.spec.sonar_metrics).toBeNull();
    expect(await logOf("open", id, "after")).toBe("poor release/1 poor:task\n");
  });

  test("that was started by itself links to what SonarQube shows; its configuration names variables", async () => {
    await makeSonarScan("alone", {
      parameters: [
        { key: "PATH", type: "string", default_value: `/workspace/bin:${process.env.PATH}` },
        { key: "PROJECT_KEY", type: "string", value: "changed by the start" },
        { key: "CODE", type: "string", value: "a-secret-value", is_credential: true },
      ],
      sonar_parameter: `sonar.projectKey=\${PROJECT_KEY}\nsonar.branch.name=$CODE\nsonar.x=$SCANNING_NAME $UNKNOWN`,
      prelaunch_script: `${bringsScanner}\necho "$SONAR_PROPERTIES" | tr 'a-z\\n' 'A-Z;'; echo " at $TASK_URL"`,
    });
    const path = "/openapi/quality/codescan/alone/task";
    const body = { scan_kvs: [{ key: "PROJECT_KEY", value: "good" }] };
    const { json: started } = await slipway.call<{ task_id: number }>("POST", `${path}?projectKey=shop`, { body });
    const shown = await waitFor("the scan to be over", async () => {
      const { json } = await slipway.call<Record<string, unknown>>("GET", `${path}/${started.task_id}?projectKey=shop`);
      return json.status === "passed" && json;
    });
    expect(shown.result_link).toBe(`${sonar.url}/dashboard?id=good&branch=%24CODE`);
    const log = await slipway.call("GET", `/api/aslan/logs/log/scanning/alone/task/${started.task_id}?projectKey=shop`);
    const owner = await findTaskOwner("zadig-scanning-shop:alone");
    const page = `${slipway.runtime.url}/console/v1/projects/detail/shop/scanner/detail/alone/task/${started.task_id}?id=${owner?.id}`;
    // In capitals, which no mask knows.
    const properties = "SONAR.PROJECTKEY=GOOD;SONAR.BRANCH.NAME=A-SECRET-VALUE;SONAR.X=ALONE $UNKNOWN;";
    expect(log.text).toContain(`${properties} at ${page}\n`);
    expect(log.text).toContain("scans good with");
  });

  test.skipIf(!hasCurl)("keeps what it is told to, after a failure too", async () => {
    const script = "mkdir -p out; printf found > out/findings.txt; exit 5";
    const archive_paths = ["out/findings.txt", "nothing"];
    await makeScan("finding", { scanner_type: "other", script, archive_paths });
    const stage = { name: "one", jobs: [scanning([{ name: "finding" }])] };
    await makeWorkflow("shop", { name: "findings", stages: [stage] });
    const id = await tasks.started("findings", ["scan"]);
    const [job] = jobsOf(await tasks.end("findings", id));
    expect(job).toMatchObject({ status: "failed", spec: { is_has_artifact: true, link_url: "" } });
    const { json } = await slipway.call<{ files: { name: string; url: string }[] }>(
      "GET",
      `/openapi/logs/files/v4/workflow/findings/${id}/scan`,
    );
    expect(json.files.map(({ name }) => name)).toEqual(["archive/out/findings.txt"]);
    expect(await (await fetch(json.files[0]?.url ?? "")).text()).toBe("found");
  });

  test("runs its prelaunch script first, and fails with it", async () => {
    await makeSonarScan("unprepared", { prelaunch_script: "echo broken; exit 4" });
    // Without parameters the repository's own file counts.
    const ownFile = "printf 'sonar.projectKey=own\\n' > sonar-project.properties";
    await makeSonarScan("own", { prelaunch_script: `${bringsScanner}\n${ownFile}`, sonar_parameter: "" });
    const stage = { name: "one", parallel: true, jobs: [scanning([{ name: "own" }, { name: "unprepared" }])] };
    await makeWorkflow("shop", { name: "prelaunch", stages: [stage] });
    const id = await tasks.started("prelaunch", ["scan"]);
    const task = await tasks.end("prelaunch", id);
    expect(jobsOf(task).map(({ status, error }) => [status, error])).toEqual([
      ["passed", ""],
      ["failed", "step prelaunch ended with exit code 4"],
    ]);
    expect(jobsOf(task)[0]?.spec.link_url).toBe(`${sonar.url}/dashboard?id=own`);
    expect(await logOf("prelaunch", id, "job-0-0-0-scan")).toContain("scans own with");
  });

  test("is begun once though its execution dies while it waits, and is cancelled then", async () => {
    await makeSonarScan("waiting", { sonar_parameter: "sonar.projectKey=endless" });
    const stage = { name: "one", jobs: [scanning([{ name: "waiting" }])] };
    await makeWorkflow("shop", { name: "cancelling", stages: [stage] });
    const before = sonar.asked.length;
    const id = await tasks.started("cancelling", ["scan"]);
    await waitFor("SonarQube to be asked", async () => sonar.asked.length > before);
    const ownerId = (await findTaskOwner("cancelling"))?.id ?? "";
    const job = "job-0-0-0-scan";
    const waiting = await findJob(ownerId, id, job);
    await startJobRun({ ownerId, taskId: id, job, taskToken: waiting?.taskToken ?? "" });
    expect(await findJob(ownerId, id, job)).toEqual(waiting);
    expect((await tasks.cancel("cancelling", id)).status).toBe(200);
    const cancelled = await tasks.until("cancelling", id, "over", (task) => jobsOf(task)[0]?.status === "cancelled");
    expect(cancelled.status).toBe("cancelled");
  });
});
