import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProjectAction } from "../../shared/access/identity/rules/actions.ts";
import { table } from "../../shared/base/store/table.ts";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { untilStored } from "./environmentSuite.ts";
import { newPerson } from "./people.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { storeCallsOf } from "./storeCallsOf.ts";
import { waitFor } from "./waitFor.ts";

interface Failure {
  code: number;
  description: string;
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';

const pod = (indent: string, image: string) => `
${indent}metadata: { labels: { app: web } }
${indent}spec:
${indent}  containers:
${indent}    - name: main # the module
${indent}      image: ${image}
${indent}    - name: side
${indent}      image: side:1`;

/** A service of every kind that an image update knows, with a comment that must stay. */
const web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: { matchLabels: { app: web } }
  template:${pod("    ", "web:1")}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: store
spec:
  serviceName: store
  replicas: {{ .copies }} # how many
  selector: { matchLabels: { app: web } }
  template:${pod("    ", "store:1")}
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  selector: { matchLabels: { app: web } }
  template:${pod("    ", "agent:1")}
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
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  template:
    spec: { restartPolicy: Never, containers: [{ name: batch, image: "once:1", command: ["true"] }] }
`;

const groups: Record<string, string> = { Deployment: "apps/v1", StatefulSet: "apps/v1", DaemonSet: "apps/v1" };

/** What is done to workloads of an environment and what stays of it, told by the cluster: the same on every cluster. */
export function workloadSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  const suffix = randomBytes(3).toString("hex");
  const namespaces = { dev: `slipway-test-work-${suffix}`, live: `slipway-test-work-live-${suffix}` };

  const call = <T = Failure>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
    slipway.call<T>(method, path, body === undefined ? {} : { body });

  async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
    expect((await answer).text).toBe(success);
  }

  async function get(kind: string, name: string, namespace = namespaces.dev): Promise<LiveObject> {
    return client.get({ apiVersion: groups[kind] ?? "batch/v1", kind, name, namespace });
  }

  async function images(kind: string, name: string): Promise<Record<string, string>> {
    const path = ["spec", ...(kind === "CronJob" ? ["jobTemplate", "spec"] : []), "template", "spec", "containers"];
    const containers = at(await get(kind, name), path) as { name: string; image: string }[];
    return Object.fromEntries(containers.map((container) => [container.name, container.image]));
  }

  async function replicas(kind: string, name: string, namespace = namespaces.dev): Promise<unknown> {
    return at(await get(kind, name, namespace), ["spec", "replicas"]);
  }

  const setImage = (kind: string, name: string, container_name: string, image: string, more: object = {}) =>
    call("POST", `${environments}/image/${kind}/dev`, {
      product_name: "work",
      env_name: "dev",
      service_name: "web",
      name,
      container_name,
      image,
      ...more,
    });

  const scale = (workload_type: string, workload_name: string, target_replicas: number, more: object = {}) =>
    call("POST", `${environments}/scale`, {
      project_key: "work",
      env_key: "dev",
      workload_type,
      workload_name,
      target_replicas,
      ...more,
    });

  async function update(variable_kvs: object[] = []): Promise<void> {
    const body = { service_list: [{ service_name: "web", variable_kvs }] };
    await ok(call("PUT", `${environments}/dev/services?projectKey=work`, body));
    await untilStored(slipway, "dev", "success", "work");
  }

  const yaml = async (): Promise<string> =>
    (await call("GET", `${environments}/services/yaml?projectKey=work&envName=dev&serviceName=web`)).text;

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "work", project_key: "work", is_public: false, project_type: "yaml" };
    await ok(call("POST", "/openapi/projects/project", project));
    const variable_yaml = [{ key: "copies", value: "1", type: "string" }];
    for (const kind of ["", "/production"])
      await ok(
        call("POST", `/openapi/service/yaml${kind}/raw?projectKey=work`, {
          service_name: "web",
          yaml: web,
          variable_yaml,
        }),
      );
    const environment = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
    const services = [{ service_name: "web" }];
    await ok(
      call("POST", `${environments}?projectKey=work`, {
        ...environment,
        env_key: "dev",
        namespace: namespaces.dev,
        services,
      }),
    );
    await ok(
      call("POST", `${environments}/production?projectKey=work`, {
        ...environment,
        env_key: "live",
        namespace: namespaces.live,
      }),
    );
    await untilStored(slipway, "dev", "success", "work");
    await ok(
      call("POST", `${environments}/production/service/yaml?projectKey=work`, {
        env_key: "live",
        service_list: services,
      }),
    );
  });

  afterAll(async () => {
    for (const name of Object.values(namespaces)) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    client.close();
    await slipway.close();
  });

  describe(`workloads on ${cluster}`, () => {
    test("an image update changes one container of one workload, and later updates of the service keep it", async () => {
      const copies = await replicas("Deployment", "web");
      await ok(setImage("deployment", "web", "main", "web:2"));
      expect(await images("Deployment", "web")).toEqual({ main: "web:2", side: "side:1" });
      expect(await images("StatefulSet", "store")).toEqual({ main: "store:1", side: "side:1" });
      expect(await replicas("Deployment", "web")).toBe(copies);
      expect(await yaml()).toBe(web.replace("image: web:1", "image: web:2").replace("{{ .copies }}", "1"));
      await ok(setImage("statefulset", "store", "side", "side:2"));
      await ok(setImage("cronjob", "nightly", "batch", "nightly:2"));
      expect(await images("StatefulSet", "store")).toEqual({ main: "store:1", side: "side:2" });
      expect(await images("CronJob", "nightly")).toEqual({ batch: "nightly:2" });
      await update();
      expect((await images("Deployment", "web")).main).toBe("web:2");
      expect((await images("StatefulSet", "store")).side).toBe("side:2");
    });

    test("a Job is made again with its new image", async () => {
      const { uid } = (await get("Job", "once")).metadata;
      await ok(setImage("job", "once", "batch", "once:2"));
      expect(await images("Job", "once")).toEqual({ batch: "once:2" });
      expect((await get("Job", "once")).metadata.uid).not.toBe(uid);
    });

    test("an image goes back to the revision's: later revisions bring theirs again", async () => {
      await ok(setImage("deployment", "web", "main", "web:1"));
      const body = { type: "k8s", yaml: web.replace("image: web:1", "image: web:3") };
      await ok(call("PUT", "/openapi/service/yaml/web?projectKey=work", body));
      await update();
      expect((await images("Deployment", "web")).main).toBe("web:3");
    });

    test("what is wrong with an image update is said, and nothing is changed", async () => {
      const before = (await get("Deployment", "web")).metadata.generation;
      const refused = async (answer: Promise<Answer<Failure>>, code: number, text: string) => {
        const { json } = await answer;
        expect(json).toMatchObject({ code, description: expect.stringContaining(text) });
      };
      const container = 'container "other" is not part of Deployment "web"; its containers are: main, side';
      await refused(setImage("deployment", "web", "other", "web:9"), 6082, container);
      await refused(
        setImage("deployment", "nope", "main", "web:9"),
        6082,
        "failed to update Deployment container image",
      );
      await refused(
        setImage("deployment", "web", "main", "web:9", { service_name: "nope" }),
        6082,
        "service nope does not exist",
      );
      await refused(setImage("statefulset", "web", "main", "web:9"), 6082, 'StatefulSet "web"');
      await refused(setImage("deployment", "web", "main", "web:9", { env_name: "live" }), 400, "env_name");
      await refused(setImage("deployment", "web", "main", "two words"), 400, "image");
      await refused(setImage("deployment", "web", "main", "web:9", { product_name: "work", image: "" }), 400, "image");
      expect((await get("Deployment", "web")).metadata.generation).toBe(before);
      const elsewhere = await call("POST", `${environments}/image/deployment/absent`, {
        project_key: "work",
        service_name: "web",
        workload_name: "web",
        container_name: "main",
        image_name: "web:9",
      });
      expect(elsewhere.status).toBe(404);
    });

    test("what is in the cluster of a service that the environment does not have is 404", async () => {
      for (const place of ["dev", "production/live"]) {
        const { status, json } = await call("GET", `${environments}/${place}/services/nothing?projectKey=work`);
        expect([status, json.description]).toEqual([404, expect.stringContaining("service nothing in environment")]);
      }
    });

    test("an image update without service_name finds the service that holds the workload", async () => {
      for (const service_name of [undefined, ""]) {
        const image = `side:${service_name === undefined ? "absent" : "empty"}`;
        await ok(setImage("deployment", "web", "side", image, { service_name }));
        expect((await images("Deployment", "web")).side).toBe(image);
      }
      const { json } = await setImage("deployment", "nope", "main", "web:9", { service_name: undefined });
      expect(json).toMatchObject({
        code: 6082,
        description: expect.stringContaining('Deployment "nope" is not part of a service of environment dev'),
      });
      const other = await setImage("deployment", "web", "other", "web:9", { service_name: undefined });
      expect(other.json).toMatchObject({ code: 6082, description: expect.stringContaining('container "other"') });
      const unnamed = { name: "web", container_name: "side", image: "side:6" };
      await ok(call("POST", `${environments}/image/deployment/dev?projectKey=work`, unnamed));
    });

    test("an image update reads the environment, its rollouts and its versions once each", async () => {
      const body = { service_name: "web", name: "web", container_name: "side", image: "side:once" };
      const measured = await storeCallsOf("POST", `${environments}/image/deployment/dev?projectKey=work`, { body });
      expect(measured.status, measured.body).toBe(200);
      expect(measured.calls.filter(({ kind }) => kind === "query")).toHaveLength(3);
    });

    test("two image updates of one service at the same moment both stay", async () => {
      await Promise.all([
        ok(setImage("deployment", "web", "main", "web:7")),
        ok(setImage("deployment", "web", "side", "side:7")),
        ok(setImage("statefulset", "store", "main", "store:7")),
      ]);
      expect(await images("Deployment", "web")).toEqual({ main: "web:7", side: "side:7" });
      expect((await images("StatefulSet", "store")).main).toBe("store:7");
    });

    test("a replica count is remembered: a later update of the service keeps it, and its text shows it", async () => {
      await ok(scale("Deployment", "web", 3, { service_name: "web" }));
      expect(await replicas("Deployment", "web")).toBe(3);
      expect(await yaml()).toContain("  replicas: 3\n  selector: { matchLabels: { app: web } }");
      await update();
      expect(await replicas("Deployment", "web")).toBe(3);
      expect(await yaml()).toContain("# the module");
      await ok(scale("Deployment", "web", 0));
      expect(await replicas("Deployment", "web")).toBe(0);
    });

    test("where the YAML takes the count from a variable alone, the variable is changed", async () => {
      await ok(scale("StatefulSet", "store", 2));
      expect(await replicas("StatefulSet", "store")).toBe(2);
      const detail = await call<{ services: { variable_kvs: { key: string; value: string }[] }[] }>(
        "GET",
        `${environments}/dev?projectKey=work`,
      );
      expect(detail.json.services[0]?.variable_kvs).toMatchObject([{ key: "copies", value: "2" }]);
      await update();
      expect(await replicas("StatefulSet", "store")).toBe(2);
      await update([{ key: "copies", value: "1" }]);
      expect(await replicas("StatefulSet", "store")).toBe(1);
    });

    test("what is wrong with a scaling is said", async () => {
      const refused = async (answer: Promise<Answer<Failure>>, code: number, text: string) =>
        expect((await answer).json).toMatchObject({ code, description: expect.stringContaining(text) });
      await refused(scale("DaemonSet", "agent", 2), 400, "unsupported workload type: DaemonSet");
      await refused(scale("Deployment", "web", -1), 400, "target_replicas must be greater than or equal to 0");
      await refused(scale("Deployment", "nope", 2), 6081, 'Deployment "nope" is not part of');
      await refused(scale("Deployment", "web", 2, { service_name: "other" }), 6081, "service other does not exist");
      await refused(scale("Deployment", "web", 2, { env_key: "absent" }), 404, "absent");
    });

    test("a restart makes the pods of every workload anew, and a later update starts no second one", async () => {
      const restartedAt = async (kind: string, name: string) =>
        at(await get(kind, name), ["spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"]);
      await ok(call("POST", `${environments}/dev/service/web/restart?projectKey=work`));
      const times = [await restartedAt("Deployment", "web"), await restartedAt("StatefulSet", "store")];
      expect(times).toEqual([times[0], times[0]]);
      expect(String(times[0])).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(await restartedAt("DaemonSet", "agent")).toBe(times[0]);
      const { generation } = (await get("Deployment", "web")).metadata;
      await update();
      expect(await restartedAt("Deployment", "web")).toBe(times[0]);
      expect((await get("Deployment", "web")).metadata.generation).toBe(generation);
      const unknown = await call("POST", `${environments}/dev/service/nope/restart?projectKey=work`);
      expect(unknown.status).toBe(404);
    });

    test("the pods of a service are listed with their workloads, and one is made anew", async () => {
      type Pods = { service_name: string; pods: { pod_name: string; workload_name: string; workload_type: string }[] };
      const path = `${environments}/production/live/service/web/pods?projectKey=work`;
      const list = async () => (await call<Pods>("GET", path)).json.pods;
      const first = await waitFor("a pod of the deployment", async () =>
        (await list()).find((one) => one.workload_type === "Deployment"),
      );
      expect(first).toMatchObject({ workload_name: "web", images: ["web:1", "side:1"] });
      await ok(call("POST", `${environments}/production/live/pod/${first.pod_name}/restart?projectKey=work`));
      await waitFor("another pod in its place", async () => {
        const pods = (await list()).filter((one) => one.workload_type === "Deployment");
        return pods.length === 1 && pods[0]?.pod_name !== first.pod_name;
      });
      const foreign = await call("POST", `${environments}/dev/pod/${first.pod_name}/restart?projectKey=work`);
      expect(foreign.status).toBe(404);
      expect((await call("GET", `${environments}/dev/service/nope/pods?projectKey=work`)).status).toBe(404);
    });

    test("every change of a service is a version; a rollback brings image, variables and manifest back together", async () => {
      const vault = (password: string, data: string) => `apiVersion: v1
kind: Secret
metadata: { name: vault }
stringData: { password: "${password}" } # is ${password}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: vault }
data: { size: "{{ .size }}", text: ${data} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: vault }
spec:
  selector: { matchLabels: { app: vault } }
  template:
    metadata: { labels: { app: vault } }
    spec: { containers: [{ name: main, image: "vault:1" }] }
`;
      const body = { service_name: "vault", yaml: vault("first-password", "one") };
      const variable_yaml = [{ key: "size", value: "small", type: "string" }];
      await ok(call("POST", "/openapi/service/yaml/raw?projectKey=work", { ...body, variable_yaml }));
      const change = async (method: string, variable_kvs: object[] = []) => {
        const service_list = [{ service_name: "vault", variable_kvs }];
        await ok(call(method, `${environments}/service/yaml?projectKey=work`, { env_key: "dev", service_list }));
        await untilStored(slipway, "dev", "success", "work");
      };
      await change("POST");
      await ok(setImage("deployment", "vault", "main", "vault:2", { service_name: "vault" }));
      const next = { type: "k8s", yaml: vault("second-password", "two") };
      await ok(call("PUT", "/openapi/service/yaml/vault?projectKey=work", next));
      await change("PUT", [{ key: "size", value: "large" }]);

      const path = `${environments}/dev/service/vault/versions`;
      type Version = { revision: number; operation: string; images: string[]; create_by: string };
      const list = async () => (await call<Version[]>("GET", `${path}?projectKey=work`)).json;
      expect(await list()).toMatchObject([
        { revision: 3, operation: "update", images: ["vault:2"] },
        { revision: 2, operation: "image", images: ["vault:2"] },
        { revision: 1, operation: "create", images: ["vault:1"], create_by: "admin" },
      ]);

      const diff = await call("GET", `${path}/1/diff/3?projectKey=work`);
      expect(diff.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(diff.text).toContain('-data: { size: "small", text: one }\n+data: { size: "large", text: two }\n');
      expect(diff.text).toMatch(/^-.*vault:1.*\n\+.*vault:2/m);
      expect(diff.text).toMatch(/^-.*password: .*before.*\n\+.*password: .*after/m);
      expect(diff.text).not.toMatch(/(first|second)-password/);
      expect((await call("GET", `${path}/1/diff/1?projectKey=work`)).text).toBe("");

      await ok(call("POST", `${path}/1/rollback?projectKey=work`));
      await untilStored(slipway, "dev", "success", "work");
      expect(await images("Deployment", "vault")).toEqual({ main: "vault:1" });
      const at = { apiVersion: "v1", name: "vault", namespace: namespaces.dev };
      expect(await client.get({ ...at, kind: "ConfigMap" })).toMatchObject({ data: { size: "small", text: "one" } });
      const { data } = (await client.get({ ...at, kind: "Secret" })) as { data?: Record<string, string> };
      expect(Buffer.from(data?.password ?? "", "base64").toString()).toBe("first-password");
      expect((await list())[0]).toMatchObject({ revision: 4, operation: "rollback", images: ["vault:1"] });
      const stored = await table().query<object>({ pk: "rollbacks#work" });
      expect(stored).toMatchObject([{ service: "vault", envKey: "dev", from: 3, to: 1, by: "admin" }]);
      const times = `startTime=${Math.floor(Date.now() / 1000) - 600}&endTime=${Math.floor(Date.now() / 1000) + 1}`;
      const told = await call<{ total: number; data: object[] }>(
        "GET",
        `/openapi/statistics/v2/rollback/detail?projectKey=work&envName=dev&${times}&pageSize=20`,
      );
      expect(told.json).toMatchObject({
        total: 1,
        data: [
          {
            ...{ project_key: "work", env_name: "dev", production: false, service_name: "vault", service_type: "k8s" },
            create_by: { account: "admin", name: "admin", identity_type: "system" },
            update_service: { service_name: "vault", containers: [{ image: "vault:1" }] },
          },
        ],
      });
      expect(JSON.stringify(told.json.data)).toContain('"origin_service":{"service_name":"vault"');

      for (const missing of [`${path}/9/diff/1`, `${path}/1/diff/9`, `${environments}/dev/service/nope/versions`])
        expect((await call("GET", `${missing}?projectKey=work`)).status, missing).toBe(404);
      expect((await call("POST", `${path}/9/rollback?projectKey=work`)).status).toBe(404);
      expect((await call("GET", `${path}/x/diff/1?projectKey=work`)).status).toBe(400);
    });

    test("the last twenty versions of a service are kept", async () => {
      for (let count = 0; count < 19; count++)
        await ok(setImage("deployment", "vault", "main", `vault:more-${count}`, { service_name: "vault" }));
      const path = `${environments}/dev/service/vault/versions`;
      const kept = (await call<{ revision: number }[]>("GET", `${path}?projectKey=work`)).json;
      expect(kept.map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, (_, at) => 23 - at));
      expect((await call("GET", `${path}/3/diff/23?projectKey=work`)).status).toBe(404);
      expect((await call("POST", `${path}/3/rollback?projectKey=work`)).status).toBe(404);
    });

    test("one path serves both kinds of environment, and the kind decides who may", async () => {
      const holder = (verb: ProjectAction) => newPerson(verb, [{ namespace: "work", roles: { custom: [verb] } }]);
      const [tester, releaser] = [await holder("scale_environment"), await holder("scale_production_environment")];
      const ask = async (env_key: string, { token }: { token: string }) => {
        const workload = { workload_type: "Deployment", workload_name: "web", target_replicas: 2 };
        const body = { project_key: "work", env_key, ...workload };
        return (await slipway.call("POST", `${environments}/scale`, { token, body })).status;
      };
      await untilProductionStands();
      expect(await ask("live", tester)).toBe(403);
      expect(await ask("dev", releaser)).toBe(403);
      expect(await ask("live", releaser)).toBe(200);
      expect(await replicas("Deployment", "web", namespaces.live)).toBe(2);
      expect(await ask("dev", tester)).toBe(200);
    });
  });

  async function untilProductionStands(): Promise<void> {
    await waitFor("the production environment", async () => {
      const path = `${environments}/production/live?projectKey=work`;
      return (await call<{ stored_status: string }>("GET", path)).json.stored_status === "success";
    });
  }
}
