import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readStoredBytes } from "../../../../shared/base/aws/objects/objectStore.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { collectContainerJob } from "../../../../shared/workflows/pods/collectContainerJob.ts";
import type { ContainerJob, ContainerStep, JobCache } from "../../../../shared/workflows/pods/rules/containerJob.ts";
import { storeContainerLog } from "../../../../shared/workflows/pods/storeContainerLog.ts";
import { type JobHarness, script, startJobHarness, storedText } from "../../../harness/jobHarness.ts";

const passing =
  '<testsuite tests="3" time="1.5"><testcase name="a" time="0.5"/><testcase name="b"/><testcase name="c"/></testsuite>';
const failing =
  '<testsuites><testsuite><testcase name="d"><failure message="1 &lt; 2" type="Wrong"><![CDATA[at <d>]]></failure></testcase></testsuite></testsuites>';
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("a job brings out", () => {
  let harness: JobHarness;
  let folder: string;
  const run = async (steps: readonly ContainerStep[], changes: Partial<ContainerJob> = {}, passRate?: number) => {
    const ref = await harness.start(harness.job(steps, changes));
    await harness.ended(ref);
    await storeContainerLog(ref, "jobs/report.log");
    const options = { deadline: nowSeconds() + 600, outputs: changes.outputs ?? [] };
    const collected = await collectContainerJob(ref, { ...options, ...(passRate !== undefined && { passRate }) });
    return { ...collected, log: await storedText("jobs/report.log") };
  };
  const write = (files: Record<string, string>, after = ""): ContainerStep =>
    script(
      `mkdir -p reports; cd reports; ${Object.entries(files)
        .map(([name, text]) => `cat > "${name}" <<'END'\n${text}\nEND\n`)
        .join("")}\n${after}`,
    );

  beforeAll(async () => {
    harness = await startJobHarness();
    folder = mkdtempSync(join(tmpdir(), "slipway-unpacked-"));
  });

  afterAll(async () => {
    await harness.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("its reports merged into one, also when its script failed", async () => {
    const files = { "b.xml": failing, "a one.xml": passing, "note.txt": "no report" };
    const { outcome, error, report, log } = await run([write(files, "exit 3")], { reportDirectory: "reports" });
    expect([outcome, error]).toEqual(["failed", "step script ended with exit code 3"]);
    const { testCases = [], ...counts } = report ?? {};
    expect(counts).toEqual({
      ...{ testCaseNum: 4, successCaseNum: 3, failedCaseNum: 1, errorCaseNum: 0, skipCaseNum: 0, testTime: 1.5 },
    });
    expect(testCases.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    expect(testCases[3]?.failure).toEqual({ message: "1 < 2", type: "Wrong", text: "at <d>" });
    expect(log).toBe("");
  });

  test("reports without the secrets that its script printed into them", async () => {
    const text =
      '<testsuite><testcase name="of s3cret-key"><error message="$KEY">$KEY is wrong</error></testcase></testsuite>';
    const step = script(`mkdir reports; cat > reports/a.xml <<END\n${text}\nEND\n`);
    const secretEnv = [{ name: "KEY", value: "s3cret-key" }];
    const { report } = await run([step], { reportDirectory: "reports", secretEnv });
    expect(report?.testCases).toEqual([
      { name: "of ******", time: 0, failure: null, error: { message: "******", type: "", text: "****** is wrong" } },
    ]);
  });

  test("a verdict by the required pass rate", async () => {
    const files = { "a.xml": passing, "b.xml": failing };
    expect((await run([write(files)], { reportDirectory: "reports" }, 75)).outcome).toBe("passed");
    const poor = await run([write(files)], { reportDirectory: "/workspace/reports/" }, 76);
    expect([poor.outcome, poor.error]).toEqual([
      "failed",
      "1 of 4 test cases failed: the pass rate of 75 % is below the required 76 %",
    ]);
  });

  test("a sentence where there is no report, or none that can be read", async () => {
    const none = await run([script("mkdir reports")], { reportDirectory: "reports" });
    expect([none.outcome, none.error, none.report?.testCaseNum]).toEqual([
      "failed",
      "the test report holds no test case",
      0,
    ]);
    const early = await run([script("exit 3")], { reportDirectory: "reports" });
    expect(early.error).toBe("step script ended with exit code 3");
    const broken = await run([write({ "a.xml": '<!DOCTYPE x [<!ENTITY a "b">]><testsuite' })], {
      reportDirectory: "reports",
    });
    expect(broken.error).toMatch(/^the test report cannot be read: a.xml is not JUnit XML: /);
    const large = script("mkdir reports; head -c 6000000 /dev/urandom > reports/a.xml");
    expect((await run([large], { reportDirectory: "reports" })).error).toBe(
      "the test report cannot be read: it has more than 4194304 bytes compressed",
    );
  });

  test("outputs beside its reports, where its many containers leave them little room", async () => {
    const names = ["A", "B", "C"];
    const value = "0123456789".repeat(120);
    const steps = [1, 2, 3, 4, 5, 6].map((n) =>
      script(n === 6 ? names.map((name) => `${name}=${value}`).join("\n") : ":", `s${n}`),
    );
    const first = write({ "a.xml": passing });
    const { outcome, outputs, report } = await run([{ ...first, name: "s0" }, ...steps], {
      outputs: names,
      reportDirectory: "reports",
    });
    expect([outcome, outputs, report?.testCaseNum]).toEqual(["passed", { A: value, B: value, C: value }, 3]);
  });

  test.skipIf(!hasCurl)("files and folders into the object store, by addresses that no log shows", async () => {
    const upload = { required: true };
    const archive: ContainerStep = {
      kind: "archive",
      name: "archive",
      always: true,
      uploads: [
        { ...upload, path: "dist/$NAME.txt", objectKey: "jobs/w/1/a b.txt" },
        { ...upload, path: "/workspace/dist", objectKey: "jobs/w/1/dist.tar.gz" },
        { path: "nothing", objectKey: "jobs/w/1/nothing", required: false },
      ],
    };
    const env = [{ name: "NAME", value: "app" }];
    const first = script("mkdir dist; printf content > dist/app.txt; exit 4");
    const { outcome, error, log } = await run([first, archive], { env });
    expect([outcome, error]).toEqual(["failed", "step script ended with exit code 4"]);
    // Without namespaces of its own the sandbox runs in the pod's folder.
    expect(log.replace(/\S*\/workspace/g, "/workspace")).toBe(
      "archived /workspace/dist/app.txt\narchived /workspace/dist\n/workspace/nothing does not exist\n",
    );
    expect((await readStoredBytes("jobs/w/1/a b.txt")).toString()).toBe("content");
    writeFileSync(join(folder, "dist.tar.gz"), await readStoredBytes("jobs/w/1/dist.tar.gz"));
    const unpacked = spawnSync("tar", ["-xzOf", join(folder, "dist.tar.gz"), "dist/app.txt"], { encoding: "utf8" });
    expect(unpacked.stdout).toBe("content");
    const missing = { ...archive, uploads: [{ ...upload, path: "nothing", objectKey: "jobs/w/1/nothing" }] };
    const failed = await run([missing]);
    expect([failed.error, failed.log.replace(/\S*\/workspace/g, "/workspace")]).toEqual([
      "step archive ended with exit code 1",
      "/workspace/nothing does not exist\n",
    ]);
  });

  test.skipIf(!hasCurl)(
    "a cache that the next run finds, and none after a failure or where it is ignored",
    async () => {
      const count = script('cat "$CACHE/count" 2>/dev/null || echo none; echo x >> "$CACHE/count"; exit "$CODE"');
      const once = async (directory: string, code: string, ignoreCache = false): Promise<string | undefined> => {
        const cache: JobCache = { directory, medium: { kind: "object", objectKey: `jobs/cache${directory}.tar.gz` } };
        const env = [
          { name: "CACHE", value: directory },
          { name: "CODE", value: code },
        ];
        const { log } = await run([count], { cache, env, ignoreCache });
        return log
          .split("\n")
          .filter((line) => line === "none" || /^x+$/.test(line))
          .join("");
      };
      for (const directory of ["/workspace", "/var/cache/deep/er"]) {
        const codes = ["0", "0", "1", "0"];
        const seen: (string | undefined)[] = [];
        for (const code of codes) seen.push(await once(directory, code));
        expect(seen).toEqual(["none", "x", "xx", "xx"]);
      }
      expect(await once("/workspace", "0", true)).toBe("none");
    },
  );

  test("nothing of this machine: its variables stay here, and packages are not installed on it", async () => {
    process.env.SLIPWAY_CANARY = "canary";
    process.env.AWS_CANARY = "canary";
    const step = {
      ...script("env; echo $WORKSPACE; pwd"),
      packages: [{ name: "canary-package", version: "1.0" }],
    } as ContainerStep;
    const { outcome, log } = await run([step], { env: [{ name: "WORKSPACE", value: "/workspace" }] });
    expect(outcome).toBe("passed");
    expect(log).toMatch(/^the sandbox does not install packages on this machine: canary-package=1.0\n/);
    expect(log).toMatch(/\/workspace\n.*\/workspace\n$/);
    expect(log).not.toMatch(/^(SLIPWAY|AWS|KUBECONFIG)/m);
  });
});
