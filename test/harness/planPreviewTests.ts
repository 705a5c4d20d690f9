import { describe, expect, test } from "vitest";
import { seal } from "../../shared/base/aws/secrets/sealedSecret.ts";
import { newId, nowSeconds } from "../../shared/base/store/ids.ts";
import { table } from "../../shared/base/store/table.ts";
import { createEnvironmentWrites, type EnvironmentRecord } from "../../shared/environments/store/environments.ts";
import type { ClusterClient, ObjectRef } from "../../shared/kube/client/ClusterClient.ts";
import { kubeConfigOwner } from "../../shared/kube/clusters/clusterAccess.ts";
import { createCluster } from "../../shared/kube/clusters/store/clusters.ts";
import { kubeconfig } from "../functions/api/clusters/clusterFixtures.ts";
import { storedPerson } from "../security/storedPerson.ts";
import { localClusterId } from "./boutique.ts";
import type { Slipway } from "./slipway.ts";
import { makeWorkflow } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

/** A Slipway with a project `ship`, whose environments `dev` and `live` (production) run the service `web`. */
export interface Shipped {
  slipway: Slipway;
  client: ClusterClient;
  /** The namespace of an environment. */
  place(env: string): string;
}

interface ShownService {
  service_name: string;
  action: string;
  modules: { name: string; now: string; next: string }[];
  differences: { kind: string; name: string; action: string; diff: string }[];
  notes: string[];
  error?: string;
}

interface ShownDeploy {
  project_key: string;
  env_name: string;
  production: boolean;
  job_name: string;
  hidden?: string;
  services: ShownService[];
}

interface ShownJob {
  name: string;
  waits_for: string[];
  changed?: boolean;
  freezes?: { name: string }[];
  deploys?: ShownDeploy[];
  notes?: string[];
  error?: string;
}

interface Preview {
  approval?: object;
  freezes: { name: string; jobs: string[]; meets_schedule: boolean }[];
  jobs: ShownJob[];
}

const path = "/openapi/release_plan/v1";
const secret = "top-secret-word";

