import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { runner as patchRunner } from "../../shared/workflows/jobs/k8s-resource-patch/runner.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { findHead } from "../../shared/workflows/records/taskHeads.ts";
import { jobRun } from "../../shared/workflows/tasks/jobRun.ts";
import { localClusterId } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { untilStored } from "./environmentSuite.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownJob, tasksOf } from "./tasks.ts";

const environments = "/openapi/environments";
const success = '{"message":"success"}';

const web = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: main, image: "web:1" }, { name: side, image: "side:1" }]
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: batch, image: "nightly:1", command: ["true"] }] }
`;

const settings = `apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { a: one, b: two }
`;

/** A workload that no environment applied. */
const foreign = (namespace: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "foreign", namespace },
  spec: {
    selector: { matchLabels: { app: "foreign" } },
    template: {
      metadata: { labels: { app: "foreign" } },
      spec: { containers: [{ name: "main", image: "foreign:1" }] },
    },
  },
});

/** Jobs that change single objects of a namespace, told by the cluster itself: the same on every cluster. */
export function clusterJobSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let tasks: ReturnType<typeof tasksOf>;
  const suffix = randomBytes(3).toString("hex");
  const [own, others] = [`slipway-test-jobs-${suffix}`, `slipway-test-jobs-other-${suffix}`];

  const call = <T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
    slipway.call<T>(method, path, body === undefined ? {} : { body });

  async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
    expect((await answer).text).toBe(success);
  }

  const get = (apiVersion: string, kind: string, name: string, namespace = own) =>
    client.get({ apiVersion, kind, name, namespace });

  async function imagesOf(name: string): Promise<string[]> {
    const containers = at(await get("apps/v1", "Deployment", name), ["spec", "template", "spec", "containers"]);
    return (containers as { image: string }[]).map(({ image }) => image);
  }

  /** Runs a workflow of one job. */
  async function run(name: string, type: string, spec: object, parameters: object = {}) {
    await makeWorkflow("jobs", { name, stages: [{ name: "do", jobs: [{ name: "it", type, spec: { ...spec } }] }] });
    const id = await tasks.started(name, [], { inputs: [{ job_name: "it", parameters }] });
    const task = await tasks.end(name, id);
    const jobs: ShownJob[] = task.stages[0]?.jobs ?? [];
    return { status: task.status, jobs, first: jobs[0] };
  }

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    tasks = tasksOf(slipway, "jobs");
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    for (const [key, namespace] of Object.entries({ jobs: own, others })) {
      const project = { project_name: key, project_key: key, is_public: false, project_type: "yaml" };
      await ok(call("POST", "/openapi/projects/project", project));
      for (const [service_name, yaml] of Object.entries({ web, settings }))
        await ok(call("POST", `/openapi/service/yaml/raw?projectKey=${key}`, { service_name, yaml }));
      await ok(
        call("POST", `${environments}?projectKey=${key}`, {
          ...{ env_key: "dev", namespace, cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" },
          services: [{ service_name: "web" }, { service_name: "settings" }],
        }),
      );
      await untilStored(slipway, "dev", "success", key);
    }
    await client.create(foreign(own));
  });

  afterAll(async () => {
    for (const name of [own, others]) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    client.close();
    await slipway.close();
  });

  describe(`jobs that change a cluster, on ${cluster}`, () => {
    const place = { cluster_id: localClusterId, namespace: own };

    test("custom-deploy changes single containers, of a service with its record and of what is nobody's", async () => {
      const targets = [{ target: "Deployment/web/main", image: "web:2" }];
      const configured = await run("custom", "custom-deploy", { ...place, targets });
      expect(configured.first).toMatchObject({ status: "passed", error: "", key: "it.Deployment.web.main" });
      expect(configured.first?.spec).toEqual({
        ...{ image: "web:2", target: "Deployment/web/main", cluster_name: "local", namespace: own },
        skip_check_run_status: false,
      });
      expect(await imagesOf("web")).toEqual(["web:2", "side:1"]);
      const versions = `${environments}/dev/service/web/versions?projectKey=jobs`;
      expect((await call<object[]>("GET", versions)).json[0]).toMatchObject({ operation: "image" });
      const chosen = await run(
        "chosen",
        "custom-deploy",
        { ...place, targets },
        {
          target_list: [
            { workload_type: "deployment", workload_name: "foreign", container_name: "main", image_name: "foreign:2" },
            { workload_type: "CronJob", workload_name: "nightly", container_name: "batch", image_name: "nightly:2" },
          ],
        },
      );
      expect(chosen.jobs.map(({ status, error }) => [status, error])).toEqual([
        ["passed", ""],
        ["passed", ""],
      ]);
      expect(await imagesOf("foreign")).toEqual(["foreign:2"]);
    });

    test("custom-deploy refuses what is not the project's, and what is not there", async () => {
      const targets = [{ target: "Deployment/web/main", image: "web:9" }];
      for (const namespace of [others, "kube-system", ""]) {
        const { first } = await run(`foreign-${namespace || "none"}`, "custom-deploy", {
          ...place,
          namespace,
          targets,
        });
        expect(first).toMatchObject({
          status: "failed",
          error: expect.stringContaining("belongs to no environment of project jobs"),
        });
      }
      const wrong = [
        { target: "Deployment/web/wrong", image: "web:9" },
        { target: "Deployment/none/main", image: "x:1" },
      ];
      const { first } = await run("wrong", "custom-deploy", { ...place, targets: wrong.slice(0, 1) });
      expect(first?.error).toBe('container "wrong" is not part of Deployment "web"; its containers are: main, side');
      const missing = await run("missing", "custom-deploy", { ...place, targets: wrong.slice(1) });
      expect(missing.first).toMatchObject({ status: "failed", error: expect.stringContaining("none") });
    });

    test("zadig-restart makes the pods of a service anew and waits for them", async () => {
      const before = await get("apps/v1", "Deployment", "web");
      const { first } = await run("restart", "zadig-restart", { env: "dev", services: ["web"] });
      expect(first).toMatchObject({ status: "passed", error: "", key: "it.web" });
      const after = await get("apps/v1", "Deployment", "web");
      const annotations = at(after, ["spec", "template", "metadata", "annotations"]);
      expect(annotations).toHaveProperty(["kubectl.kubernetes.io/restartedAt"]);
      expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
      expect(first?.spec).toEqual({
        ...{ env: "dev", service_name: "web", production: false, deploy_type: "k8s", skip_check_run_status: false },
        ...{ cluster_id: localClusterId, timeout: 10 },
        replace_resources: [
          { name: "web", kind: "Deployment", container: "", origin: "", pod_owner_uid: after.metadata.uid },
        ],
      });
      const none = await run("restart-none", "zadig-restart", { env: "dev", services: ["settings"] });
      expect(none.first?.error).toBe("service settings has no Deployment, StatefulSet or DaemonSet to restart");
    });

    test("k8s-resource-patch applies every kind of patch in order, with the values of its parameters", async () => {
      const item = {
        resource_group: "",
        resource_version: "v1",
        resource_kind: "ConfigMap",
        resource_name: "settings",
      };
      const patch_items = [
        {
          ...{ resource_group: "apps", resource_version: "v1", resource_kind: "Deployment", resource_name: "web" },
          patch_content: "spec: {template: {spec: {containers: [{name: side, image: 'side:{{.tag}}'}]}}}",
          ...{ patch_strategy: "strategic-merge", params: [{ name: "tag", type: "string", value: "2" }] },
        },
        { ...item, patch_content: '{"data": {"a": null}}', patch_strategy: "merge" },
        { ...item, patch_content: "- {op: replace, path: /data/b, value: three}", patch_strategy: "json" },
      ];
      const { first } = await run("patch", "k8s-resource-patch", { ...place, patch_items });
      expect(first).toMatchObject({ status: "passed", error: "" });
      expect(await imagesOf("web")).toEqual([expect.any(String), "side:2"]);
      expect((await get("v1", "ConfigMap", "settings")).data).toEqual({ b: "three" });
      expect(first?.spec).toEqual({
        ...place,
        patch_items: [
          { ...patch_items[0], patch_content: expect.stringContaining("side:2"), error: "" },
          { ...patch_items[1], params: [], error: "" },
          { ...patch_items[2], params: [], error: "" },
        ],
      });
      const [first_item] = patch_items;
      const chosen = await run(
        "patch-chosen",
        "k8s-resource-patch",
        { ...place, patch_items },
        {
          target_list: [{ ...first_item, inputs: [{ key: "tag", value: "3" }] }],
        },
      );
      expect(chosen.first).toMatchObject({ status: "passed", error: "" });
      expect((await imagesOf("web"))[1]).toBe("side:3");
    });

    test("values of a patch stay texts where they were put, whatever they hold", async () => {
      const sly = 'a\': {}, "b": |\n  c: d\nkind: Secret # {{.other}}';
      const param = { name: "value", type: "text", value: sly };
      const item = { resource_version: "v1", resource_kind: "ConfigMap", resource_name: "settings", params: [param] };
      const written = await run("patch-sly", "k8s-resource-patch", {
        ...place,
        patch_items: [
          { ...item, patch_content: "data:\n  sly: {{.value}}\n  quoted: '<{{.value}}>'", patch_strategy: "merge" },
          {
            ...item,
            patch_content: '[{"op": "add", "path": "/data/json", "value": "{{.value}}"}]',
            patch_strategy: "json",
          },
        ],
      });
      expect(written.first).toMatchObject({ status: "passed", error: "" });
      // The template of another program stays as it is written.
      const data = { b: "three", sly, quoted: `<${sly}>`, json: sly };
      expect((await get("v1", "ConfigMap", "settings")).data).toEqual(data);
      const taken = "data: {sly: null, quoted: null, json: null}";
      await run("patch-back", "k8s-resource-patch", {
        ...place,
        patch_items: [{ ...item, patch_content: taken, patch_strategy: "merge" }],
      });
    });

    test("operations of a patch are carried out once, also when they are repeated after a crash", async () => {
      const item = {
        resource_group: "apps",
        resource_version: "v1",
        resource_kind: "Deployment",
        resource_name: "foreign",
      };
      const path = "/spec/template/spec/containers/0/args";
      const patch_items = [
        `{op: add, path: ${path}, value: [one]}`,
        ...["two", "three"].map((more) => `{op: add, path: ${path}/-, value: ${more}}`),
      ].map((operation) => ({ ...item, patch_content: `- ${operation}`, patch_strategy: "json" }));
      const { first } = await run("patch-once", "k8s-resource-patch", { ...place, patch_items });
      expect(first).toMatchObject({ status: "passed", error: "" });
      const args = async () =>
        at(await get("apps/v1", "Deployment", "foreign"), ["spec", "template", "spec", "containers"]);
      expect(await args()).toMatchObject([{ args: ["one", "two", "three"] }]);
      const whole = await findWholeTask((await findHead("patch-once"))?.ownerId ?? "", 1);
      const [job] = whole?.jobs ?? [];
      if (whole === undefined || job === undefined) throw new Error("the task has no record");
      expect(await patchRunner.begin(await jobRun(whole, job, ""))).toMatchObject({ ending: "passed" });
      expect(await args()).toMatchObject([{ args: ["one", "two", "three"] }]);
    });

    test("a patch that is refused fails the job and says where; nothing outside the namespace is reached", async () => {
      const item = {
        resource_group: "",
        resource_version: "v1",
        resource_kind: "ConfigMap",
        resource_name: "settings",
      };
      const bad = { ...item, patch_content: "- {op: test, path: /data/b, value: other}", patch_strategy: "json" };
      const behind = { ...item, patch_content: "{data: {b: never}}", patch_strategy: "merge" };
      const { first } = await run("patch-bad", "k8s-resource-patch", { ...place, patch_items: [bad, behind] });
      expect(first).toMatchObject({ status: "failed", error: expect.stringMatching(/^ConfigMap "settings": ./) });
      expect(first?.spec).toMatchObject({ patch_items: [{ error: expect.stringMatching(/./) }, { error: "" }] });
      expect((await get("v1", "ConfigMap", "settings")).data).toEqual({ b: "three" });
      const namespaceItem = { ...behind, resource_kind: "Namespace", resource_name: "kube-system" };
      const wide = await run("patch-wide", "k8s-resource-patch", { ...place, patch_items: [namespaceItem] });
      expect(wide.first?.error).toBe(
        'Namespace "kube-system": the kind belongs to no namespace; jobs may change only what is in one',
      );
      const away = await run("patch-away", "k8s-resource-patch", {
        ...place,
        namespace: others,
        patch_items: [behind],
      });
      expect(away.first?.error).toContain("belongs to no environment of project jobs");
      expect((await get("v1", "ConfigMap", "settings", others)).data).toEqual({ a: "one", b: "two" });
    });

    test("offline-service takes services out of an environment with their objects", async () => {
      const spec = { env_type: "test", env_name: "dev", services: ["settings", "absent"] };
      const { first } = await run("offline", "offline-service", spec);
      expect(first).toMatchObject({ status: "passed", error: "" });
      expect(first?.spec).toEqual({
        ...{ env_type: "test", env_name: "dev", namespace: own },
        service_events: [
          { service_name: "settings", status: "passed", error: "" },
          { service_name: "absent", status: "passed", error: "" },
        ],
      });
      await expect(get("v1", "ConfigMap", "settings")).rejects.toThrow(/not found/);
      const detail = await call<{ services: { service_name: string }[] }>("GET", `${environments}/dev?projectKey=jobs`);
      expect(detail.json.services.map(({ service_name }) => service_name)).toEqual(["web"]);
      const wrong = await run("offline-wrong", "offline-service", { ...spec, env_type: "production" });
      expect(wrong.first).toMatchObject({
        status: "failed",
        error: expect.stringContaining("production environment dev"),
      });
    });
  });
}
