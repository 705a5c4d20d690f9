import { randomBytes } from "node:crypto";
import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { readOperatorKubeconfig } from "../../shared/kube/client/endpoint/operatorKubeconfig.ts";
import { localClusterId } from "../harness/boutique.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await readOperatorKubeconfig(process.env);

if (operator === undefined || process.env.SLIPWAY_NODE_REGISTRY === undefined) {
  console.warn(
    "SKIPPED: answers of real containers while they are rolled out. Set KUBECONFIG and SLIPWAY_NODE_REGISTRY, the registry of a node that runs containers.",
  );
  describe.skip("rollouts on a real node: there is none", () => test("skipped", () => {}));
} else {
  const namespace = `slipway-test-shift-${randomBytes(3).toString("hex")}`;
  const client = connect({ kind: "kubeconfig", text: operator.text, trusted: true });
  const services = ["blue", "few", "steps"];
  /** What pods answer before, and with the image that is rolled out. */
  const [former, renewed] = ["old", "/usr/bin/git"] as const;
  const success = '{"message":"success"}';
  let slipway: Slipway;
  let tasks: ReturnType<typeof tasksOf>;

  /**
   * Two pods that serve which image they run. They end gracefully, as every server behind a Service has to: they answer for
   * some seconds more, until nobody is led to them.
   */
  const manifest = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name}, slipway.test/real: "true" } }
    spec:
      containers:
        - name: main
          image: busybox:1
          command: ["sh", "-c", "mkdir /tmp/www; (command -v git || echo old) > /tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www"]
          readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 }
          lifecycle: { preStop: { exec: { command: ["sleep", "4"] } } }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80, targetPort: 8080 }] }
