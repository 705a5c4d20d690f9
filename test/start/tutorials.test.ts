import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boutique } from "../harness/boutique.ts";
import { givenTable } from "../harness/givenTable.ts";
import { paste, type Reader, shellLines } from "../harness/pastedLines.ts";
import { startProgram } from "../harness/program.ts";
import { call } from "../harness/slipway.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const kubeconfigPlace = ".slipway/sandbox/kubeconfig";
const seconds = 240;
const isError = /"type":"error"|"code":\d|command not found|curl: \(/;

/** Undone after the last test, the last first. */
const undo: (() => unknown)[] = [];
let there: Reader;
beforeAll(async () => {
  there = await reader();
}, 60_000);
afterAll(async () => {
  for (const one of undo.reverse()) await one();
});

/** A folder as a checkout is to the reader: with the examples. */
function readersFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-readme-"));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, "examples"), join(folder, "examples"));
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
    undo.push(table.remove, () => program.end("SIGTERM"));
    return { address: program.url, token: program.printed("Administrator token") ?? "", folder };
  }
  if (given === undefined || kubeconfig === undefined)
    throw new Error("SLIPWAY_README_ADDRESS needs SLIPWAY_README_TOKEN, and KUBECONFIG for its cluster");
  mkdirSync(join(folder, dirname(kubeconfigPlace)), { recursive: true });
  symlinkSync(kubeconfig, join(folder, kubeconfigPlace));
  const inAws: Reader = { address, token: given, folder, kubeconfig };
  const clusters = await call<unknown[]>(address, "GET", "/openapi/system/cluster", { token: given });
  if (clusters.json.length === 0) {
    const printed = await paste(shellLines("docs/aws.md", "A first deployment"), inAws, seconds);
    expect(printed, "an answer that is an error").not.toMatch(isError);
  }
  return inAws;
}

const isLocal = process.env.SLIPWAY_README_ADDRESS === undefined;
const hasHelm = !isLocal || (process.platform === "linux" && process.arch === "x64");
const hasKubectl = (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, "kubectl")));

interface Tutorial {
  /** How many of its requests answer nothing but success. */
  successes: number;
  /** False where it needs what is not there. */
  runs?: boolean;
  check?(printed: string, lines: string[]): void;
}

const tutorials: Readonly<Record<string, Tutorial>> = {
  "first-deployment": {
    // The project, its services, the environment, the new revision, its rollout, the deletion.
    successes: 1 + boutique.size + 1 + 2 + 1,
    check: (printed, lines) => {
      for (const name of boutique.keys()) {
        expect(lines).toContain(`${name}: running`);
        if (hasKubectl) expect(printed).toMatch(new RegExp(`^${name} +1/1 `, "m"));
      }
      expect(printed).toMatch(/^- +image: .*frontend:v0\.10\.6\n\+ +image: .*frontend:v0\.10\.5$/m);
      expect(printed).toContain('{"in_sync":true,');
      expect(printed).toMatch(/^data:/m);
    },
  },
  "first-workflow": {
    // The project, its workflow, the approval, the deletion.
    successes: 4,
    check: (_, lines) => {
      expect(lines.indexOf("hello you")).toBeGreaterThan(0);
      expect(lines.indexOf("released 1.1")).toBeGreaterThan(lines.indexOf("hello you"));
    },
  },
  canary: {
    // The project, its service, its environment, the workflow, the release, the deletion.
    successes: 6,
    check: (printed) => {
      if (hasKubectl) expect(printed).toMatch(/^cartservice-canary +1\/1 /m);
    },
  },
  push: {
    // The project, the workflow, its trigger, the deletion.
    successes: 4,
    check: (printed) => expect(printed).toMatch(/"delivery_id":"[^"]+"/),
  },
  "sub-environment": {
    // The project, its three services, two environments, the sharing, the deletion.
    successes: 1 + 3 + 2 + 1 + 1,
    check: (printed) => {
      const route = /exact: ann\n(?:.*\n){1,6} +host: cartservice\.shared-ann\.svc\.cluster\.local/;
      if (hasKubectl) expect(printed).toMatch(route);
    },
  },
  "release-plan": {
    // The project, its workflow, the plan's content, two statuses, the deletion.
    successes: 2 + 1 + 2 + 1,
    check: (_, lines) => expect(lines).toContain("System: task 1 started"),
  },
  "delivery-version": {
    // The project, its version, the deletion. Its image goes into the registry of this machine.
    ...{ successes: 3, runs: isLocal },
    check: (printed) => expect(printed).toMatch(/main: \S+\/slipway\/released\/cart:1\.0@sha256:[0-9a-f]{64}$/m),
  },
  chart: {
    // The project, the chart, its service, its environment, the deletion.
    ...{ successes: 5, runs: hasHelm },
    check: (printed) => expect(printed).toContain("replicaCount: 2"),
  },
};

test("every tutorial is pasted by a test, and begins with the same lines", () => {
  const files = readdirSync(join(root, "docs/tutorials")).map((file) => file.replace(/\.md$/, ""));
  expect(files.sort()).toEqual(Object.keys(tutorials).sort());
  const beginnings = files.map((name) => shellLines(`docs/tutorials/${name}.md`, "Before you begin"));
  expect(new Set(beginnings).size).toBe(1);
});

const runnable = Object.entries(tutorials).filter(([, { runs = true }]) => runs);

test.each(runnable)(
  "the tutorial %s works in a new terminal, pasted as one block",
  { timeout: 360_000 },
  async (name, tutorial) => {
    const all = shellLines(`docs/tutorials/${name}.md`);
    const printed = await paste(hasKubectl ? all : all.replace(/^KUBECONFIG=.*kubectl.*$/gm, ""), there, seconds);
    const lines = printed.split("\n");
    expect(printed, "an answer that is an error").not.toMatch(isError);
    expect(
      lines.filter((line) => line === '{"message":"success"}'),
      printed,
    ).toHaveLength(tutorial.successes);
    tutorial.check?.(printed, lines);
  },
);
