import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { containersOf } from "../../shared/manifest/containers.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { prometheusValue, webValue } from "../../shared/workflows/jobs/rollout/analysis/analyse.ts";
import { findJob } from "../../shared/workflows/records/findTasks.ts";
import { findWorkflow } from "../../shared/workflows/saved/store/workflows.ts";
import { localClusterId } from "../harness/boutique.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import { lastingPort } from "../harness/lastingPort.ts";
import { servedYaml } from "../harness/manifests.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

const namespace = "shop-dev";
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let client: ClusterClient;

const services = [
  "good",
  "bad",
  "left",
  "served",
  "measured",
  "stepped",
  "refused",
  "late",
  "ignored",
  "tried",
  "failing",
  "endless",
  "invalid",
  "behind",
];

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
  }));
  client = connect({
    kind: "kubeconfig",
    text: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"),
    trusted: true,
  });
  for (const service_name of services) {
    const body = { service_name, yaml: servedYaml(service_name), variable_yaml: [] };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body })).status).toBe(200);
  }
  const body = {
    ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
    services: services.map((service_name) => ({ service_name })),
  };
  expect((await slipway.call("POST", "/openapi/environments?projectKey=shop", { body })).status).toBe(200);
  await untilStored(slipway, "dev", "success", "shop");
}, 120_000);

afterAll(async () => {
  client?.close();
  await slipway?.close();
});

const kinds = {
  canary: (name: string) => ({
    ...{ cluster_id: localClusterId, namespace },
    targets: [{ k8s_service_name: name, container_name: "main", image: `${name}:2`, canary_percentage: 50 }],
  }),
  "blue-green": (name: string) => ({
    env: "dev",
    services: [{ service_name: name, service_and_image: [{ service_module: "main", image: `${name}:2` }] }],
  }),
};

const stagesOf = (kind: keyof typeof kinds, name: string, analysis: unknown) => [
  {
    name: "all",
    jobs: [
      { name: "deploy", type: `k8s-${kind}-deploy`, spec: kinds[kind](name) },
      { name: "release", type: `k8s-${kind}-release`, spec: { from_job: "deploy", analysis } },
    ],
  },
];

async function started(kind: keyof typeof kinds, name: string, analysis: unknown): Promise<number> {
  await makeWorkflow("shop", { name, stages: stagesOf(kind, name, analysis) });
  return tasks.started(name, ["deploy", "release"]);
}

interface Looked {
  name: string;
  status: string;
  looks: { time: number; value: number | null; passed: boolean; reason: string }[];
}
const releaseOf = ({ stages }: ShownTask) => {
  const job = stages[0]?.jobs[1];
  if (job === undefined) throw new Error("no release");
  return { ...job, analysis: (job.spec.analysis ?? []) as Looked[] };
};

const find = (kind: "Deployment" | "Service", name: string) =>
  findObject(client, { apiVersion: kind === "Service" ? "v1" : "apps/v1", kind, name, namespace });

async function imageOf(name: string): Promise<unknown> {
  const live = await find("Deployment", name);
  const [container] = (live === undefined ? [] : containersOf(live)) as { image: string }[];
  return container?.image;
}
const selectorOf = async (name: string) => at((await find("Service", name)) ?? {}, ["spec", "selector"]);

const asked = { name: "a", provider: "web", integration_id: "f".repeat(24), query: "/status#/errors", success: "< 1" };

const manifest = (apiVersion: string, kind: string, script = "") => `apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: check }
${
  script &&
  `spec:
  backoffLimit: 0
  template:
    metadata: { labels: { app: check } }
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: "busybox:1", command: [sh, -c, '${script}'] }]
`
}`;
const jobOf = (script: string) => manifest("batch/v1", "Job", script);
const check = jobOf("exit 0");

/** Jobs beside the new pods of these services. */
async function jobsOf(...names: string[]): Promise<LiveObject[]> {
  const { items } = await client.list({ apiVersion: "batch/v1", kind: "Job" }, { namespace });
  const owners = names.map((name) => `${name}-canary`);
  return items.filter(({ metadata }) => owners.includes(metadata.ownerReferences?.[0]?.name ?? ""));
}