`;

  beforeAll(async () => {
    slipway = await startSlipway({ kubeconfig: operator.text, settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
    tasks = tasksOf(slipway, "shift");
    const ok = async (method: string, path: string, body: object) =>
      expect((await slipway.call(method, path, { body })).text).toBe(success);
    const project = { project_name: "shift", project_key: "shift", is_public: false, project_type: "yaml" };
    await ok("POST", "/openapi/projects/project", project);
    for (const service_name of services)
      await ok("POST", "/openapi/service/yaml/raw?projectKey=shift", { service_name, yaml: manifest(service_name) });
    await ok("POST", "/openapi/environments?projectKey=shift", {
      ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
      services: services.map((service_name) => ({ service_name })),
    });
    await untilStored(slipway, "dev", "success", "shift");
  }, 180_000);

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client.close();
    await slipway?.close();
  });

  /** As kube-proxy does it: the ready addresses of a Service, looked at five times a second. */
  async function addressesOf(service: string): Promise<string[]> {
    const slices = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" };
    const labelSelector = `kubernetes.io/service-name=${service}`;
    const { items } = await client.list(slices, { namespace, labelSelector });
    const endpoints = items.flatMap(
      (slice) => (slice.endpoints ?? []) as { addresses: string[]; conditions: object }[],
    );
    return endpoints
      .filter(({ conditions }) => (conditions as { ready?: boolean }).ready)
      .flatMap((one) => one.addresses);
  }

  function ask(address: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = get({ host: address, port: 8080, agent: false, timeout: 5000 }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.once("end", () => (response.statusCode === 200 ? resolve(text.trim()) : reject(new Error(text))));
      });
      request.once("timeout", () => request.destroy(new Error("no answer within 5 s")));
      request.once("error", reject);
    });
  }

  /** Calls a Service all the time. */
  function caller(service: string) {
    const seen: Record<string, number> = {};
    const failures: string[] = [];
    const row = { answer: "", length: 0 };
    let goesOn = true;
    const done = (async () => {
      let addresses: string[] = [];
      let lookedAt = 0;
      for (let count = 0; goesOn; count++) {
        if (Date.now() > lookedAt + 200) {
          addresses = await addressesOf(service);
          lookedAt = Date.now();
        }
        const address = addresses[count % addresses.length];
        if (address === undefined) {
          failures.push("no address is ready");
          await new Promise((resolve) => setTimeout(resolve, 100));
          continue;
        }
        const answer = await ask(address).catch((error: Error) => {
          failures.push(`${address}: ${error.message}`);
          return "failed";
        });
        seen[answer] = (seen[answer] ?? 0) + 1;
        row.length = answer === row.answer ? row.length + 1 : 1;
        row.answer = answer;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const end = async () => {
      goesOn = false;
      await done;
      return { seen, failures };
    };
    const untilAll = (answer: string) =>
      waitFor(`a hundred times ${answer} in a row`, async () => row.answer === answer && row.length >= 100);
    const untilBoth = () => waitFor("answers of former and new pods", async () => former in seen && renewed in seen);
    return { seen, untilAll, untilBoth, end };
  }

  const byHand = { enabled: true, manual_exec_users: [] };

  /** Executes the stage that a task waits for; the task after it. */
  async function executed(workflow: string, task: number, stage: string) {
    const path = `/openapi/workflows/custom/${workflow}/task/${task}/manual-exec?projectKey=shift`;
    const { status, text } = await slipway.call("POST", path, { body: { stage_name: stage } });
    expect(status, text).toBe(200);
    return stopped(workflow, task, stage);
  }

  const stopped = (workflow: string, task: number, stage: string) =>
    tasks.until(
      workflow,
      task,
      `after ${stage}`,
      ({ status, stages }) => {
        const reached = stages.find(({ name }) => name === stage)?.status ?? "";
        return ["passed", "failed", "timeout"].includes(reached) && ["pause", "passed", "failed"].includes(status);
      },
      90,
    );

  const passed = { status: "passed", error: "" };

  const target = { container_name: "main", image: "toolbox:1", canary_percentage: 50 };
  const looked = { name: "pods", status: "passed", looks: [{ value: 0, passed: true }] };
  const kinds = [
    {
      kind: "blue-green",
      service: "blue",
      // While they are looked at, the new pods alone have the traffic.
      analysis: [{ name: "pods" }],
      spec: {
        env: "dev",
        services: [{ service_name: "blue", service_and_image: [{ service_module: "main", image: "toolbox:1" }] }],
      },
    },
    {
      kind: "canary",
      service: "few",
      analysis: [],
      spec: { cluster_id: localClusterId, namespace, targets: [{ k8s_service_name: "few", ...target }] },
    },
  ];

  describe("rollouts on a real node", () => {
    test.each(kinds)("no request fails in a $kind rollout", { timeout: 240_000 }, async (one) => {
      const { kind, service, analysis, spec } = one;
      const deploy = { name: "deploy", type: `k8s-${kind}-deploy`, spec };
      const release = { name: "release", type: `k8s-${kind}-release`, spec: { from_job: "deploy", analysis } };
      await makeWorkflow("shift", {
        name: kind,
        stages: [
          { name: "beside", jobs: [deploy] },
          { name: "shift", manual_exec: byHand, jobs: [release] },
        ],
      });
      const calls = caller(service);
      const task = await tasks.started(kind, ["deploy", "release"]);
      const atStop = await stopped(kind, task, "beside");
      expect(atStop.stages[0]?.jobs[0]).toMatchObject(passed);
      // The new pods share the traffic of a canary at once.
      if (kind === "canary") await calls.untilBoth();
      else expect(Object.keys(calls.seen)).toEqual([former]);
      const ended = await executed(kind, task, "shift");
      expect(ended.stages[1]?.jobs[0]).toMatchObject({
        ...passed,
        spec: analysis.length > 0 ? { analysis: [looked] } : {},
      });
      await calls.untilAll(renewed);
      const { seen, failures } = await calls.end();
      console.log(`${kind}: ${JSON.stringify(seen)} answers, ${failures.length} failures`);
      expect(failures).toEqual([]);
      expect(Object.keys(seen).sort()).toEqual([renewed, former]);
    });

    test("no request fails in a gray release, nor in one that is rolled back", { timeout: 240_000 }, async () => {
      const step = (name: string, gray_scale: number, more: object) => ({
        ...{ name, ...(name === "all" && { manual_exec: byHand }) },
        jobs: [{ name, type: "k8s-gray-release", spec: { gray_scale, ...more } }],
      });
      const place = { cluster_id: localClusterId, namespace };
      const steps = { workload_type: "Deployment", workload_name: "steps" };
      const begun = async (workflow: string, image: string, ...between: { name: string; jobs: object[] }[]) => {
        const targets = [{ ...steps, container_name: "main", image }];
        const stages = [step("few", 50, { ...place, targets }), ...between, step("all", 100, { from_job: "few" })];
        await makeWorkflow("shift", { name: workflow, stages });
        const names = stages.map(({ name }) => name);
        const task = await tasks.started(workflow, names);
        expect((await stopped(workflow, task, "few")).stages[0]?.jobs[0]).toMatchObject(passed);
        return task;
      };
      const calls = caller("steps");
      const task = await begun("gray", "toolbox:1");
      await calls.untilBoth();
      expect((await executed("gray", task, "all")).stages[1]?.jobs[0]).toMatchObject(passed);
      await calls.untilAll(renewed);

      const job = { name: "back", type: "k8s-gray-rollback", spec: { ...place, targets: [steps] } };
      const back = { name: "back", manual_exec: byHand, jobs: [job] };
      const other = await begun("undone", "busybox:1", back);
      const before = calls.seen[former] ?? 0;
      await waitFor("answers of the next release", async () => (calls.seen[former] ?? 0) > before);
      expect((await executed("undone", other, "back")).stages[1]?.jobs[0]).toMatchObject(passed);
      await calls.untilAll(renewed);
      expect((await tasks.cancel("undone", other)).status).toBe(200);
      const { seen, failures } = await calls.end();
      console.log(`gray: ${JSON.stringify(seen)} answers, ${failures.length} failures`);
      expect(failures).toEqual([]);
    });
  });
}
