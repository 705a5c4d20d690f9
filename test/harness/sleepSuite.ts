import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { detailOf, localClusterId, untilStatus } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { untilStored } from "./environmentSuite.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Failure {
  code: number;
  description: string;
}

interface Preview {
  objects: { service_name: string; kind: string; name: string; action: string; diff: string }[];
}

interface Drift {
  in_sync: boolean;
  objects: { kind: string; name: string; fields: { path: string; applied: unknown; live: unknown }[] }[];
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';

const template = (name: string) =>
  `{ metadata: { labels: { app: ${name} } }, spec: { containers: [{ name: main, image: "${name}:1" }] } }`;

function workload(kind: string, name: string, more = ""): string {
  return `apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template: ${template(name)}
${more}`;
}

function cronJob(name: string, more = ""): string {
  return `apiVersion: batch/v1
kind: CronJob
metadata: { name: ${name} }
spec:
  schedule: "0 3 * * *"
${more}  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: main, image: "${name}:1", command: ["true"] }] }
`;
}

const autoscaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: scaled }
spec:
  minReplicas: 2
  maxReplicas: 9
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: scaled }
`;

/** Something of every kind that can rest, at work and resting, and what cannot. */
const front = [
  workload("Deployment", "web", "  replicas: 3\n"),
  workload("Deployment", "idle", "  replicas: 0\n"),
  workload("StatefulSet", "store", "  serviceName: store\n"),
  workload("DaemonSet", "agent"),
  cronJob("nightly"),
  cronJob("paused", "  suspend: true\n"),
].join("---\n");
const back = [workload("Deployment", "scaled"), autoscaler].join("---\n");

/** What each asks for: replicas, or whether it is suspended. */
const awake = { web: 3, idle: 0, store: 1, nightly: false, paused: true, scaled: 4 };
const resting = { web: 0, idle: 0, store: 0, nightly: true, paused: true, scaled: 0 };

const kinds: Record<string, string> = { store: "StatefulSet", nightly: "CronJob", paused: "CronJob" };

/** Sleep and wake, told by the cluster itself: the same on every cluster. */
export function sleepSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  const suffix = randomBytes(3).toString("hex");
  const namespaces = { dev: `slipway-test-sleep-${suffix}`, live: `slipway-test-sleep-live-${suffix}` };

  const call = <T = Failure>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
    slipway.call<T>(method, path, body === undefined ? {} : { body });

  async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
    expect((await answer).text).toBe(success);
  }

  const turn = (what: "sleep" | "wake", env = "dev") => call("POST", `${environments}/${env}/${what}?projectKey=rest`);

  async function sleep(): Promise<void> {
    await ok(turn("sleep"));
    await untilStored(slipway, "dev", "sleeping", "rest");
  }

  async function wake(): Promise<void> {
    await ok(turn("wake"));
    await untilStored(slipway, "dev", "success", "rest");
  }

  const refOf = (name: string, namespace = namespaces.dev) => {
    const kind = kinds[name] ?? "Deployment";
    return { apiVersion: kind === "CronJob" ? "batch/v1" : "apps/v1", kind, name, namespace };
  };

  const get = (name: string, namespace?: string): Promise<LiveObject> => client.get(refOf(name, namespace));

  async function activities(): Promise<Record<string, unknown>> {
    const entries = Object.keys(awake).map(async (name) => {
      const object = await get(name);
      const suspend = at(object, ["spec", "suspend"]) ?? false;
      return [name, object.kind === "CronJob" ? suspend : at(object, ["spec", "replicas"])] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async function byHand(name: string, spec: object): Promise<void> {
    await client.patch(refOf(name), { type: "merge", body: { spec } });
  }

  async function refused(answer: Promise<Answer<Failure>>, code: number, text: string): Promise<void> {
    const { status, json } = await answer;
    expect([status, json]).toEqual([
      400,
      expect.objectContaining({ code, description: expect.stringContaining(text) }),
    ]);
  }

  const drift = async () => (await call<Drift>("GET", `${environments}/dev/drift?projectKey=rest`)).json;

  const preview = async (what: "sleep" | "wake") => {
    const path = `${environments}/dev/${what}?projectKey=rest&dryRun=true`;
    return (await call<Preview>("POST", path)).json.objects;
  };

  const inBrief = (objects: Preview["objects"]) =>
    objects.map((one) => `${one.service_name} ${one.action} ${one.kind}/${one.name}`).sort();

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "rest", project_key: "rest", is_public: false, project_type: "yaml" };
    await ok(call("POST", "/openapi/projects/project", project));
    for (const [service_name, yaml] of Object.entries({ front, back }))
      await ok(call("POST", "/openapi/service/yaml/raw?projectKey=rest", { service_name, yaml }));
    const production = { service_name: "front", yaml: workload("Deployment", "web", "  replicas: 2\n") };
    await ok(call("POST", "/openapi/service/yaml/production/raw?projectKey=rest", production));
    const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
    const services = [{ service_name: "front" }, { service_name: "back" }];
    await ok(
      call("POST", `${environments}?projectKey=rest`, {
        ...place,
        env_key: "dev",
        namespace: namespaces.dev,
        services,
      }),
    );
    await ok(
      call("POST", `${environments}/production?projectKey=rest`, {
        ...place,
        env_key: "live",
        namespace: namespaces.live,
      }),
    );
    await untilStored(slipway, "dev", "success", "rest");
    const service_list = [{ service_name: "front" }];
    await ok(
      call("POST", `${environments}/production/service/yaml?projectKey=rest`, { env_key: "live", service_list }),
    );
    // As an autoscaler does, whose number no manifest knows.
    await byHand("scaled", { replicas: 4 });
  });

  afterAll(async () => {
    for (const name of Object.values(namespaces)) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    client.close();
    await slipway.close();
  });

  describe(`sleep on ${cluster}`, () => {
    test("puts what can rest to rest, and waking brings every count and every suspension back", async () => {
      await sleep();
      expect(await activities()).toEqual(resting);
      await waitFor("the pods to be gone", async () => {
        const pods = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace: namespaces.dev });
        return pods.items.every(({ metadata }) => metadata.labels?.app === "agent");
      });
      const detail = await detailOf(slipway, "rest", "dev");
      expect([detail.status, detail.stored_status, detail.error]).toEqual(["sleeping", "sleeping", ""]);
      expect(detail.services.find(({ service_name }) => service_name === "back")?.status).toBe("unstart");
      const list = await call<{ env_key: string; status: string }[]>("GET", `${environments}?projectKey=rest`);
      expect(list.json.find(({ env_key }) => env_key === "dev")?.status).toBe("sleeping");
      await wake();
      expect(await activities()).toEqual(awake);
      await untilStatus(slipway, "rest", "dev", "running", 90);
      expect((await drift()).in_sync).toBe(true);
    });

    test("the second time is like the first, and an update after it changes nothing of what it does not name", async () => {
      await sleep();
      await wake();
      expect(await activities()).toEqual(awake);
      const service_list = [{ service_name: "front" }, { service_name: "back" }];
      await ok(call("PUT", `${environments}/dev/services?projectKey=rest`, { service_list }));
      await untilStored(slipway, "dev", "success", "rest");
      expect(await activities()).toEqual(awake);
    });

    test("refuses what would wake a part of it, lets the rest be done, and wakes nothing by it", async () => {
      await sleep();
      const service_list = [{ service_name: "front" }];
      const update = { env_key: "dev", service_list };
      const sleeping = "environment is sleeping";
      await refused(call("PUT", `${environments}/service/yaml?projectKey=rest`, update), 6076, sleeping);
      await refused(call("PUT", `${environments}/dev/services?projectKey=rest`, { service_list }), 6076, sleeping);
      await refused(call("POST", `${environments}/service/yaml?projectKey=rest`, update), 6076, sleeping);
      const named = { env_key: "dev", service_names: ["front"] };
      await refused(call("DELETE", `${environments}/service/yaml?projectKey=rest`, named), 6076, sleeping);
      const variables = { global_variables: [] };
      await refused(call("PUT", `${environments}/dev/variable?projectKey=rest`, variables), 6076, sleeping);
      const scale = { project_key: "rest", env_key: "dev", workload_type: "Deployment", workload_name: "web" };
      await refused(call("POST", `${environments}/scale`, { ...scale, target_replicas: 2 }), 6081, sleeping);
      await refused(call("POST", `${environments}/dev/service/front/restart?projectKey=rest`), 6081, sleeping);
      await refused(call("POST", `${environments}/dev/pod/agent-0/restart?projectKey=rest`), 6081, sleeping);
      const image = {
        product_name: "rest",
        service_name: "front",
        name: "web",
        container_name: "main",
        image: "web:2",
      };
      await refused(call("POST", `${environments}/image/deployment/dev`, image), 6082, sleeping);
      const rollback = `${environments}/dev/service/front/versions/1/rollback?projectKey=rest`;
      await refused(call("POST", rollback), 6079, sleeping);
      await refused(turn("sleep"), 6076, "environment is sleeping already");

      const yaml_data = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late" }, data: {} });
      const config = { env_name: "dev", common_env_cfg_type: "ConfigMap", name: "late", yaml_data };
      await ok(call("POST", `${environments}/dev/envcfgs?projectKey=rest`, config));
      await ok(call("PUT", `${environments}/dev?projectKey=rest`, { registry_id: "0123456789abcdef12345679" }));
      const instance = `${environments}/dev/services/front?projectKey=rest&workLoadtype=Deployment`;
      const shown = await waitFor("the replicas to be gone", async () => {
        const { json } = await call<{ problems: unknown[]; cron_jobs: { suspend: boolean }[] }>("GET", instance);
        return json.problems.length === 0 && json;
      });
      expect(shown.cron_jobs.map(({ suspend }) => suspend)).toEqual([true, true]);
      expect(await activities()).toEqual(resting);
      await wake();
    });

    test("what somebody sets by hand meanwhile is drift, and stays when the environment wakes", async () => {
      await sleep();
      expect(await drift()).toMatchObject({ in_sync: true, objects: [] });
      await byHand("web", { replicas: 2 });
      await byHand("nightly", { suspend: false });
      const { objects } = await drift();
      expect(objects.map(({ name, fields }) => [name, fields])).toEqual([
        ["nightly", [expect.objectContaining({ path: "spec.suspend", applied: true, live: false })]],
        ["web", [expect.objectContaining({ path: "spec.replicas", applied: 0, live: 2 })]],
      ]);
      await client.remove(refOf("store"));
      await wake();
      expect(at(await get("web"), ["spec", "replicas"])).toBe(2);
      expect(at(await get("nightly"), ["spec", "suspend"])).not.toBe(true);
      expect(at(await get("scaled"), ["spec", "replicas"])).toBe(4);
      const service_list = [{ service_name: "front" }];
      await ok(call("PUT", `${environments}/dev/services?projectKey=rest`, { service_list }));
      await untilStored(slipway, "dev", "success", "rest");
      expect(await activities()).toEqual(awake);
    });

    test("previews name the workloads that would change, and change none", async () => {
      const before = (await get("web")).metadata.generation;
      expect(inBrief(await preview("sleep"))).toEqual([
        "back change Deployment/scaled",
        "front change CronJob/nightly",
        "front change Deployment/web",
        "front change StatefulSet/store",
      ]);
      const [web] = (await preview("sleep")).filter(({ name }) => name === "web");
      expect(web?.diff).toContain("-  replicas: 3\n+  replicas: 0\n");
      expect((await get("web")).metadata.generation).toBe(before);
      await refused(call("POST", `${environments}/dev/wake?projectKey=rest&dryRun=true`), 6076, "is not sleeping");
      await sleep();
      const [waking] = (await preview("wake")).filter(({ name }) => name === "web");
      expect(waking?.diff).toContain("-  replicas: 0\n+  replicas: 3\n");
      expect(await activities()).toEqual(resting);
      await wake();
    });

    test("of two at the same moment one goes and the other is told", async () => {
      const answers = await Promise.all([turn("sleep"), turn("sleep")]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(answers.find(({ status }) => status === 400)?.json.code).toBe(6076);
      await untilStored(slipway, "dev", "sleeping", "rest");
      const wakes = await Promise.all([turn("wake"), turn("wake")]);
      expect(wakes.map(({ status }) => status).sort()).toEqual([200, 400]);
      await untilStored(slipway, "dev", "success", "rest");
      expect(await activities()).toEqual(awake);
    });

    test("production environments sleep by their own paths, and each kind only by its own", async () => {
      const path = `${environments}/production/live`;
      const stored = (status: string) =>
        waitFor(`live to be ${status}`, async () => {
          const answer = await call<{ stored_status: string }>("GET", `${path}?projectKey=rest`);
          return answer.json.stored_status === status;
        });
      await stored("success");
      await ok(call("POST", `${path}/sleep?projectKey=rest`));
      await stored("sleeping");
      expect(at(await get("web", namespaces.live), ["spec", "replicas"])).toBe(0);
      await ok(call("POST", `${path}/wake?projectKey=rest`));
      await stored("success");
      expect(at(await get("web", namespaces.live), ["spec", "replicas"])).toBe(2);
      expect((await turn("sleep", "live")).status).toBe(404);
      expect((await turn("wake", "absent")).status).toBe(404);
      await refused(turn("wake"), 6076, "environment is not sleeping");
    });

    test("a sleeping environment can be deleted with everything in it", async () => {
      await sleep();
      await ok(call("DELETE", `${environments}/dev?projectKey=rest&isDelete=true`));
      const path = `${environments}/dev?projectKey=rest`;
      await waitFor("dev to be gone", async () => (await call("GET", path)).status === 404, 90);
      const left = await client.list({ apiVersion: "apps/v1", kind: "Deployment" }, { namespace: namespaces.dev });
      expect(left.items).toEqual([]);
    });
  });
}
