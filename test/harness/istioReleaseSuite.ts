import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { containersOf } from "../../shared/manifest/containers.ts";
import type { KubeObject } from "../../shared/manifest/schema/kubeObject.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { environmentBody, localClusterId, untilStatus } from "./boutique.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownTask, tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

export interface MeshStandingForReleases {
  slipway: Slipway;
  kubeconfig: string;
  /**
   * Where istiod has calls to `http://<service>` from a pod of the namespace go: per cent by `<subset>|<host>`. Without it
   * only the objects tell.
   */
  sharesOf?: (namespace: string, service: string, headers: Record<string, string>) => Promise<Shares>;
}

export type Shares = Record<string, number>;

const apiVersion = "networking.istio.io/v1";
const environments = "/openapi/environments";
const success = '{"message":"success"}';

const deployment = (name: string, more = "replicas: 4", app = name) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  ${more}
  selector: { matchLabels: { app: ${app} } }
  template:
    metadata: { labels: { app: ${app} } }
    spec:
      containers: [{ name: main, image: "${name}:1" }]
`;
const service = (name: string, app = name) => `---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${app} }, ports: [{ name: http, port: 80 }] }
`;
const autoscaler = (name: string) => `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }, minReplicas: 2, maxReplicas: 4 }
`;

const services: Record<string, string> = {
  web: deployment("web") + service("web"),
  back: deployment("back", "replicas: 2") + service("back"),
  routed: deployment("routed", "replicas: 2") + service("routed"),
  other: deployment("other", "replicas: 1") + service("other"),
  alone: deployment("alone"),
  twofold: deployment("twofold") + service("twofold") + service("second", "twofold"),
  asleep: deployment("asleep", "replicas: 0") + service("asleep"),
  paused: deployment("paused") + service("paused"),
  scaled: deployment("scaled") + service("scaled") + autoscaler("scaled"),
  pair: `${deployment("pair") + service("pair")}---\n${deployment("more", "replicas: 1").replaceAll("app: more", "app: pair, more: one")}`,
};

interface StepJob {
  name: string;
  type: string;
  spec: Record<string, unknown>;
}

/** Releases that shift calls in a mesh (decisions 12.4), told by the cluster and by istiod where there is one. */
export function istioReleaseSuite(cluster: string, open: () => Promise<MeshStandingForReleases>): void {
  const projectKey = `istio${randomBytes(3).toString("hex")}`;
  const ns = (env: string) => `${projectKey}-${env}`;
  let standing: MeshStandingForReleases;
  let slipway: Slipway;
  let client: ClusterClient;
  let tasks: ReturnType<typeof tasksOf>;

  const call = <T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
    slipway.call<T>(
      method,
      `${path}${path.includes("?") ? "&" : "?"}projectKey=${projectKey}`,
      body === undefined ? {} : { body },
    );
  async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
    expect((await answer).text).toBe(success);
  }
  const named = (...names: string[]) => names.map((service_name) => ({ service_name }));
  const untilRunning = (env: string) => untilStatus(slipway, projectKey, env, "running");
  const hostIn = (env: string, name: string) => `${name}.${ns(env)}.svc.cluster.local`;
  const find = (env: string, kind: string, name: string) => {
    const versions: Record<string, string> = { Deployment: "apps/v1", Service: "v1" };
    return findObject(client, { apiVersion: versions[kind] ?? apiVersion, kind, name, namespace: ns(env) });
  };
  async function imageOf(env: string, name: string): Promise<unknown> {
    const live = await find(env, "Deployment", name);
    const [container] = (live === undefined ? [] : containersOf(live)) as { image: string }[];
    return container?.image;
  }
  const replicasIn = async (env: string, name: string) => at(await find(env, "Deployment", name), ["spec", "replicas"]);

  const stable = (env: string, name: string) => `slipway-stable|${hostIn(env, name)}`;
  const fresh = (env: string, name: string) => `slipway-new|${hostIn(env, name)}`;
  const plain = (env: string, name: string): Shares => ({ [`|${hostIn(env, name)}`]: 100 });
  const shared = (env: string, name: string, share: number): Shares => ({
    [stable(env, name)]: 100 - share,
    [fresh(env, name)]: share,
  });

  /** What istiod tells the proxies of the namespace, once it has heard. */
  async function expectCalls(
    from: string,
    name: string,
    wanted: Shares,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const { sharesOf } = standing;
    if (sharesOf === undefined) return;
    let seen: Shares = {};
    await waitFor(`istiod to lead ${name} from ${from} by ${JSON.stringify(wanted)}`, async () => {
      seen = await sharesOf(ns(from), name, headers);
      return JSON.stringify(Object.entries(seen).sort()) === JSON.stringify(Object.entries(wanted).sort());
    }).catch(() => expect(seen).toEqual(wanted));
  }

  const target = (workload_name: string, image: string, more: object = {}) => ({
    ...{ workload_name, container_name: "main", image },
    ...more,
  });
  const stepsOf = (
    env: string,
    targets: readonly object[],
    weights: readonly number[],
    more: Record<string, unknown> = {},
  ): StepJob[] =>
    weights.map((weight, at) => {
      const first = { cluster_id: localClusterId, namespace: ns(env), targets };
      const spec = { weight, ...more, ...(at === 0 ? first : { from_job: "step-0" }) };
      return { name: `step-${at}`, type: "istio-release", spec };
    });
  const rollbackJob = (env: string, workload_name: string): StepJob => ({
    ...{ name: "rollback", type: "istio-rollback" },
    spec: { cluster_id: localClusterId, namespace: ns(env), targets: [{ workload_name }] },
  });

  const isAt = (task: ShownTask, stage: number): boolean =>
    task.end_time !== undefined || (task.status === "pause" && (task.stages[stage]?.jobs[0]?.status ?? "") !== "");

  /** A workflow of one job a stage, each but the first begun by a person; it has done the first. */
  async function begun(workflow: string, jobs: readonly StepJob[]) {
    const stages = jobs.map((job, at) => ({
      ...{ name: `stage-${at}`, jobs: [job] },
      ...(at > 0 && { manual_exec: { enabled: true, manual_exec_users: [] } }),
    }));
    await makeWorkflow(projectKey, { name: workflow, stages });
    const id = await tasks.started(
      workflow,
      jobs.map(({ name }) => name),
    );
    return { id, task: await tasks.until(workflow, id, "after its first step", (task) => isAt(task, 0)) };
  }
  async function stepped(workflow: string, id: number, stage: number): Promise<ShownTask> {
    const path = `/openapi/workflows/custom/${workflow}/task/${id}/manual-exec`;
    const answer = await call("POST", path, { stage_name: `stage-${stage}` });
    if (answer.status !== 200) throw new Error(`stage: ${answer.status} ${answer.text}`);
    return tasks.until(workflow, id, `after step ${stage}`, (task) => isAt(task, stage));
  }
  const ended = ({ stages }: ShownTask): unknown[] =>
    stages.flatMap(({ jobs }) => jobs.map(({ status, error }) => [status, error]));
  const jobAt = ({ stages }: ShownTask, stage: number) => stages[stage]?.jobs[0];

  const scale = (env: string, workload_name: string, target_replicas: number) =>
    call("POST", `${environments}/scale`, {
      ...{ project_key: projectKey, env_key: env, service_name: workload_name, workload_name, target_replicas },
      workload_type: "Deployment",
    });

  /** Nothing of a release is left, and the workload is anybody's again. */
  async function expectNothingLeft(env: string, name: string): Promise<void> {
    await waitFor("the new pods to go", async () => {
      await reconciler();
      return (await find(env, "Deployment", `${name}-istio`)) === undefined;
    });
    await reconciler();
    expect(await find(env, "DestinationRule", `slipway-${name}`)).toBeUndefined();
    expect(await find(env, "VirtualService", `slipway-${name}.release`)).toBeUndefined();
    await ok(scale(env, name, Number(await replicasIn(env, name)) + 1));
    await ok(scale(env, name, Number(await replicasIn(env, name)) - 1));
  }

  const routesIn = async (env: string, name: string) => {
    const live = await find(env, "VirtualService", name);
    return { http: at(live, ["spec", "http"]), note: live?.metadata.annotations?.["slipway.dev/former-routes"] };
  };

  beforeAll(async () => {
    standing = await open();
    slipway = standing.slipway;
    tasks = tasksOf(slipway, projectKey);
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: projectKey, project_key: projectKey, is_public: false, project_type: "yaml" };
    await ok(slipway.call("POST", "/openapi/projects/project", { body: project }));
    for (const [service_name, yaml] of Object.entries(services))
      await ok(call("POST", "/openapi/service/yaml/raw", { service_name, yaml, variable_yaml: [] }));
    const create = (env: string, names: string[], more: object = {}) =>
      call("POST", environments, { ...environmentBody(env, ns(env)), services: named(...names), ...more });
    expect(
      (
        await create(
          "dev",
          Object.keys(services).filter((name) => name !== "back"),
        )
      ).status,
    ).toBe(200);
    expect((await create("base", ["web", "back"])).status).toBe(200);
    await untilStatus(slipway, projectKey, "dev", "running", 60).catch(() => undefined);
    await untilRunning("base");
    await ok(call("POST", `${environments}/base/share/enable`));
    await untilRunning("base");
    const sub = { sub_env: { enable: true, base_env: "base" } };
    expect((await create("sub", ["back"], sub)).status).toBe(200);
    await untilRunning("sub");
  }, 180_000);

  afterAll(async () => {
    for (const env of ["dev", "sub", "base"])
      await client?.remove({ apiVersion: "v1", kind: "Namespace", name: ns(env) });
    client?.close();
    await slipway?.close();
  });

  describe(`releases by Istio on ${cluster}`, () => {
    const passed = ["passed", ""];
    const with_ = (job: StepJob, spec: object): StepJob => ({ ...job, spec: { ...job.spec, ...spec } });

    test("calls are shifted step by step until all pods are new, and the release can be rolled back later", async () => {
      await expectCalls("dev", "web", plain("dev", "web"));
      const { id, task } = await begun("web", stepsOf("dev", [target("web", "web:2")], [20, 50, 100]));
      expect(ended(task)[0]).toEqual(passed);
      expect(jobAt(task, 0)?.spec).toMatchObject({
        ...{ first_job: true, weight: 20, replica_percentage: 20, replicas: 1, namespace: ns("dev") },
        targets: {
          workload_name: "web",
          container_name: "main",
          image: "web:2",
          current_replica: 4,
          target_replica: 1,
        },
      });
      await expectCalls("dev", "web", shared("dev", "web", 20));
      await expectCalls("base", "web", plain("base", "web"));
      const rule = await find("dev", "DestinationRule", "slipway-web");
      expect(at(rule, ["spec"])).toEqual({
        host: hostIn("dev", "web"),
        subsets: [
          { name: "slipway-stable", labels: { "slipway.dev/release": "stable" } },
          { name: "slipway-new", labels: { "slipway.dev/release": "new" } },
        ],
      });
      expect([await imageOf("dev", "web"), await imageOf("dev", "web-istio")]).toEqual(["web:1", "web:2"]);
      expect([await replicasIn("dev", "web"), await replicasIn("dev", "web-istio")]).toEqual([4, 1]);
      const labelled = (value: string) =>
        client.list(
          { apiVersion: "v1", kind: "Pod" },
          { namespace: ns("dev"), labelSelector: `app=web,slipway.dev/release=${value}` },
        );
      await waitFor("former pods to have the label", async () => (await labelled("stable")).items.length === 4);
      expect((await labelled("new")).items).toHaveLength(1);
      const refused = await scale("dev", "web", 5);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`task ${id} of workflow web`)]);
      const shown = await call<{ scales: Record<string, unknown>[] }>("GET", `${environments}/dev/services/web`);
      expect(
        shown.json.scales.map((one) => `${one.name} ${one.vendor_release_type}/${one.vendor_release_tag}`),
      ).toEqual(["web istio/origin", "web-istio istio/istio"]);

      const second = await stepped("web", id, 1);
      expect(jobAt(second, 1)).toMatchObject({ status: "passed", error: "" });
      expect(jobAt(second, 1)?.spec).toMatchObject({ first_job: false, weight: 50, replicas: 2 });
      await expectCalls("dev", "web", shared("dev", "web", 50));
      expect(await replicasIn("dev", "web-istio")).toBe(2);

      const last = await stepped("web", id, 2);
      expect(ended(last)).toEqual([passed, passed, passed]);
      expect(jobAt(last, 2)?.spec).toMatchObject({ weight: 100, replicas: 4 });
      await expectCalls("dev", "web", plain("dev", "web"));
      expect([await imageOf("dev", "web"), await replicasIn("dev", "web")]).toEqual(["web:2", 4]);
      await expectNothingLeft("dev", "web");
      const path = `/openapi/environments/services/yaml?envName=dev&serviceName=web`;
      expect((await call("GET", path)).text).toContain("web:2");

      const { task: back } = await begun("web-back", [rollbackJob("dev", "web")]);
      expect(ended(back)).toEqual([passed]);
      expect(jobAt(back, 0)?.spec).toMatchObject({ image: "web:1", replicas: 4 });
      expect([await imageOf("dev", "web"), await replicasIn("dev", "web")]).toEqual(["web:1", 4]);
      await expectCalls("dev", "web", plain("dev", "web"));
      const again = await tasks.end("web-back", await tasks.started("web-back", ["rollback"]));
      expect(jobAt(again, 0)?.error).toContain("has no release by Istio that could be rolled back");
    });

    test("a task that is cancelled leaves calls and pods as they were, and so does one that rolls back by itself", async () => {
      const image = await imageOf("dev", "web");
      const { id } = await begun("left", stepsOf("dev", [target("web", "web:7")], [30, 100]));
      await expectCalls("dev", "web", shared("dev", "web", 30));
      await ok(tasks.cancel("left", id));
      await tasks.end("left", id);
      await expectNothingLeft("dev", "web");
      await expectCalls("dev", "web", plain("dev", "web"));

      const [first, last] = stepsOf("dev", [target("web", "web:7")], [30, 100]) as [StepJob, StepJob];
      const own = await begun("undone", [first, rollbackJob("dev", "web"), last]);
      expect(ended(own.task)[0]).toEqual(passed);
      expect(jobAt(await stepped("undone", own.id, 1), 1)).toMatchObject({ status: "passed", error: "" });
      await expectCalls("dev", "web", plain("dev", "web"));
      expect(await find("dev", "Deployment", "web-istio")).toBeUndefined();
      const task = await stepped("undone", own.id, 2);
      expect(jobAt(task, 2)).toMatchObject({ status: "failed", error: expect.stringContaining("taken back") });
      await expectNothingLeft("dev", "web");
      expect([await imageOf("dev", "web"), await replicasIn("dev", "web")]).toEqual([image, 4]);
    });

    test("a step is looked at under its share, and what fails there leads every call back", async () => {
      const image = await imageOf("dev", "web");
      const steps = stepsOf("dev", [target("web", "web:6")], [25, 50, 100]) as [StepJob, StepJob, StepJob];
      const [few, half, all] = steps;
      const looked = [{ name: "pods" }];
      const doubted = [{ name: "none", failure: "== 0" }];
      const jobs = [with_(few, { analysis: looked }), with_(half, { analysis: doubted }), all];
      const { id, task } = await begun("weighed", jobs);
      expect(jobAt(task, 0)).toMatchObject({
        ...{ status: "passed", error: "" },
        spec: {
          ...{ replicas: 1, analysis: [{ status: "passed", looks: [{ value: 0, passed: true }] }] },
          event: [
            { message: 'Deployment "web-istio" starts beside the workload, to have 1 new pods' },
            { event_type: "info", message: "25 per cent of the calls go to the new pods" },
          ],
        },
      });
      await expectCalls("dev", "web", shared("dev", "web", 25));
      expect(jobAt(await stepped("weighed", id, 1), 1)).toMatchObject({
        ...{ status: "failed", error: "analysis none failed at 1 of 1 looks: 0 is == 0" },
        spec: { replicas: 2, analysis: [{ status: "failed", looks: [{ value: 0, passed: false }] }] },
      });
      await expectNothingLeft("dev", "web");
      await expectCalls("dev", "web", plain("dev", "web"));
      expect([await imageOf("dev", "web"), await replicasIn("dev", "web")]).toEqual([image, 4]);
    });

    test("a workload that somebody changes between two steps is not stepped over, and keeps that", async () => {
      const { id } = await begun("changed", stepsOf("dev", [target("web", "web:8")], [30, 100]));
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: ns("dev") };
      await client.patch(ref, { type: "merge", body: { spec: { replicas: 5 } } });
      const task = await stepped("changed", id, 1);
      expect(jobAt(task, 1)).toMatchObject({
        ...{ status: "failed", error: expect.stringContaining("was changed since it was deployed beside") },
      });
      await waitFor("the new pods to go", async () => {
        await reconciler();
        return (await find("dev", "Deployment", "web-istio")) === undefined;
      });
      await expectCalls("dev", "web", plain("dev", "web"));
      expect(await replicasIn("dev", "web")).toBe(5);
    });

    describe("with routes of the people's own", () => {
      const http = [
        {
          match: [{ uri: { prefix: "/v2" } }],
          route: [{ destination: { host: "routed", port: { number: 80 } } }],
          timeout: "7s",
        },
        {
          route: [
            { destination: { host: "routed" }, weight: 75 },
            { destination: { host: "other" }, weight: 25 },
          ],
        },
      ];
      const own = { kind: "VirtualService", apiVersion, name: "people" };
      const make = (spec: object, name = "people") =>
        client.apply({ kind: own.kind, apiVersion, metadata: { name, namespace: ns("dev") }, spec } as KubeObject);

      test("each keeps its matches and its other destinations, and is as before at the end", async () => {
        await make({ hosts: ["routed"], http });
        const before = await routesIn("dev", "people");
        const targets = [target("routed", "routed:2", { virtual_service_name: "people", host: "routed" })];
        const { id, task } = await begun("routed", stepsOf("dev", targets, [20, 100]));
        expect(ended(task)[0]).toEqual(passed);
        const { http: now, note } = await routesIn("dev", "people");
        expect(now).toEqual([
          {
            ...http[0],
            route: [
              { destination: { host: "routed", port: { number: 80 }, subset: "slipway-stable" }, weight: 80 },
              { destination: { host: "routed", port: { number: 80 }, subset: "slipway-new" }, weight: 20 },
            ],
          },
          {
            route: [
              { destination: { host: "routed", subset: "slipway-stable" }, weight: 6000 },
              { destination: { host: "routed", subset: "slipway-new" }, weight: 1500 },
              { destination: { host: "other" }, weight: 2500 },
            ],
          },
        ]);
        expect(JSON.parse(note ?? "").routed.routes).toEqual({ http });
        await expectCalls("dev", "routed", {
          ...{ [stable("dev", "routed")]: 60, [fresh("dev", "routed")]: 15 },
          ...{ [`|${hostIn("dev", "other")}`]: 25 },
        });
        expect(await find("dev", "VirtualService", "slipway-routed.release")).toBeUndefined();

        // Another workload behind the same routes, by another task.
        const second = await begun("routed-other", stepsOf("dev", [target("other", "other:2")], [50, 100]));
        expect(ended(second.task)[0]).toEqual(passed);
        await expectCalls("dev", "routed", {
          ...{ [stable("dev", "routed")]: 60, [fresh("dev", "routed")]: 15 },
          ...{ [stable("dev", "other")]: 12.5, [fresh("dev", "other")]: 12.5 },
        });
        expect(ended(await stepped("routed", id, 1))).toEqual([passed, passed]);
        await expectCalls("dev", "routed", {
          ...{ [`|${hostIn("dev", "routed")}`]: 75 },
          ...{ [stable("dev", "other")]: 12.5, [fresh("dev", "other")]: 12.5 },
        });
        expect(ended(await stepped("routed-other", second.id, 1))).toEqual([passed, passed]);
        expect(await routesIn("dev", "people")).toEqual(before);
        await expectNothingLeft("dev", "routed");
        await expectNothingLeft("dev", "other");
      });

      test("what somebody writes into them meanwhile stays", async () => {
        const { id } = await begun("edited", stepsOf("dev", [target("routed", "routed:3")], [20, 100]));
        const ref = { ...own, namespace: ns("dev") };
        const { http: now } = (await routesIn("dev", "people")) as { http: object[] };
        const more = { match: [{ uri: { prefix: "/new" } }], route: [{ destination: { host: "other" } }] };
        await client.patch(ref, { type: "merge", body: { spec: { http: [more, ...now] } } });
        await ok(tasks.cancel("edited", id));
        await tasks.end("edited", id);
        await expectNothingLeft("dev", "routed");
        expect(await routesIn("dev", "people")).toEqual({ http: [more, ...http], note: undefined });
      });

      test.each([
        ["a VirtualService that is not there", { virtual_service_name: "nobody" }, "does not lead to Service"],
        ["a host of something else", { host: "other" }, 'host other is not Service "routed"'],
      ])("%s is refused", async (_, more, reason) => {
        const targets = [target("routed", "routed:9", more)];
        const { task } = await begun(
          `refused-${Object.keys(more)[0]?.slice(0, 4)}`,
          stepsOf("dev", targets, [20, 100]),
        );
        expect(jobAt(task, 0)).toMatchObject({ status: "failed", error: expect.stringContaining(reason) });
        expect(await find("dev", "Deployment", "routed-istio")).toBeUndefined();
      });

      test("routes to subsets of their own are refused", async () => {
        await make(
          {
            hosts: ["sub.example.com"],
            gateways: ["edge"],
            http: [{ route: [{ destination: { host: "routed", subset: "v1" } }] }],
          },
          "subsets",
        );
        const { task } = await begun("subsets", stepsOf("dev", [target("routed", "routed:9")], [20, 100]));
        expect(jobAt(task, 0)?.error).toContain("leads to subset v1");
        await client.remove({ ...own, name: "subsets", namespace: ns("dev") });
      });
    });

    describe("in a base and its sub-environment", () => {
      const marked = { "x-env": "sub" };
      const headers = (object: LiveObject | undefined) =>
        ((at(object, ["spec", "http"]) ?? []) as { match?: { headers: Record<string, { exact: string }> }[] }[]).map(
          ({ match }) => match?.[0]?.headers["x-env"]?.exact ?? "",
        );

      test("a release in the base shares its calls alone, wherever they come from, and changes of the family keep both", async () => {
        for (const from of ["base", "sub"]) await expectCalls(from, "back", plain("base", "back"));
        const { id, task } = await begun("base-back", stepsOf("base", [target("back", "back:2")], [40, 100]));
        expect(ended(task)[0]).toEqual(passed);
        for (const from of ["base", "sub"]) {
          await expectCalls(from, "back", shared("base", "back", 40));
          await expectCalls(from, "back", plain("sub", "back"), marked);
          expect(headers(await find(from, "VirtualService", "slipway-back"))).toEqual(["sub", ""]);
        }
        expect(await find("base", "VirtualService", "slipway-back.release")).toBeUndefined();

        // The family changes while the release stands: both are there afterwards.
        const added = { env_key: "sub", service_list: named("web") };
        expect((await call("POST", `${environments}/service/yaml`, added)).status).toBe(200);
        await untilRunning("sub");
        await expectCalls("base", "web", plain("sub", "web"), marked);
        await expectCalls("sub", "back", shared("base", "back", 40));
        for (const method of ["POST", "DELETE"]) {
          const refused = await call(method, `${environments}/base/share/enable`);
          expect([refused.status, refused.text]).toEqual([
            400,
            expect.stringContaining(`task ${id} of workflow base-back`),
          ]);
        }

        expect(ended(await stepped("base-back", id, 1))).toEqual([passed, passed]);
        for (const from of ["base", "sub"]) {
          await expectCalls(from, "back", plain("base", "back"));
          await expectCalls(from, "back", plain("sub", "back"), marked);
          await expectCalls(from, "web", plain("sub", "web"), marked);
        }
        expect(await imageOf("base", "back")).toBe("back:2");
        await expectNothingLeft("base", "back");
        await ok(call("POST", `${environments}/base/share/enable`));
        await untilRunning("base");
      });

      test("a release in the sub-environment shares marked calls alone, and is taken back", async () => {
        const { id, task } = await begun("sub-back", stepsOf("sub", [target("back", "back:3")], [25, 100]));
        expect(ended(task)[0]).toEqual(passed);
        for (const from of ["base", "sub"]) {
          await expectCalls(from, "back", shared("sub", "back", 25), marked);
          await expectCalls(from, "back", plain("base", "back"));
        }
        await ok(tasks.cancel("sub-back", id));
        await tasks.end("sub-back", id);
        await expectNothingLeft("sub", "back");
        for (const from of ["base", "sub"]) await expectCalls(from, "back", plain("sub", "back"), marked);
        expect(await imageOf("sub", "back")).toBe("back:1");
      });
    });

    test("a paused workload is refused", async () => {
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "paused", namespace: ns("dev") };
      await client.patch(ref, { type: "merge", body: { spec: { paused: true } } });
      const { task } = await begun("paused", stepsOf("dev", [target("paused", "paused:2")], [50, 100]));
      expect(jobAt(task, 0)?.error).toContain("is paused");
    });

    test.each([
      ["nowhere", "does not exist in namespace"],
      ["alone", "no Service leads to the pods"],
      ["twofold", "2 Services lead"],
      ["asleep", "is scaled to 0"],
      ["scaled", "a HorizontalPodAutoscaler decides the replicas"],
      ["pair", "leads to the pods of 2 Deployments (more, pair)"],
    ])("%s is refused and stays as it is", async (name, reason) => {
      const { task } = await begun(`refused-${name}`, stepsOf("dev", [target(name, `${name}:2`)], [50, 100]));
      expect(jobAt(task, 0)).toMatchObject({ status: "failed", error: expect.stringContaining(reason) });
      expect(await find("dev", "Deployment", `${name}-istio`)).toBeUndefined();
      expect(await find("dev", "DestinationRule", `slipway-${name}`)).toBeUndefined();
    });

    const [first, last] = stepsOf("dev", [target("web", "web:2")], [50, 100]) as [StepJob, StepJob];
    test.each<[string, StepJob[], string]>([
      ["a weight of 0", [with_(first, { weight: 0 }), last], "from 1 to 100"],
      ["a weight of 101", [with_(first, { weight: 101 }), last], "from 1 to 100"],
      ["a weight of 33.3", [with_(first, { weight: 33.3 }), last], "from 1 to 100"],
      ["no weight", [with_(first, { weight: undefined }), last], "weight: is required"],
      ["101 per cent of the pods", [with_(first, { replica_percentage: 101 }), last], "0 or nothing: as the weight"],
      ["a first step that is the whole", [with_(first, { weight: 100 }), last], "must be less than 100"],
      ["one step", [first], "needs a later job whose from_job names it, with weight 100"],
      ["an end before 100", [first, with_(last, { weight: 90 })], "must be 100"],
      ["the wrong order", [last, first], "step-0 does not run before this job"],
      ["a step of nothing", [first, last, { ...with_(last, { from_job: "step-9" }), name: "lost" }], "step-9 is not"],
      ["a step back", [first, { ...with_(last, { weight: 40 }), name: "less" }, last], "must be more than the 50"],
      ["two ends", [first, last, { ...last, name: "again" }], "must be more than the 100 of step-1"],
      [
        "a workload twice",
        [with_(first, { targets: [target("web", "web:2"), target("web", "web:3")] }), last],
        "targets[1]: names web again",
      ],
      ["no workload", [with_(first, { targets: [{ container_name: "main" }] }), last], "workload_name"],
    ])("%s is refused when the workflow is saved", async (_, jobs, reason) => {
      const stages = jobs.map((job, at) => ({ name: `stage-${at}`, jobs: [job] }));
      const answer = await call("POST", "/openapi/workflows/custom", { name: "istio-of", project: projectKey, stages });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
    });
  });
}
