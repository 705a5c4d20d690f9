import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOfPieces } from "../../../../shared/base/common/timedLines.ts";
import { nowSeconds } from "../../../../shared/base/store/ids.ts";
import { localClusterId } from "../../../../shared/kube/clusters/store/clusters.ts";
import type { LivePod } from "../../../../shared/kube/live/liveTypes.ts";
import { jobWaitsOf } from "../../../../shared/kube/waits/jobWaits.ts";
import { removeContainerJobRecord } from "../../../../shared/workflows/jobs/container/containerRunner.ts";
import { collectContainerJob } from "../../../../shared/workflows/pods/collectContainerJob.ts";
import { followContainerLog } from "../../../../shared/workflows/pods/followContainerLog.ts";
import { findJob, findPod, hasStarted, stepStatuses } from "../../../../shared/workflows/pods/liveJob.ts";
import { jobLogKey } from "../../../../shared/workflows/pods/names.ts";
import { removeContainerJob } from "../../../../shared/workflows/pods/removeContainerJob.ts";
import type { ContainerJobRef, ContainerStep } from "../../../../shared/workflows/pods/rules/containerJob.ts";
import { jobManifest } from "../../../../shared/workflows/pods/rules/jobManifest.ts";
import { startContainerJob } from "../../../../shared/workflows/pods/startContainerJob.ts";
import { storeContainerLog } from "../../../../shared/workflows/pods/storeContainerLog.ts";
import { stuckReason } from "../../../../shared/workflows/pods/stuckReason.ts";
import { type JobHarness, script, startJobHarness, storedText, textOf } from "../../../harness/jobHarness.ts";
import { waitFor } from "../../../harness/waitFor.ts";

const none: LivePod = { apiVersion: "v1", kind: "Pod", metadata: { name: "none" } };

