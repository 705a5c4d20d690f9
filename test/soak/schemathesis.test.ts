import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { boutique, createBoutique, environmentBody, localClusterId, untilStatus } from "../harness/boutique.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { storedPerson } from "../security/storedPerson.ts";

/** For each caller; half of it with names made up freely, half with names of records that exist. */
const seconds = Number(process.env.SLIPWAY_SOAK_SECONDS ?? 300);
/** With it every run tries the same, so that a smoke does not find by chance what the change before it brought. */
const seed = process.env.SLIPWAY_SOAK_SEED;
const project = "fuzz";
/** With names that exist these would take away what the others are tried on. */
const destructive = [
  "deleteProject",
  "removeTestEnvironment",
  "removeProductionEnvironment",
  "removeTestService",
  "removeProductionService",
];

/**
 * The checks stand here, because those named on the command line win over an operation's own. A missing code scan is
 * 500 (decisions 1.1), and so is a missing task of the older line (contract I 10.6).
 */
const general = `[checks]
enabled = false
not_a_server_error = { enabled = true, expected-statuses = ["2xx", "4xx"] }
status_code_conformance.enabled = true
content_type_conformance.enabled = true
response_schema_conformance.enabled = true

[[operations]]
include-path-regex = "/codescan/[^/]+/task|/workflowTask/id/[^/]+/pipelines/[^/]+$"
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", "500"]

# Before OpenAPI 3.2 a stream is one text; schemathesis takes its schema for that of each event.
[[operations]]
include-path-regex = "/events/stream$|/sse/"
checks.response_schema_conformance.enabled = false

# It would stay open until the request is given up, longer than all others take together.
[[operations]]
include-path-regex = "/events/stream$"
parameters = { once = "true" }
`;
const namesThatExist = `[parameters]
projectKey = "${project}"
name = "${project}"
serviceName = "frontend"
envName = "dev"
env_name = "dev"

[[operations]]
include-path-regex = "/production"
parameters = { envName = "prod", env_name = "prod" }
`;

const folder = mkdtempSync(join(tmpdir(), "slipway-schemathesis-"));
const program = join(folder, "venv", "bin", "schemathesis");
let slipway: Slipway;

beforeAll(async () => {
  const steps = [
    ["python3", "-m", "venv", join(folder, "venv")],
    [join(folder, "venv", "bin", "pip"), "install", "--quiet", "schemathesis==4.*"],
  ];
  for (const [command = "", ...args] of steps) if ((await run(command, args)).code !== 0) break;
  slipway = await startSlipway({ podDelayMilliseconds: 0 });
  await createBoutique(slipway, project);
  const inProject = `projectKey=${project}`;
  await created(`/openapi/environments?${inProject}`, environmentBody("dev", "fuzz-dev"));
  await untilStatus(slipway, project, "dev", "running");
  const yaml = boutique.get("frontend");
  await created(`/openapi/service/yaml/production/raw?${inProject}`, { service_name: "frontend", yaml });
  const production = { env_key: "prod", namespace: "fuzz-prod", cluster_id: localClusterId };
  await created(`/openapi/environments/production?${inProject}`, production);
  await waitFor("the production environment to stand", async () => {
    const list = await slipway.call<{ status: string }[]>("GET", `/openapi/environments/production?${inProject}`);
    return list.json[0]?.status === "success";
  });
  const services = { env_key: "prod", service_list: [{ service_name: "frontend" }] };
  await created(`/openapi/environments/production/service/yaml?${inProject}`, services);
}, 240_000);

afterAll(async () => {
  await slipway.close();
  rmSync(folder, { recursive: true, force: true });
});

const withRole = async (role: string) =>
  (await storedPerson("fuzzer", { namespace: project, roles: { [role]: [] } })).token;

const callers = {
  "a stranger": async () => (await storedPerson("fuzzer")).token,
  "a reader": () => withRole("read-only"),
  "a project administrator": () => withRole("project-admin"),
  "a system administrator": async () => adminToken,
};

describe.each(Object.keys(callers) as (keyof typeof callers)[])("schemathesis as %s", (caller) => {
  test.for([
    { names: "made up", configuration: general, excluded: [] },
    { names: "that exist", configuration: general + namesThatExist, excluded: destructive },
  ])("with names $names finds no failure of the server and nothing that is not documented", async (way, { skip }) => {
    if (!(await isInstalled())) {
      console.warn("SKIPPED: schemathesis needs python3 with venv and pip");
      skip("python3 or pip is missing");
    }
    const { code, output } = await fuzz(await callers[caller](), way.configuration, way.excluded);
    console.log(output.split("\n").slice(-25).join("\n"));
    expect(code, output).toBe(0);
    // A slow machine may use up the time before the first request.
    expect(Number(/^\s+Tested: (\d+)$/m.exec(output)?.[1]), output).toBeGreaterThan(0);
  });
});

async function created(path: string, body: object): Promise<void> {
  const answer = await slipway.call("POST", path, { body });
  expect(answer.status, answer.text).toBe(200);
}

async function isInstalled(): Promise<boolean> {
  return existsSync(program) && (await run(program, ["--version"])).code === 0;
}

async function fuzz(token: string, configuration: string, excluded: readonly string[]) {
  const file = join(folder, "schemathesis.toml");
  writeFileSync(file, configuration);
  return run(program, [
    ...["--config-file", file],
    "run",
    `${slipway.runtime.url}/openapi.json`,
    ...["--header", `Authorization: Bearer ${token}`],
    ...["--max-time", String(Math.max(5, Math.round(seconds / 2)))],
    ...(seed === undefined ? [] : ["--seed", seed]),
    ...["--request-timeout", "60"],
    ...["--suppress-health-check", "all"],
    "--continue-on-failure",
    ...excluded.flatMap((id) => ["--exclude-operation-id", id]),
  ]);
}

/** Runs a program in the temporary folder, so that what it writes goes with it. */
function run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
