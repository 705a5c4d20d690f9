import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { boutique } from "../harness/boutique.ts";
import { givenTable } from "../harness/givenTable.ts";
import { startProgram } from "../harness/program.ts";
import { paste, type Reader, shellLines } from "../harness/readme.ts";
import { call } from "../harness/slipway.ts";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const kubeconfigPlace = ".slipway/sandbox/kubeconfig";
const seconds = 240;
const isError = /"type":"error"|"code":\d|command not found|curl: \(/;

/** A folder as a checkout is to the reader: with the examples. */
function readersFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(examples, join(folder, "examples"));
  return folder;
}

/**
 * A fresh Slipway on this machine, with its table in SLIPWAY_DYNAMODB_ENDPOINT where that is set; or the one of
 * SLIPWAY_README_ADDRESS and SLIPWAY_README_TOKEN with the cluster of KUBECONFIG, for example a stack in AWS, which is told
 * of the cluster and of a registry first, as docs/aws.md says.
 */
async function reader(): Promise<Reader> {
  const folder = readersFolder();
  const { SLIPWAY_README_ADDRESS: address, SLIPWAY_README_TOKEN: given, KUBECONFIG: kubeconfig } = process.env;
  if (address === undefined) {
    const table = givenTable(folder);
    const program = await startProgram({ SLIPWAY_DATA_DIR: join(folder, ".slipway"), ...table.settings });
    onTestFinished(async () => {
      await program.end("SIGTERM");
      await table.remove();
    });
    return { address: program.url, token: program.printed("Administrator token") ?? "", folder };
  }
  if (given === undefined || kubeconfig === undefined)
    throw new Error("SLIPWAY_README_ADDRESS needs SLIPWAY_README_TOKEN, and KUBECONFIG for its cluster");
  mkdirSync(join(folder, dirname(kubeconfigPlace)), { recursive: true });
  symlinkSync(kubeconfig, join(folder, kubeconfigPlace));
  const there: Reader = { address, token: given, folder, kubeconfig };
  const clusters = await call<unknown[]>(address, "GET", "/openapi/system/cluster", { token: given });
  if (clusters.json.length === 0) {
    const printed = await paste(shellLines("docs/aws.md", "A first deployment"), there, seconds);
    expect(printed, "an answer that is an error").not.toMatch(isError);
  }
  return there;
}

const isLocal = process.env.SLIPWAY_README_ADDRESS === undefined;
const hasHelm = !isLocal || (process.platform === "linux" && process.arch === "x64");

const inPath = (program: string): boolean =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));

test("the README's first steps work, pasted as one block", { timeout: 360_000 }, async () => {
  const there = await reader();
  const steps = [
    shellLines("README.md", "A first deployment"),
    shellLines("README.md", "A canary"),
    shellLines("README.md", "Started by a push"),
    shellLines("README.md", "A sub-environment"),
    shellLines("docs/first-workflow.md", "A first workflow"),
    shellLines("README.md", "A release plan"),
    // Its image goes into the registry of this machine.
    ...(isLocal ? [shellLines("README.md", "A delivery version")] : []),
    // Helm comes with the packages for this kind of machine alone.
    ...(hasHelm ? [shellLines("README.md", "Charts")] : []),
  ];
  const parts = steps.join("\n");
  const hasKubectl = inPath("kubectl");
  const printed = await paste(hasKubectl ? parts : parts.replace(/^KUBECONFIG=.*kubectl.*$/m, ""), there, seconds);
  const lines = printed.split("\n");

  expect(printed, "an answer that is an error").not.toMatch(isError);
  // The project, its services, the environment, the new revision, its rollout; a canary's workflow, its release; the workflow
  // of a push, its trigger; a service more, its deployment, the base, the
  // sub-environment and the project's deletion; a project, its workflow, the approval, the deletion; a project, its workflow,
  // the plan's content, two statuses, the deletion; a project, its version, the deletion; a project, the chart's upload, its
  // service, environment and deployment, the deletion.
  expect(lines.filter((line) => line === '{"message":"success"}')).toHaveLength(
    1 + boutique.size + 1 + 2 + 2 + 2 + 5 + (2 + 1 + 1) + (2 + 1 + 2 + 1) + (isLocal ? 3 : 0) + (hasHelm ? 5 : 0),
  );
  if (hasKubectl)
    expect(printed).toMatch(/exact: ann\n(?:.*\n){1,6} +host: cartservice\.boutique-ann\.svc\.cluster\.local/);
  if (hasHelm) expect(printed).toContain("replicaCount: 2");
  for (const name of boutique.keys()) {
    expect(lines).toContain(`${name}: running`);
    if (hasKubectl) expect(printed).toMatch(new RegExp(`^${name} +1/1 `, "m"));
  }
  expect(printed).toMatch(/^- +image: .*frontend:v0\.10\.6\n\+ +image: .*frontend:v0\.10\.5$/m);
  expect(printed).toContain('{"in_sync":true,');
  if (hasKubectl) expect(printed).toMatch(/^cartservice-canary +1\/1 /m);
  expect(printed).toMatch(/"delivery_id":"[^"]+"/);
  expect(printed).toMatch(/^data:/m);
  expect(lines.indexOf("hello you")).toBeGreaterThan(0);
  expect(lines.indexOf("released 1.1")).toBeGreaterThan(lines.indexOf("hello you"));
  expect(lines).toContain("System: task 1 started");
  expect(printed.match(/main: \S+\/slipway\/released\/cart:1\.0@sha256:[0-9a-f]{64}$/gm) ?? []).toHaveLength(
    isLocal ? 1 : 0,
  );
});