let added = 0;
async function addServer(type: string, address: string, token = ""): Promise<string> {
  added += 1;
  const body = { name: `server ${added}`, type, address, token };
  const { status, json, text } = await slipway.call<{ id: string }>("POST", "/api/aslan/system/observability", {
    body,
  });
  expect(status, text).toBe(200);
  return json.id;
}

interface Site {
  url: string;
  /** By path with query; `/never` is never answered. */
  answers: Map<string, string>;
  tokens: Set<string>;
  close(): Promise<void>;
}

async function startSite(): Promise<Site> {
  const answers = new Map<string, string>();
  const tokens = new Set<string>();
  const server = createServer(({ url = "", headers }, response) => {
    if (headers.authorization !== undefined) tokens.add(headers.authorization);
    const body = answers.get(url);
    if (url !== "/never") response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers, tokens },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Debian's, with an empty memory. */
async function startPrometheus(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-prometheus-"));
  writeFileSync(join(folder, "prometheus.yml"), "scrape_configs: []\n");
  const port = await lastingPort();
  const child = spawn(
    "prometheus",
    ["--config.file=prometheus.yml", `--storage.tsdb.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`],
    { cwd: folder, stdio: "ignore" },
  );
  const url = `http://127.0.0.1:${port}`;
  await waitFor("Prometheus to be ready", () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    url,
    close: async () => {
      child.kill();
      await once(child, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

// Each has a service of its own, and looks are ten seconds apart: one after the other they would take four minutes.
describe.concurrent("analysis of rollouts (decisions 12.5)", () => {
  test("new pods are looked at before the workload is rolled", async () => {
    const id = await started("canary", "good", [
      { name: "pods", count: 2 },
      { name: "once", success: "<= 0" },
    ]);
    const first = await tasks.until(
      "good",
      id,
      "looked at once",
      (task) => releaseOf(task).analysis[0]?.looks.length === 1,
    );
    expect([await imageOf("good"), await imageOf("good-canary")]).toEqual(["good:1", "good:2"]);
    expect(releaseOf(first).analysis.map(({ status }) => status)).toEqual(["running", "passed"]);
    const task = await tasks.end("good", id, 60);
    const { analysis, status, error } = releaseOf(task);
    expect([status, error, await imageOf("good"), await imageOf("good-canary")]).toEqual([
      "passed",
      "",
      "good:2",
      undefined,
    ]);
    const looks = analysis[0]?.looks ?? [];
    expect(looks).toMatchObject(Array(2).fill({ value: 0, passed: true, reason: "" }));
    expect((looks[1]?.time ?? 0) - (looks[0]?.time ?? 0)).toBeGreaterThanOrEqual(10);
  });

  test("one that fails too often takes the traffic back by itself", async () => {
    const id = await started("blue-green", "bad", [{ name: "none", failure: "== 0", count: 5, failure_limit: 1 }]);
    await tasks.until("bad", id, "looked at once", (task) => releaseOf(task).analysis[0]?.looks.length === 1);
    expect([await selectorOf("bad"), await imageOf("bad")]).toEqual([{ app: "bad-blue" }, "bad:1"]);
    const task = await tasks.end("bad", id, 60);
    const { analysis, status, error } = releaseOf(task);
    expect([status, error]).toEqual(["failed", "analysis none failed at 2 of 2 looks: 0 is == 0"]);
    expect(analysis).toMatchObject([{ status: "failed", looks: Array(2).fill({ value: 0, passed: false }) }]);
    expect([await selectorOf("bad"), await imageOf("bad"), await imageOf("bad-blue")]).toEqual([
      ...[{ app: "bad" }, "bad:1", undefined],
    ]);
  });

  test("pods that are gone are no data, which fails; a task that is cancelled meanwhile takes the traffic back", async () => {
    const id = await started("blue-green", "left", [{ name: "pods", count: 50, failure_limit: 50 }]);
    await tasks.until("left", id, "looking", (task) => releaseOf(task).analysis.length === 1);
    await client.remove({ apiVersion: "apps/v1", kind: "Deployment", name: "left-blue", namespace });
    const seen = await tasks.until("left", id, "looked at", (task) => releaseOf(task).analysis[0]?.looks.length === 1);
    expect(releaseOf(seen).analysis[0]?.looks).toMatchObject([
      { value: null, passed: false, reason: "there is nothing beside the workload" },
    ]);
    expect((await tasks.cancel("left", id)).status).toBe(200);
    await tasks.end("left", id, 60);
    await reconciler();
    await waitFor("the traffic to be back", async () => JSON.stringify(await selectorOf("left")) === '{"app":"left"}');
    expect(await imageOf("left")).toBe("left:1");
  });

  test("goes by Jobs beside the workload, one for each look, which leave with the new pods", async () => {
    const id = await started("canary", "tried", [
      { name: "check", provider: "job", query: jobOf("sleep 1"), count: 2 },
    ]);
    await tasks.until("tried", id, "looked at once", (task) => releaseOf(task).analysis[0]?.looks.length === 1);
    const [job, ...others] = await jobsOf("tried");
    expect([others, job?.metadata.name]).toEqual([[], expect.stringMatching(/^check-[0-9a-f]{12}$/)]);
    expect(job?.metadata.ownerReferences).toMatchObject([{ kind: "Deployment", name: "tried-canary" }]);
    expect(await imageOf("tried")).toBe("tried:1");
    const { analysis, status } = releaseOf(await tasks.end("tried", id, 90));
    expect([status, analysis[0]?.looks]).toMatchObject([
      "passed",
      Array(2).fill({ value: 0, passed: true, reason: "" }),
    ]);
    expect(await imageOf("tried")).toBe("tried:2");
    await waitFor("the Jobs to be gone", async () => (await jobsOf("tried")).length === 0);
  });

  test("a Job that fails, does not end in time, is refused by the cluster or would get the traffic takes the traffic back", async () => {
    const wrong = {
      failing: [jobOf("exit 3"), /Job "check-[0-9a-f]{12}" failed: BackoffLimitExceeded/],
      endless: [jobOf("sleep 60"), /Job "check-[0-9a-f]{12}" failed: DeadlineExceeded/],
      invalid: [jobOf("exit 0").replace("Never", "Sometimes"), /restartPolicy/],
      behind: [jobOf("exit 0").replace("app: check", "app: behind"), /would get the traffic of Service "behind"/],
    } as const;
    const all = Object.entries(wrong).map(async ([name, [query, reason]]) => {
      const id = await started("canary", name, [{ name: "check", provider: "job", query }]);
      if (name === "endless") await staysUnwritten(name, id);
      const { analysis, status, error } = releaseOf(await tasks.end(name, id, 90));
      expect([status, error]).toEqual(["failed", expect.stringMatching(/^analysis check failed at 1 of 1 looks: /)]);
      expect(analysis[0]?.looks).toMatchObject([{ value: null, passed: false, reason: expect.stringMatching(reason) }]);
      expect([await imageOf(name), await imageOf(`${name}-canary`)]).toEqual([`${name}:1`, undefined]);
    });
    await Promise.all(all);
    await waitFor("the Jobs to be gone", async () => (await jobsOf(...Object.keys(wrong))).length === 0);
  });

  /** While its Job runs, it is looked at every five seconds. */
  async function staysUnwritten(name: string, id: number): Promise<void> {
    const hasJob = async () => (await jobsOf(name)).length > 0;
    await waitFor("its Job", hasJob);
    const ownerId = (await findWorkflow(name))?.workflowId ?? "";
    const version = async () => (await findJob(ownerId, id, "job-0-1-0-release"))?.version;
    const before = await version();
    expect(before).toBeGreaterThan(1);
    await sleep(6000);
    expect([await version(), await hasJob()]).toEqual([before, true]);
  }

  describe("of what servers say", () => {
    let site: Site;
    beforeAll(async () => {
      site = await startSite();
    });
    afterAll(() => site.close());

    test("goes by a number in JSON, and gives the traffic back when that is too high", async () => {
      const integration_id = await addServer("web", `${site.url}/app`, "a-token");
      site.answers.set("/app/status?of=served", '{"errors":{"per/second":0.01}}');
      const query = "/status?of=served#/errors/per~1second";
      const entry = { name: "errors", provider: "web", integration_id, query, success: "< 0.05", count: 3 };
      const id = await started("blue-green", "served", [entry]);
      await tasks.until("served", id, "looked at once", (task) => releaseOf(task).analysis[0]?.looks.length === 1);
      site.answers.set("/app/status?of=served", '{"errors":{"per/second":0.2}}');
      const task = await tasks.end("served", id, 60);
      const { analysis, error } = releaseOf(task);
      expect(analysis[0]?.looks.map(({ value, passed }) => [value, passed])).toEqual([
        [0.01, true],
        [0.2, false],
      ]);
      expect(error).toBe("analysis errors failed at 1 of 2 looks: 0.2 is not < 0.05");
      expect([await selectorOf("served"), await imageOf("served")]).toEqual([{ app: "served" }, "served:1"]);
      expect(site.tokens).toEqual(new Set(["Bearer a-token"]));
    });

    test("is no number where there is none, and says what came instead", async () => {
      const id = await addServer("web", site.url);
      for (const [body, pointer, reason] of [
        ["<html>", "/a", "does not answer with JSON"],
        ['{"a":{"b":1}}', "/a", "there is no number at /a"],
        ['{"a":null}', "/a", "there is no number at /a"],
        ['{"a":""}', "/a", "there is no number at /a"],
        ['{"a":1}', "/__proto__", "there is no number at /__proto__"],
        ["[]", "/length", "there is no number at /length"],
      ] as const) {
        site.answers.set("/now", body);
        await expect(webValue(id, `/now#${pointer}`), body).rejects.toThrow(reason);
      }
      for (const [body, pointer, value] of [
        ["7", "", 7],
        ['{"a":["1.5"]}', "/a/0", 1.5],
        ['{"a":true}', "/a", 1],
      ] as const) {
        site.answers.set("/now", body);
        expect(await webValue(id, `/now#${pointer}`), body).toBe(value);
      }
      await expect(webValue(id, "/gone#/a")).rejects.toThrow("answers with status 404");
      await expect(webValue(id, "/never#/a")).rejects.toThrow("no complete answer within 10 s");
      await expect(webValue("f".repeat(24), "/now#")).rejects.toThrow("does not exist");
      await expect(prometheusValue(id, "up")).rejects.toThrow("is a web server");
      const inward = await addServer("web", "http://192.168.7.7");
      await expect(webValue(inward, "/latest#")).rejects.toThrow("192.168.7.7");
    });

    test("a task does not begin whose server is not there, or is of another type", async () => {
      const web = await addServer("web", site.url);
      for (const [integration_id, reason] of [
        ["f".repeat(24), `metric server ${"f".repeat(24)} does not exist`],
        [web, `metric server ${web} is of type web`],
      ] as const) {
        const entry = { name: "errors", provider: "prometheus", integration_id, query: "up", success: "== 1" };
        await makeWorkflow("shop", { name: `asks-${integration_id}`, stages: stagesOf("canary", "good", [entry]) });
        const answer = await tasks.start(`asks-${integration_id}`, ["deploy", "release"]);
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
      }
    });

    test.skipIf(!existsSync("/usr/bin/prometheus"))("goes by an expression of Prometheus", async () => {
      const prometheus = await startPrometheus();
      try {
        const integration_id = await addServer("prometheus", prometheus.url);
        for (const [expression, value] of [
          ["0.25", 0.25],
          ["vector(3)", 3],
          ['sum(up{job="nothing"}) or vector(0)', 0],
        ] as const)
          expect(await prometheusValue(integration_id, expression), expression).toBe(value);
        for (const [expression, reason] of [
          ['up{job="nothing"}', "there is no data"],
          ["1 / 0", "the expression is +Inf"],
          ["0 / 0", "the expression is NaN"],
          ["up[5m]", "neither a number nor an instant vector"],
          ['label_replace(vector(1), "a", "b", "", "") or vector(2)', "the expression has 2 series; it must have one"],
          ["sum(", "answers with status 400: invalid parameter"],
        ] as const)
          await expect(prometheusValue(integration_id, expression), expression).rejects.toThrow(reason);
        const entry = { name: "errors", provider: "prometheus", integration_id, query: "vector(0.2)" };
        const id = await started("canary", "measured", [{ ...entry, failure: "> 0.5" }]);
        const task = await tasks.end("measured", id, 60);
        const { analysis, status } = releaseOf(task);
        expect([status, await imageOf("measured")]).toEqual(["passed", "measured:2"]);
        expect(analysis).toMatchObject([{ status: "passed", looks: [{ value: 0.2, passed: true }] }]);
      } finally {
        await prometheus.close();
      }
    });
  });

  test.each([
    ["no list", { name: "a" }, "spec.analysis: must be a list"],
    ["no name", [{}], "spec.analysis[0].name: is required"],
    ["a name twice", [{ name: "a" }, { name: "a" }], "spec.analysis[1].name: a is used twice"],
    [
      "another provider",
      [{ name: "a", provider: "x" }],
      "spec.analysis[0].provider: must be kubernetes, prometheus, web or",
    ],
    ["no Job", [{ name: "a", provider: "job" }], "spec.analysis[0].query: is required"],
    ["a text for a Job", [{ name: "a", provider: "job", query: "true" }], "query: must be the manifest of one Job"],
    [
      "a pod for a Job",
      [{ name: "a", provider: "job", query: manifest("v1", "Pod") }],
      "must be a Job of batch/v1, and is a Pod of v1",
    ],
    ["two Jobs", [{ name: "a", provider: "job", query: `${check}---\n${check}` }], "must be the manifest of one Job"],
    [
      "a Job without pods",
      [{ name: "a", provider: "job", query: manifest("batch/v1", "Job") }],
      "must have spec.template.spec",
    ],
    [
      "a Job elsewhere",
      [{ name: "a", provider: "job", query: check.replace("name: check", "name: check, namespace: other") }],
      "must leave metadata.namespace out",
    ],
    [
      "a comparison with a Job",
      [{ name: "a", provider: "job", query: check, success: "== 0" }],
      "spec.analysis[0].success: must be empty",
    ],
    [
      "a server for a Job",
      [{ name: "a", provider: "job", query: check, integration_id: "f".repeat(24) }],
      "spec.analysis[0].integration_id: must be empty",
    ],
    ["no server", [{ ...asked, integration_id: undefined }], "spec.analysis[0].integration_id"],
    ["a server that is none", [{ ...asked, integration_id: "web" }], "must be the id of a metric server"],
    ["no query", [{ ...asked, query: "" }], "spec.analysis[0].query: query cannot be empty"],
    ["no pointer", [{ ...asked, query: "/status" }], "must be a path and a JSON pointer, such as"],
    ["an address for a path", [{ ...asked, query: "http://x/#/a" }], "must be a path and a JSON pointer, such as"],
    ["nothing to compare with", [{ ...asked, success: "" }], "spec.analysis[0].success: is empty, and so is failure"],
    ["an entry that is none", ["a"], "spec.analysis[0]"],
    ["a query", [{ name: "a", query: "up" }], "spec.analysis[0].query: must be empty"],
    ["no condition", [{ name: "a", success: "low" }], "spec.analysis[0].success: must be a comparison"],
    ["half a condition", [{ name: "a", failure: "> " }], "spec.analysis[0].failure: must be a comparison"],
    ["a short interval", [{ name: "a", interval: 9 }], "spec.analysis[0].interval: must be a whole number of seconds"],
    ["too many looks", [{ name: "a", count: 101 }], "spec.analysis[0].count: must be a whole number of looks"],
    ["a wrong limit", [{ name: "a", failure_limit: -1 }], "spec.analysis[0].failure_limit: must be a whole number"],
  ])("%s is refused when the workflow is saved", async (_, analysis, reason) => {
    const body = { name: "wrong", project: "shop", stages: stagesOf("canary", "good", analysis) };
    const answer = await slipway.call("POST", "/openapi/workflows/custom", { body });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  describe("of steps of a gray release", () => {
    const none = { name: "none", failure: "== 0" };
    const grayStages = (name: string, [few, all]: [unknown, unknown], more: object = {}) => {
      const target = { workload_name: name, container_name: "main", image: `${name}:2` };
      const first = { cluster_id: localClusterId, namespace, gray_scale: 50, targets: [target], analysis: few };
      const last = { from_job: "few", gray_scale: 100, analysis: all };
      const jobs = [
        { name: "few", type: "k8s-gray-release", spec: first, ...more },
        { name: "all", type: "k8s-gray-release", spec: last },
      ];
      return [{ name: "all", jobs }];
    };
    const begun = async (name: string, analyses: [unknown, unknown], more: object = {}): Promise<number> => {
      await makeWorkflow("shop", { name: `gray-${name}`, stages: grayStages(name, analyses, more) });
      return tasks.started(`gray-${name}`, ["few", "all"]);
    };
    const looksOf = ({ stages }: ShownTask, job: number) => (stages[0]?.jobs[job]?.spec.analysis ?? []) as Looked[];
    const endsOf = ({ stages }: ShownTask) => (stages[0]?.jobs ?? []).map(({ status, error }) => [status, error]);
    const replicasOf = async (name: string) => at((await find("Deployment", name)) ?? {}, ["spec", "replicas"]);
    const untilBack = (name: string) =>
      waitFor("the new pods to go", async () => {
        await reconciler();
        return (await find("Deployment", `${name}-zadig-gray`)) === undefined;
      });

    test("new pods are looked at under the share of each step, before the next one", async () => {
      const id = await begun("stepped", [[{ name: "pods", count: 2 }], [{ name: "still" }]]);
      const seen = await tasks.until(
        "gray-stepped",
        id,
        "looked at",
        (task) => looksOf(task, 0)[0]?.looks.length === 1,
      );
      expect(seen.stages[0]?.jobs[0]).toMatchObject({ status: "running", spec: { total_replica: 2, gray_replica: 1 } });
      expect([await replicasOf("stepped"), await replicasOf("stepped-zadig-gray")]).toEqual([1, 1]);
      const late = await tasks.until("gray-stepped", id, "at its end", (task) => looksOf(task, 1).length === 1, 60);
      expect(looksOf(late, 0)).toMatchObject([{ status: "passed", looks: Array(2).fill({ value: 0, passed: true }) }]);
      expect([await imageOf("stepped"), await imageOf("stepped-zadig-gray")]).toEqual(["stepped:1", "stepped:2"]);
      const task = await tasks.end("gray-stepped", id, 60);
      expect(endsOf(task)).toEqual(Array(2).fill(["passed", ""]));
      expect(looksOf(task, 1)).toMatchObject([{ status: "passed", looks: [{ value: 0, passed: true }] }]);
      expect([await imageOf("stepped"), await replicasOf("stepped")]).toEqual(["stepped:2", 2]);
      expect(await find("Deployment", "stepped-zadig-gray")).toBeUndefined();
    });

    test.each([
      ["refused", 0, [[none], undefined]],
      ["late", 1, [undefined, [none]]],
    ] as const)("what fails takes the whole release back: %s, at step %i", async (name, at, analyses) => {
      const id = await begun(name, [...analyses]);
      const task = await tasks.end(`gray-${name}`, id, 60);
      expect(endsOf(task)[at]).toEqual([
        "failed",
        expect.stringContaining("analysis none failed at 1 of 1 looks: 0 is == 0"),
      ]);
      expect(looksOf(task, at)).toMatchObject([{ status: "failed", looks: [{ value: 0, passed: false }] }]);
      await untilBack(name);
      expect([await imageOf(name), await replicasOf(name)]).toEqual([`${name}:1`, 2]);
    });

    test("goes no further where an error is ignored", async () => {
      const id = await begun("ignored", [[none], undefined], { error_policy: { policy: "ignore_error" } });
      const task = await tasks.end("gray-ignored", id, 60);
      expect(endsOf(task)).toEqual([
        ["unstable", expect.stringContaining("analysis none failed")],
        ["failed", expect.stringContaining("was taken back before")],
      ]);
      await untilBack("ignored");
      expect([await imageOf("ignored"), await replicasOf("ignored")]).toEqual(["ignored:1", 2]);
    });

    test("asks servers that are there", async () => {
      const entry = { ...asked, name: "errors" };
      await makeWorkflow("shop", { name: "gray-asks", stages: grayStages("refused", [undefined, [entry]]) });
      const answer = await tasks.start("gray-asks", ["few", "all"]);
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringContaining("job all: analysis errors asks a web"),
      ]);
    });
  });
});