describe("a job in containers", () => {
  let harness: JobHarness;
  let count = 0;
  const forever = (): number => nowSeconds() + 600;
  const key = (): string => jobLogKey({ workflowKey: "Ship_it", taskId: ++count, jobTaskName: "build" });
  const collect = (ref: ContainerJobRef, outputs: readonly string[] = [], deadline = forever()) =>
    collectContainerJob(ref, { deadline, outputs });
  const logOf = async (ref: ContainerJobRef): Promise<string> => {
    const objectKey = key();
    await storeContainerLog(ref, objectKey);
    return storedText(objectKey);
  };
  const live = (ref: ContainerJobRef, tailLines = 1000) =>
    textOf(textOfPieces(followContainerLog(ref, { tailLines, signal: AbortSignal.timeout(60_000) })));
  const objects = async ({ namespace, name }: ContainerJobRef) => {
    const kinds = ["batch/v1 Job", "v1 Secret", "v1 Pod"];
    const lists = kinds.map((kind) => {
      const [apiVersion = "", what = ""] = kind.split(" ");
      return harness.client.list({ apiVersion, kind: what }, { namespace, labelSelector: `s-name=${name}` });
    });
    return (await Promise.all(lists)).flatMap(({ items }) =>
      items.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    );
  };

  beforeAll(async () => {
    harness = await startJobHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  test("brings out what its scripts leave in declared variables and files, and nothing else", async () => {
    const text =
      "export GREETING='hello  \"world\"'\nLINES='a\nb'\nOTHER=x\nprintf 'from a file' > /zadig/results/FILED\n";
    const outputs = ["GREETING", "LINES", "EMPTY", "FILED", "GIVEN"];
    const job = harness.job([script(text), script('test -n "$WORKSPACE"; GREETING=$GREETING', "later")], {
      outputs,
      env: [
        { name: "GIVEN", value: "$(HOME) $HOME $$" },
        { name: "WORKSPACE", value: "/workspace" },
      ],
    });
    const ref = await harness.start(job);
    await harness.ended(ref);
    expect(await collect(ref, outputs)).toEqual({
      outcome: "passed",
      error: "",
      outputs: { GREETING: 'hello  "world"', LINES: "a\nb", FILED: "from a file", GIVEN: "$(HOME) $HOME $$" },
    });
  });

  test("shares its workspace among its steps, which run in their order", async () => {
    const steps = [
      script("pwd; echo one > left", "first"),
      script("cat left; echo two >> left", "second"),
      script("cat left", "third"),
    ];
    const ref = await harness.start(harness.job(steps));
    await harness.ended(ref);
    expect((await logOf(ref)).split("\n").slice(1)).toEqual(["one", "one", "two", ""]);
    expect((await collect(ref)).outcome).toBe("passed");
  });

  test("fails with the exit code of the step that failed; later steps do not run, those marked always do", async () => {
    const last = { ...script("echo cleaning", "cleaning"), always: true } as const;
    const steps = [script("OUT=left; echo working; exit 7", "compile"), script("echo never", "second"), last];
    const ref = await harness.start(harness.job(steps, { outputs: ["OUT"] }));
    await harness.ended(ref);
    const error = "step compile ended with exit code 7";
    expect(await collect(ref, ["OUT"])).toEqual({ outcome: "failed", error, exitCode: 7, outputs: { OUT: "left" } });
    expect(await logOf(ref)).toBe("working\ncleaning\n");
  });

  test.each([
    ["a script with a wrong word", "if then", "script"],
    ["set -e", "set -e\nfalse\necho never", "script"],
    ["set -u", "set -u\necho $nobody_knows_it", "script"],
  ])("fails after %s", async (_, text) => {
    const ref = await harness.start(harness.job([script(text)]));
    await harness.ended(ref);
    const { outcome, error } = await collect(ref);
    expect([outcome, error]).toEqual(["failed", expect.stringMatching(/^step script ended with exit code [1-9]\d*$/)]);
    expect(await logOf(ref)).not.toContain("never");
  });

  test("keeps outputs of up to 4,096 bytes, and fails beyond", async () => {
    const fitting = "x".repeat(4096 - '{"A":"","B":""}'.length - 10);
    const run = async (more: string) => {
      const env = [{ name: "A", value: fitting }];
      const ref = await harness.start(harness.job([script(`B=${more}`)], { outputs: ["A", "B"], env }));
      await harness.ended(ref);
      return collect(ref, ["A", "B"]);
    };
    const fits = await run("0123456789");
    expect(fits).toEqual({ outcome: "passed", error: "", outputs: { A: fitting, B: "0123456789" } });
    const error = "the outputs of the job have more than 4096 bytes as JSON";
    expect(await run("0123456789x")).toEqual({ outcome: "failed", error, outputs: {} });
    expect(await run("0".repeat(5000))).toEqual({ outcome: "failed", error, outputs: {} });
  });

  test("shows secrets nowhere: not in its stored log, not in its live one, not on the Job", async () => {
    const secrets = {
      TOKEN: "s3cr3t-$(HOME)-value",
      KEY: "-----BEGIN KEY-----\nQ=\nQUJDREVGR0g\nQQ=\n-----END KEY-----",
    };
    const text = `
      echo "token=$TOKEN;"
      printf '%s' "\${TOKEN%%alue}"; sleep 0.3; echo alue
      echo "$KEY"
      [ "$TOKEN" = 's3cr3t-$(HOME)-value' ]`;
    const secretEnv = Object.entries(secrets).map(([name, value]) => ({ name, value }));
    const job = harness.job([script(text.replace("'s3cr3t-$(HOME)-value'", '"$TOKEN"'))], {
      secretEnv,
      masks: ["token="],
    });
    const ref = await harness.start(job);
    const seen = live(ref);
    await harness.ended(ref);
    const stored = await logOf(ref);
    // Each line of a secret of several lines is masked by itself.
    expect(stored).toBe(`************;\n${"******\n".repeat(6)}`);
    expect(await seen).toBe(stored);
    const made = JSON.stringify(
      await harness.client.get({ apiVersion: "batch/v1", kind: "Job", namespace: ref.namespace, name: ref.name }),
    );
    for (const secret of Object.values(secrets)) expect(made).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect((await collect(ref)).outcome).toBe("passed");
  });

  test("sends its log while it is written, from the first step to the last, as it is stored then", async () => {
    const steps = [
      script("for i in 1 2 3; do echo first $i; sleep 0.2; done", "first"),
      script("printf 'no end'", "second"),
      script("echo last", "third"),
    ];
    const ref = await harness.start(harness.job(steps));
    const arrivals: string[] = [];
    const following = (async () => {
      const log = followContainerLog(ref, { tailLines: 10, signal: AbortSignal.timeout(60_000) });
      for await (const chunk of textOfPieces(log)) arrivals.push(Buffer.from(chunk).toString());
    })();
    await waitFor("the first line before the end", async () => arrivals.join("").includes("first 1"));
    expect((await collect(ref)).outcome).toBe("running");
    await harness.ended(ref);
    await following;
    const stored = await logOf(ref);
    expect(stored).toBe("first 1\nfirst 2\nfirst 3\nno end\nlast\n");
    expect(arrivals.join("")).toBe(stored);
    expect(arrivals.length).toBeGreaterThan(1);
    expect(await live(ref, 3)).toBe("first 3\nno end\nlast\n");
  });

  test("ends with the time it was given, and leaves nothing", async () => {
    const ref = await harness.start(harness.job([script("echo begun; sleep 300")]));
    const deadline = nowSeconds() + 2;
    await harness.ended(ref, deadline);
    const error = "the job did not end within its time";
    expect(await collect(ref, [], deadline)).toEqual({ outcome: "timeout", error, outputs: {} });
    expect(await logOf(ref)).toBe("begun\n");
    await removeContainerJob(ref);
    await removeContainerJob(ref);
    await waitFor("nothing of it", async () => (await objects(ref)).length === 0);
  });

  test("is cancelled without anybody being told, and its log ends", async () => {
    const ref = await harness.start(
      harness.job([script("echo begun; sleep 300")], { secretEnv: [{ name: "A", value: "b" }] }),
    );
    const isOver = await harness.awaited(ref);
    const log = live(ref);
    await waitFor("the wait", async () => (await jobWaitsOf(localClusterId)).some(({ name }) => name === ref.name));
    await waitFor("its pod", async () => (await objects(ref)).some((object) => object.startsWith("Pod")));
    await removeContainerJobRecord(ref);
    await removeContainerJob(ref);
    await waitFor("nothing of it", async () => (await objects(ref)).length === 0);
    await log;
    expect(await isOver()).toBe(false);
  });

  test("that is deleted by somebody else has failed", async () => {
    const ref = await harness.start(harness.job([script("sleep 300")]));
    const isOver = await harness.awaited(ref);
    await waitFor("its pod", async () => (await objects(ref)).some((object) => object.startsWith("Pod")));
    await harness.client.remove({ apiVersion: "batch/v1", kind: "Job", namespace: ref.namespace, name: ref.name });
    await waitFor("the token", isOver);
    const { outcome, error } = await collect(ref);
    expect([outcome, error]).toEqual(["failed", `Job ${ref.name} was deleted from the cluster while it was awaited`]);
  });

  test("is started once, however often it is asked for", async () => {
    const job = harness.job([script("echo once")], { secretEnv: [{ name: "A", value: "bcd" }] });
    const [ref] = await Promise.all([harness.start(job), harness.start(job)]);
    await startContainerJob({ ...job, steps: [script("echo twice")] });
    await harness.ended(ref);
    await startContainerJob(job);
    const pod = (await objects(ref)).filter((object) => object.startsWith("Pod"));
    expect([pod.length, await logOf(ref)]).toEqual([1, "once\n"]);
  });

  test("is started whole by a repetition, wherever the first start was cut off", async () => {
    const job = harness.job([script('echo "$A"')], { secretEnv: [{ name: "A", value: "bcd" }] });
    const { namespace, name } = job;
    const tools = { git: "", buildkit: "", tools: "tools:1", buildkitMode: "privileged" } as const;
    const made = jobManifest(job, { images: tools, signed: new Map(), mainName: "build" });
    // The Job alone, and a Secret that an earlier Job of the same name left.
    await harness.client.create(made.job);
    await harness.client.create({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type: "Opaque" });
    const ref = await harness.start(job);
    await harness.ended(ref);
    expect([(await collect(ref)).outcome, await logOf(ref)]).toEqual(["passed", "******\n"]);
    await harness.client.remove({ apiVersion: "batch/v1", kind: "Job", namespace, name });
    await waitFor("nothing of it", async () => (await objects(ref)).length === 0);
  });

  test("is found by the reconciler when its watcher died", async () => {
    await harness.setWatching(false);
    const ref = await harness.start(harness.job([script("echo alone")]));
    const isOver = await harness.awaited(ref);
    await waitFor("its end", async () => (await collect(ref)).outcome === "passed");
    expect(await isOver()).toBe(false);
    await harness.setWatching(true);
    await harness.reconcile();
    await waitFor("the token", isOver);
    await waitFor("no wait", async () => (await jobWaitsOf(localClusterId)).length === 0);
  });

  test("is watched beside others by one watcher", async () => {
    const refs = await Promise.all(
      [1, 2, 3, 4].map((n) => harness.start(harness.job([script(`sleep 0.${n}; exit ${n % 2}`)]))),
    );
    await Promise.all(refs.map((ref) => harness.ended(ref)));
    const outcomes = (await Promise.all(refs.map((ref) => collect(ref)))).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["failed", "passed", "failed", "passed"]);
  });

  test("is stuck when its pod does not start for two minutes and the cluster warns", async () => {
    const ref = await harness.start(
      harness.job([{ ...script("echo never"), image: "nobody/has:missing" } as ContainerStep]),
    );
    const look = async (seconds: number) => {
      const [job, pod] = await Promise.all([findJob(harness.client, ref), findPod(harness.client, ref)]);
      return job && stuckReason(harness.client, ref, { job, pod }, { now: nowSeconds() + seconds });
    };
    await waitFor("the warning", async () => (await look(130)) !== undefined);
    expect(await look(100)).toBeUndefined();
    // The image of the script, not that of the tools beside it.
    const pulling = "the job's pod does not start: ImagePullBackOff: Back-off pulling image nobody/has:missing";
    expect(await look(130)).toContain(pulling);
    const running = await harness.start(harness.job([script("sleep 20")]));
    await waitFor("its script", async () =>
      stepStatuses((await findPod(harness.client, running)) ?? none).some(hasStarted),
    );
    const [job, pod] = await Promise.all([findJob(harness.client, running), findPod(harness.client, running)]);
    const longAfter = { now: nowSeconds() + 1000 };
    expect(job && (await stuckReason(harness.client, running, { job, pod }, longAfter))).toBeUndefined();
    await Promise.all([removeContainerJob(ref), removeContainerJob(running)]);
  });

  test("that needs a cluster says so on the sandbox", async () => {
    const build: ContainerStep = {
      kind: "imageBuild",
      name: "image",
      image: "registry.local/a:1",
      contextDirectory: ".",
      dockerfile: "",
      buildArgs: "--build-arg A='$(id)' --no-cache",
      platforms: "",
      cacheImage: "",
    };
    const plugin = { kind: "command", name: "plugin", image: "plugin:1", command: [], args: [] } as const;
    const builds = await harness.start(harness.job([build]));
    const plugs = await harness.start(harness.job([plugin]));
    await Promise.all([harness.ended(builds), harness.ended(plugs)]);
    expect((await collect(builds)).error).toMatch(
      /^step image ended with exit code 127: building an image needs a cluster/,
    );
    expect(await logOf(builds)).toMatch(/^building an image needs a cluster: /);
    expect((await collect(plugs)).error).toBe(
      "step plugin ended with exit code 127: the sandbox runs commands, not images",
    );
  });

  test("runs the command of a plugin with arguments that nobody interprets", async () => {
    const command = ["sh", "-c", 'printf "%s|" "$@"', "sh"];
    const plugin = {
      kind: "command",
      name: "plugin",
      image: "plugin:1",
      command,
      args: ["$(HOME)", "a  b", "$HOME"],
    } as const;
    const ref = await harness.start(harness.job([plugin, script("echo after", "after")]));
    await harness.ended(ref);
    expect(await logOf(ref)).toBe("$(HOME)|a  b|$HOME|\nafter\n");
  });
});
