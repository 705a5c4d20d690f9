import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, type Harness, startHarness } from "./harness.ts";
import { type Answer, field } from "./rawClient.ts";

describe("Jobs in the sandbox", () => {
  let harness: Harness;
  beforeAll(async () => {
    process.env.SLIPWAY_TEST_SECRET = "ours";
    harness = await startHarness();
  });
  afterAll(async () => {
    delete process.env.SLIPWAY_TEST_SECRET;
    await harness.stop();
  });

  const base = "/api/v1/namespaces/default";
  const jobs = "/apis/batch/v1/namespaces/default/jobs";

  function job(name: string, pod: object, spec: object = {}) {
    const template = { spec: { restartPolicy: "Never", terminationGracePeriodSeconds: 1, ...pod } };
    return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { backoffLimit: 0, template, ...spec } };
  }

  const script = (text: string, more: object = {}) => ({
    name: "main",
    image: "toolbox:1",
    command: ["sh", "-c", text],
    ...more,
  });

  async function run(body: ReturnType<typeof job>): Promise<{ end: Answer; pod: unknown; log: string }> {
    const { name } = body.metadata;
    expect(await harness.raw.send("POST", jobs, body)).toMatchObject({ code: 201 });
    const end = await eventually(
      () => harness.raw.send("GET", `${jobs}/${name}`),
      (answer) => /"type":"(Complete|Failed)"/.test(JSON.stringify(answer.body)),
    );
    const [pod] = field(await harness.raw.send("GET", `${base}/pods?labelSelector=job-name=${name}`), "items") as {
      metadata: { name: string };
    }[];
    const log = await harness.raw.send("GET", `${base}/pods/${pod?.metadata.name}/log?container=main`);
    return { end, pod, log: String(log.body) };
  }

  it("runs init containers, then the container, over shared and mounted files", async () => {
    await harness.raw.send("POST", `${base}/configmaps`, {
      kind: "ConfigMap",
      metadata: { name: "scripts" },
      data: { "run.sh": "echo $GREETING from $POD; cat /workspace/made; echo -n RESULT=1 > /dev/termination-log" },
    });
    const mounts = [
      { name: "ws", mountPath: "/workspace" },
      { name: "scripts", mountPath: "/etc/scripts" },
    ];
    const { end, pod, log } = await run(
      job("files", {
        initContainers: [{ ...script("echo made > /workspace/made"), name: "first", volumeMounts: mounts }],
        containers: [
          script("", {
            command: ["sh"],
            args: ["/etc/scripts/run.sh"],
            env: [
              { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              { name: "GREETING", value: "hello $(POD)" },
            ],
            volumeMounts: mounts,
          }),
        ],
        volumes: [
          { name: "ws", emptyDir: {} },
          { name: "scripts", configMap: { name: "scripts" } },
        ],
      }),
    );
    expect(log).toMatch(/^hello files-\w+ from files-\w+\nmade\n$/);
    expect(end.body).toMatchObject({ status: { succeeded: 1 } });
    expect(pod).toMatchObject({
      status: {
        phase: "Succeeded",
        containerStatuses: [{ state: { terminated: { exitCode: 0, message: "RESULT=1" } } }],
      },
    });
  });

  it("gives the process none of the sandbox's own variables", async () => {
    const { log } = await run(job("clean", { containers: [script("env")] }));
    expect(log).toContain("HOSTNAME=clean-");
    expect(log).not.toContain("SLIPWAY_TEST_SECRET");
  });

  it("reports exit codes, and images without a command", async () => {
    const failed = await run(job("exit", { containers: [script("echo no; exit 3")] }));
    expect(failed.pod).toMatchObject({
      status: { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
    });
    expect(failed.end.body).toMatchObject({ status: { failed: 1 } });
    const bare = await run(job("bare", { containers: [{ name: "main", image: "nginx:1" }] }));
    expect(bare.log).toBe("the sandbox runs commands, not images\n");
    expect(bare.pod).toMatchObject({ status: { containerStatuses: [{ state: { terminated: { exitCode: 127 } } }] } });
  });

  it("streams a log while it is written and ends with the container", async () => {
    await harness.raw.send("POST", jobs, job("stream", { containers: [script("echo one; sleep 0.3; echo two")] }));
    const pods = await eventually(
      async () => field(await harness.raw.send("GET", `${base}/pods?labelSelector=job-name=stream`), "items"),
      (items) => JSON.stringify(items).includes('"running"'),
    );
    const [pod] = pods as { metadata: { name: string } }[];
    const log = await harness.raw.send("GET", `${base}/pods/${pod?.metadata.name}/log?follow=true`);
    expect(log.body).toBe("one\ntwo\n");
  });

  it("ends a Job at its deadline and kills what still runs", async () => {
    const { end } = await run(job("late", { containers: [script("sleep 60")] }, { activeDeadlineSeconds: 1 }));
    expect(JSON.stringify(end.body)).toContain("DeadlineExceeded");
    await eventually(
      async () =>
        field(await harness.raw.send("GET", `${base}/pods?labelSelector=job-name=late`), "items") as unknown[],
      (items) => items.length === 0,
    );
  });

  it("forgets a finished Job after its time to live", async () => {
    await run(job("ttl", { containers: [script("true")] }, { ttlSecondsAfterFinished: 1 }));
    await eventually(
      () => harness.raw.send("GET", `${jobs}/ttl`),
      (answer) => answer.code === 404,
    );
  });
});