/** What a preview of a release plan tells, which the cluster itself answers: the same on every cluster. */
export function planPreviewTests(shipped: () => Shipped): void {
  const call = async <T>(method: string, address: string, body?: unknown, token?: string): Promise<T> => {
    const { status, text, json } = await shipped().slipway.call<T>(method, address, {
      ...(body !== undefined && { body }),
      ...(token !== undefined && { token }),
    });
    expect([status, text]).toEqual([200, expect.anything()]);
    return json;
  };
  const workflow = (name: string, jobs: readonly { name: string }[], more: object = {}) =>
    makeWorkflow("ship", { name, stages: [{ name: "all", jobs: [...jobs] }], ...more });
  const runs = (key: string, jobs: readonly string[], more: object = {}) => ({
    ...{ name: key, type: "workflow", ...more },
    spec: {
      ...{ workflow_key: key, project_key: "ship" },
      inputs: jobs.map((job_name) => ({ job_name, parameters: {} })),
    },
  });
  const planned = async (jobs: readonly object[], more: object = {}): Promise<string> => {
    const body = { name: "evening", manager: "admin", manager_identity_type: "system", ...more };
    const { id } = await call<{ id: string }>("POST", path, body);
    await call("PATCH", `${path}/${id}`, { ...body, jobs });
    return id;
  };
  const preview = (id: string, token?: string) => call<Preview>("POST", `${path}/${id}/preview`, undefined, token);
  const deploy = (env: string, image: string, more: object = {}) => ({
    type: "zadig-deploy",
    spec: {
      ...{ env, production: env === "live" },
      services: [{ service_name: "web", modules: [{ service_module: "main", image }] }],
      ...more,
    },
  });
  const liveOf = (ref: Omit<ObjectRef, "namespace">, env = "dev") =>
    shipped().client.get({ ...ref, namespace: shipped().place(env) });

  describe("a preview of a release plan", () => {
    test("tells for every kind of job what it would change where, in the words of the cluster, and changes nothing", async () => {
      const { place } = shipped();
      const here = { cluster_id: localClusterId, namespace: place("dev") };
      const jobs = [
        { name: "live", ...deploy("live", "web:9") },
        { name: "late", ...deploy("dev", "{{.job.make.output.IMAGE}}") },
        {
          name: "vars",
          type: "zadig-deploy",
          spec: {
            ...{ env: "dev", deploy_contents: ["vars"] },
            services: [
              { service_name: "settings", variable_kvs: [{ key: "color", value: "{{.workflow.params.word}}" }] },
            ],
          },
        },
        { name: "restart", type: "zadig-restart", spec: { env: "dev", services: ["web"] } },
        { name: "offline", type: "offline-service", spec: { env_name: "dev", services: ["api", "nothing"] } },
        {
          name: "custom",
          type: "custom-deploy",
          spec: { ...here, targets: [{ target: "Deployment/web/side", image: "side:5" }] },
        },
        {
          name: "patch",
          type: "k8s-resource-patch",
          spec: {
            ...here,
            patch_items: [
              {
                ...{ resource_name: "settings", resource_kind: "ConfigMap", patch_strategy: "merge" },
                patch_content: "data: { added: '{{.added}}' }",
                params: [{ name: "added", type: "string", value: secret, is_credential: true }],
              },
            ],
          },
        },
        { name: "nowhere", ...deploy("none", "web:9") },
        { name: "wrong", ...deploy("dev", "web:9", { services: [{ service_name: "gone", modules: [] }] }) },
      ];
      await workflow("outlook", jobs, {
        params: [{ name: "word", type: "string", value: secret, is_credential: true }],
      });
      const names = jobs.map(({ name }) => name);
      const now = nowSeconds();
      const more = { start_time: now, end_time: now + 7200, schedule_execute_time: now + 3600 };
      const hold = { type: "text", name: "tell", spec: { content: "call" } };
      const id = await planned([hold, runs("outlook", names, { depends_on: ["tell"] })], more);
      await call("POST", `${path}/${id}/status/finish_planning`);
      const freeze = { name: "Stock", reason: "counting", projects: ["ship"] };
      const frozen = await call<{ id: string }>("POST", `${path}/freezes`, {
        ...freeze,
        ...{ start_time: now + 1800, end_time: now + 5400 },
      });
      const read = async () => [await call("GET", `${path}/${id}`), await call("GET", `${path}/${id}/logs`)];
      const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      const map = { apiVersion: "v1", kind: "ConfigMap", name: "settings" };
      const standing = async () => [await liveOf(map), (await liveOf(web)).spec, (await liveOf(web, "live")).spec];
      const before = [await read(), await standing()];

      const shown = await preview(id);
      expect(shown.jobs.map(({ name, waits_for, changed }) => [name, waits_for, changed])).toEqual([
        ["tell", [], false],
        ["outlook", ["tell"], false],
      ]);
      expect(shown.jobs[0]).toMatchObject({ notes: ["somebody does it by hand"], deploys: [] });
      const deploys = new Map(shown.jobs[1]?.deploys?.map((one) => [one.job_name, one]));
      expect([...deploys.keys()]).toEqual(names);
      const of = (job: string, at = 0) => deploys.get(job)?.services[at];

      expect(deploys.get("live")).toMatchObject({ project_key: "ship", env_name: "live", production: true });
      expect(of("live")?.modules).toContainEqual({ name: "main", now: "web:1", next: "web:9" });
      expect(of("live")?.differences).toEqual([
        expect.objectContaining({ kind: "Deployment", name: "web", action: "change" }),
      ]);
      expect(of("live")?.differences[0]?.diff).toMatch(/-.*image: web:1\n.*\+.*image: web:9\n/s);

      expect(of("late")?.notes).toEqual([
        "the image of module main is known only when the task runs: what job make gives",
      ]);
      expect(of("late")?.modules).toContainEqual({ name: "main", now: "web:1", next: "" });

      const changed = of("vars")?.differences.find(({ kind }) => kind === "ConfigMap");
      expect(changed?.diff).toMatch(/^-\s+color: blue$/m);
      expect(changed?.diff).toMatch(/^\+\s+color: .*\*{6}/m);

      expect(of("restart")?.differences[0]?.diff).toContain("restartedAt");
      expect(of("offline")?.differences.map(({ kind, action }) => [kind, action])).toEqual([["Deployment", "delete"]]);
      expect(of("offline", 1)).toMatchObject({ differences: [], notes: ["it is not in the environment"] });
      expect(of("custom")).toMatchObject({
        service_name: "web",
        action: 'sets the image of container side of Deployment "web" to side:5',
        modules: [{ name: "side", now: "side:1", next: "side:5" }],
      });
      expect(of("custom")?.differences[0]?.diff).toMatch(/^\+.*image: side:5$/m);
      expect(of("patch")).toMatchObject({ service_name: "settings", action: 'patches ConfigMap "settings" (merge)' });
      expect(of("patch")?.differences[0]?.diff).toMatch(/^\+\s+added: .*\*{6}/m);
      expect(of("nowhere")?.error).toContain("test environment none in project ship");
      expect(of("wrong")?.error).toContain("gone");
      expect(JSON.stringify(shown)).not.toContain(secret);

      const met = [expect.objectContaining({ name: "Stock", jobs: ["outlook"], meets_schedule: true })];
      expect(shown.freezes).toEqual(met);
      expect(shown.jobs[1]?.freezes).toEqual([expect.objectContaining({ name: "Stock" })]);

      expect([await read(), await standing()]).toEqual(before);
      const tasks = await call<object>("GET", "/openapi/workflows/custom/outlook/tasks?projectKey=ship");
      expect(tasks).toMatchObject({ total: 0 });
      await call("DELETE", `${path}/freezes/${frozen.id}`);
    });

    test("tells of rollouts what would stand beside a workload, what becomes of it, and why it cannot be rolled out", async () => {
      const { client, place } = shipped();
      const namespace = place("dev");
      const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      const service_and_image = [{ service_module: "main", image: "web:7" }];
      const canary = { k8s_service_name: "web", container_name: "main", image: "web:7", canary_percentage: 50 };
      const here = { cluster_id: localClusterId, namespace };
      const gray = (gray_scale: number, more: object) => ({ type: "k8s-gray-release", spec: { gray_scale, ...more } });
      const target = { workload_type: "Deployment", workload_name: "web", container_name: "main", image: "web:7" };
      const stages = {
        blue: {
          type: "k8s-blue-green-deploy",
          spec: { env: "dev", services: [{ service_name: "web", service_and_image }] },
        },
        turn: { type: "k8s-blue-green-release", spec: { from_job: "blue", analysis: [{ name: "pods" }] } },
        some: { type: "k8s-canary-deploy", spec: { ...here, targets: [canary] } },
        late: {
          type: "k8s-canary-deploy",
          spec: { ...here, targets: [{ ...canary, image: "{{.job.make.output.IMAGE}}" }] },
        },
        wide: { type: "k8s-canary-release", spec: { from_job: "some" } },
        begin: gray(50, { ...here, targets: [target] }),
        more: gray(80, { from_job: "begin" }),
        whole: gray(100, { from_job: "begin" }),
        back: { type: "k8s-gray-rollback", spec: { ...here, targets: [target] } },
        lone: {
          type: "k8s-blue-green-deploy",
          spec: { env: "dev", services: [{ service_name: "api", service_and_image }] },
        },
      };
      await makeWorkflow("ship", {
        name: "rolling",
        stages: Object.entries(stages).map(([name, one]) => ({ name, jobs: [{ name, ...one }] })),
      });
      const id = await planned([runs("rolling", Object.keys(stages))]);
      await client.create({
        ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace } },
        spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
      });
      const before = (await liveOf(web)).metadata.resourceVersion;
      const [job] = (await preview(id)).jobs;
      const shown = new Map(job?.deploys?.map((one) => [one.job_name, one.services[0]]));
      const changes = (name: string) =>
        shown.get(name)?.differences.map((one) => `${one.action} ${one.kind} ${one.name}`);
      const modules = [{ name: "main", now: "web:1", next: "web:7" }];
      expect(job?.notes?.filter((note) => note.includes("container"))).toEqual([]);

      expect(shown.get("blue")).toMatchObject({ service_name: "web", modules });
      expect(changes("blue")).toEqual(["create Deployment web-blue", "create Service web-blue"]);
      expect(shown.get("blue")?.differences[0]?.diff).toMatch(/^\+ +image: web:7$/m);
      expect(shown.get("turn")).toMatchObject({ modules, notes: ["its analysis decides whether the new pods stay"] });
      expect(shown.get("turn")?.differences[0]?.diff).toMatch(/^- +image: web:1$/m);
      expect(shown.get("some")?.action).toContain("50 per cent");
      expect(changes("some")).toEqual(["create Deployment web-canary"]);
      expect(changes("wide")).toEqual(["change Deployment web"]);
      expect(changes("late")).toEqual([]);
      expect(shown.get("late")).toMatchObject({
        modules: [{ name: "main", now: "web:1", next: "" }],
        notes: [expect.stringContaining("known only when the task runs")],
      });
      expect([changes("begin"), changes("more"), changes("whole")]).toEqual([
        ["create Deployment web-zadig-gray"],
        [],
        ["change Deployment web"],
      ]);
      expect(shown.get("more")?.action).toContain("80 per cent");
      expect(shown.get("back")?.notes).toEqual([expect.stringContaining("no release now that could be rolled back")]);
      expect(shown.get("lone")?.error).toContain("no Service leads to the pods");

      expect((await liveOf(web)).metadata.resourceVersion).toBe(before);
      const { items } = await client.list({ apiVersion: "apps/v1", kind: "Deployment" }, { namespace });
      expect(items.filter(({ metadata }) => metadata.name.startsWith("web-"))).toEqual([]);
      await client.remove({ apiVersion: "v1", kind: "Service", name: "web", namespace });
    });

    test("shows differences to those alone who may look at the environment, and workflows to their readers", async () => {
      const { slipway } = shipped();
      await workflow("both", [
        { name: "dev", ...deploy("dev", "web:8") },
        { name: "live", ...deploy("live", "web:8") },
      ]);
      const id = await planned([runs("both", ["dev", "live"])]);
      const plans = { namespace: "*", roles: { plans: ["get_release_plan"] } };
      const outsider = await storedPerson("outsider", plans);
      const workflows = { namespace: "ship", roles: { flows: ["get_workflow"] } };
      const reader = await storedPerson("flow-reader", plans, workflows);
      const tester = { namespace: "ship", roles: { dev: ["get_workflow", "get_environment"] } };
      const insider = await storedPerson("dev-reader", plans, tester);

      const [foreign] = (await preview(id, outsider.token)).jobs;
      expect(foreign).toEqual({
        ...{ id: expect.any(String), name: "both", type: "workflow", status: "", waits_for: [] },
        workflow: { name: "both", display_name: "both", project: "ship" },
      });
      const hidden = (await preview(id, reader.token)).jobs[0]?.deploys ?? [];
      expect(hidden.map((one) => [one.job_name, one.hidden])).toEqual([
        ["dev", "differences are not shown: requires get_environment in project ship"],
        ["live", "differences are not shown: requires get_production_environment in project ship"],
      ]);
      expect(
        hidden.flatMap(({ services }) => services.map(({ modules, differences }) => [modules, differences])),
      ).toEqual([
        [[], []],
        [[], []],
      ]);
      const [dev, live] = (await preview(id, insider.token)).jobs[0]?.deploys ?? [];
      expect(dev).not.toHaveProperty("hidden");
      expect(dev?.services[0]?.differences).not.toEqual([]);
      expect(live?.hidden).toContain("get_production_environment");

      const refused = await storedPerson("nobody-of-plans");
      for (const base of [path, "/api/aslan/release_plan/v1"]) {
        const answer = await slipway.call("POST", `${base}/${id}/preview`, { token: refused.token });
        expect(answer.status).toBe(403);
      }
    });

    test("shows what was kept when planning ended, and says so when the workflow was edited or deleted since", async () => {
      const { slipway } = shipped();
      await workflow("edited", [{ name: "dev", ...deploy("dev", "web:5") }]);
      const id = await planned([runs("edited", ["dev"])]);
      const imageIn = async () => {
        const [job] = (await preview(id)).jobs;
        return [job?.changed, job?.deploys?.[0]?.services[0]?.modules.find(({ name }) => name === "main")?.next];
      };
      expect(await imageIn()).toEqual([false, "web:5"]);
      const edit = async (image: string) => {
        const stages = [{ name: "all", jobs: [{ name: "dev", ...deploy("dev", image) }] }];
        await call("PUT", "/openapi/workflows/custom/edited", { name: "edited", project: "ship", stages });
      };
      await edit("web:6");
      expect(await imageIn()).toEqual([true, "web:6"]);
      await call("POST", `${path}/${id}/status/finish_planning`);
      expect(await imageIn()).toEqual([false, "web:6"]);
      await edit("web:7");
      expect(await imageIn()).toEqual([true, "web:6"]);
      await call("DELETE", "/openapi/workflows/custom?workflowKey=edited&projectKey=ship");
      const [job] = (await preview(id)).jobs;
      expect(job).toMatchObject({
        deploys: [],
        error: "job edited: workflow edited was deleted; edit the job, or take it out",
      });
      await call("POST", `${path}/${id}/status/planning`);
      await call("DELETE", `${path}/${id}`);
      expect((await slipway.call("POST", `${path}/${id}/preview`)).status).toBe(404);
    });

    test("tells what it can when a cluster is gone, and why it cannot tell the rest", async () => {
      const clusterId = newId();
      await createCluster({
        ...{ clusterId, name: `lost-${clusterId}`, clusterType: "kubeconfig", provider: 0, production: false },
        kubeConfig: await seal(kubeconfig("https://127.0.0.1:9"), kubeConfigOwner(clusterId)),
        ...{ description: "", createdBy: "test", createdTime: 0, local: false },
        ...{ status: "normal", statusMessage: "", projectNames: [] },
      });
      const lost: EnvironmentRecord = {
        ...{ environmentId: newId(), projectKey: "ship", envKey: "lost", alias: "", clusterId },
        ...{ namespace: shipped().place("lost"), production: false, registryId: "", status: "success", error: "" },
        ...{ changeId: newId(), globalVariables: [], createdBy: "", createdAt: 0, updatedBy: "", updatedAt: 0 },
      };
      await table().write(...createEnvironmentWrites(lost));
      await workflow("half-lost", [
        { name: "lost", ...deploy("lost", "web:5", { deploy_contents: ["image", "config"] }) },
        { name: "dev", ...deploy("dev", "web:5") },
      ]);
      const id = await planned([runs("half-lost", ["lost", "dev"])]);
      const [there, here] = (await preview(id)).jobs[0]?.deploys ?? [];
      expect(there?.services[0]).toMatchObject({ differences: [], error: expect.stringContaining("does not answer") });
      expect(here?.services[0]).not.toHaveProperty("error");
      expect(here?.services[0]?.differences).toEqual([
        expect.objectContaining({ kind: "Deployment", action: "change" }),
      ]);
    });

    test("says who has still to approve, and how many are needed", async () => {
      const people = [await storedPerson("first-one"), await storedPerson("second-one")];
      const approve_users = people.map(({ uid }) => ({ type: "user", user_id: uid, user_name: uid }));
      const native_approval = { needed_approvers: 2, approve_users };
      const id = await planned([{ name: "tell", type: "text", spec: { content: "call" } }], {
        approval: { enabled: true, type: "native", native_approval },
      });
      const waiting = (uids: readonly string[]) => uids.map((user_id) => expect.objectContaining({ user_id }));
      const uids = people.map(({ uid }) => uid);
      const all = { approved: 0, needed_approvers: 2, still_needed: 2, waiting_for: waiting(uids) };
      expect((await preview(id)).approval).toMatchObject(all);
      await call("POST", `${path}/${id}/status/finish_planning`);
      await call("POST", `${path}/${id}/status/wait_for_approval`);
      expect((await preview(id)).approval).toMatchObject(all);
      await call("POST", `${path}/${id}/approve`, { approve: true }, people[0]?.token);
      const left = { approved: 1, still_needed: 1, waiting_for: waiting(uids.slice(1)) };
      expect((await preview(id)).approval).toMatchObject(left);
      await call("POST", `${path}/${id}/approve`, { approve: true }, people[1]?.token);
      await waitFor("the plan to execute", async () => {
        return (await call<{ status: string }>("GET", `${path}/${id}`)).status === "executing";
      });
      expect((await preview(id)).approval).toMatchObject({ status: "passed", still_needed: 0, waiting_for: [] });
    });
  });
}
