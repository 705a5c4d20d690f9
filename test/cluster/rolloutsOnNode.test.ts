import { randomBytes } from "node:crypto";
import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { loadOperatorKubeconfig } from "../../shared/kube/client/operatorKubeconfig.ts";
import { localClusterId } from "../harness/boutique.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

const operator = await loadOperatorKubeconfig(process.env);

if (operator === undefined || process.env.SLIPWAY_NODE_REGISTRY === undefined) {
  console.warn(
    "SKIPPED: answers of real containers while they are rolled out. Set KUBECONFIG and SLIPWAY_NODE_REGISTRY, the registry of a node that runs containers.",
  );
  describe.skip("rollouts on a real node: there is none", () => test("skipped", () => {}));
} else {
  const namespace = `slipway-test-shift-${randomBytes(3).toString("hex")}`;
  const client = connect({ kind: "kubeconfig", text: operator.text, trusted: true });
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
    for (const service_name of ["blue", "few"])
      await ok("POST", "/openapi/service/yaml/raw?projectKey=shift", { service_name, yaml: manifest(service_name) });
    await ok("POST", "/openapi/environments?projectKey=shift", {
      ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
      services: [{ service_name: "blue" }, { service_name: "few" }],
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
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    const end = async () => {
      goesOn = false;
      await done;
      return { seen, failures };
    };
    return { seen, end };
  }

  const target = { container_name: "main", image: "toolbox:1", canary_percentage: 50 };
  const kinds = [
    {
      kind: "blue-green",
      service: "blue",
      spec: {
        env: "dev",
        services: [{ service_name: "blue", service_and_image: [{ service_module: "main", image: "toolbox:1" }] }],
      },
    },
    {
      kind: "canary",
      service: "few",
      spec: { cluster_id: localClusterId, namespace, targets: [{ k8s_service_name: "few", ...target }] },
    },
  ];

  describe("rollouts on a real node", () => {
    test.each(kinds)("no request fails in a $kind rollout", { timeout: 240_000 }, async ({ kind, service, spec }) => {
      const deploy = { name: "deploy", type: `k8s-${kind}-deploy`, spec };
      const release = { name: "release", type: `k8s-${kind}-release`, spec: { from_job: "deploy" } };
      await makeWorkflow("shift", {
        name: kind,
        stages: [
          { name: "beside", jobs: [deploy] },
          { name: "shift", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [release] },
        ],
      });
      const calls = caller(service);
      const task = await tasks.started(kind, ["deploy", "release"]);
      const stopped = await tasks.until(kind, task, "stop", ({ status }) => ["pause", "failed"].includes(status));
      expect(stopped.stages[0]?.jobs[0]).toMatchObject({ status: "passed", error: "" });
      const now = new Set(Object.keys(calls.seen));
      // The new pods share the traffic of a canary at once.
      if (kind === "canary") await waitFor("an answer of the canary", async () => Object.keys(calls.seen).length === 2);
      else expect([...now]).toEqual(["old"]);
      const path = `/openapi/workflows/custom/${kind}/task/${task}/manual-exec?projectKey=shift`;
      expect((await slipway.call("POST", path, { body: { stage_name: "shift" } })).status).toBe(200);
      const ended = await tasks.end(kind, task);
      expect(ended.stages[1]?.jobs[0]).toMatchObject({ status: "passed", error: "" });
      const before = { ...calls.seen };
      await waitFor("a hundred answers more", async () => {
        const more = (calls.seen["/usr/bin/git"] ?? 0) - (before["/usr/bin/git"] ?? 0);
        return more > 100;
      });
      const { seen, failures } = await calls.end();
      console.log(`${kind}: ${JSON.stringify(seen)} answers, ${failures.length} failures`);
      expect(failures).toEqual([]);
      expect(Object.keys(seen).sort()).toEqual(["/usr/bin/git", "old"]);
    });
  });
}
