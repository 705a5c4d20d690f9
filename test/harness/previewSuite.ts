import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId, untilStatus } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { storeCallsOf } from "./storeCallsOf.ts";

interface Preview {
  dry_run: boolean;
  objects: { service_name: string; kind: string; name: string; action: string; diff: string }[];
}

interface Failure {
  code: number;
  description: string;
}

const environments = "/openapi/environments";
const services = "/openapi/service/yaml";
const success = '{"message":"success"}';

const web = (image: string, secret: string, more = "") => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: main, image: "${image}" }] } }
---
apiVersion: v1
kind: Secret
metadata: { name: web }
stringData: { password: ${secret}, user: somebody }
---
apiVersion: batch/v1
kind: Job
metadata: { name: migrate }
spec:
  template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "${image}", command: ["true"] }] } }
${more}`;
const map = `---
apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { a: "1" }
`;

/** What `dryRun=true` tells and leaves undone: the same on every cluster. */
export function previewSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
  const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
  const dev = { ...place, env_key: "dev", namespace, services: [{ service_name: "web" }] };

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
    const body = { service_name: "web", yaml: web("web:1", "first", map) };
    expect((await slipway.call("POST", `${services}/raw?projectKey=shop`, { body })).text).toBe(success);
  });

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client.close();
    await slipway.close();
  });

  const operations = async () => {
    const path = "/openapi/system/operation?searchType=all&perPage=1&page=1";
    return (await slipway.call<{ total: number }>("GET", path)).json.total;
  };

  /** Asks, and holds that the table was only read and the operation log did not grow. */
  const preview = async (method: string, path: string, body?: unknown): Promise<Preview["objects"]> => {
    const before = await operations();
    const measured = await storeCallsOf(method, `${path}&dryRun=true`, { body });
    expect(measured.status, measured.body).toBe(200);
    const kinds = new Set(measured.calls.map(({ kind }) => kind));
    expect([...kinds].filter((kind) => !["get", "getMany", "query"].includes(kind))).toEqual([]);
    expect(await operations()).toBe(before);
    const report = JSON.parse(measured.body) as Preview;
    expect(report.dry_run).toBe(true);
    expect(measured.body).not.toMatch(/first|second|Zmlyc3Q=|c2Vjb25k|somebody/);
    return report.objects;
  };

  const actions = (objects: Preview["objects"]) =>
    objects.map(({ service_name, kind, name, action }) => `${service_name} ${action} ${kind}/${name}`).sort();

  const replace = async (yaml: string) => {
    const answer = await slipway.call("PUT", `${services}/web?projectKey=shop`, { body: { type: "k8s", yaml } });
    expect(answer.text).toBe(success);
  };

  const update = { env_key: "dev", service_list: [{ service_name: "web" }] };

  describe(`previews on ${cluster}`, () => {
    test("of a creation name namespace and objects, and make nothing", async () => {
      const objects = await preview("POST", `${environments}?projectKey=shop`, dev);
      expect(actions(objects)).toEqual([
        ` create Namespace/${namespace}`,
        "web create ConfigMap/web",
        "web create Deployment/web",
        "web create Job/migrate",
        "web create Secret/web",
      ]);
      const diff = objects.find(({ kind }) => kind === "Deployment")?.diff;
      expect(diff).toContain("--- /dev/null\n+++ next/Deployment/web\n");
      expect(diff).toContain("+  revisionHistoryLimit: 10\n");
      expect(diff).toContain(`+  namespace: ${namespace}\n`);
      const { items } = await client.list({ apiVersion: "v1", kind: "Namespace" });
      expect(items.map(({ metadata }) => metadata.name)).not.toContain(namespace);
      expect((await slipway.call("GET", `${environments}/dev?projectKey=shop`)).status).toBe(404);
    });

    test("of a creation that cannot be are refused as the creation is", async () => {
      const unknown = { ...dev, services: [{ service_name: "none" }] };
      const path = `${environments}?projectKey=shop`;
      for (const query of ["", "&dryRun=true"]) {
        const answer = await slipway.call<Failure>("POST", path + query, { body: unknown });
        expect([answer.status, answer.json.code]).toEqual([400, 6074]);
        expect(answer.json.description).toContain("none");
      }
    });

    test("of an update say unchanged for what stands as it is", async () => {
      expect((await slipway.call("POST", `${environments}?projectKey=shop`, { body: dev })).text).toBe(success);
      await untilStatus(slipway, "shop", "dev", "running", 90);
      const objects = await preview("PUT", `${environments}/service/yaml?projectKey=shop`, update);
      expect(objects.map(({ action, diff }) => [action, diff])).toEqual(Array(4).fill(["unchanged", ""]));
    });

    test("of an update show what changes and what goes, and values of Secrets only as different", async () => {
      await replace(web("web:2", "second"));
      const at = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace };
      const before = await client.get(at);
      for (const [method, path, body] of [
        ["PUT", `${environments}/service/yaml?projectKey=shop`, update],
        ["PUT", `${environments}/dev/services?projectKey=shop`, { service_list: update.service_list }],
      ] as const) {
        const objects = await preview(method, path, body);
        expect(actions(objects)).toEqual([
          "web change Deployment/web",
          "web change Job/migrate",
          "web change Secret/web",
          "web delete ConfigMap/web",
        ]);
        const changed = (kind: string) =>
          (objects.find((object) => object.kind === kind)?.diff ?? "")
            .split("\n")
            .filter((line) => /^[-+] /.test(line));
        expect(changed("Deployment").map((line) => line.replace(/image: .*\//, "image: "))).toEqual([
          expect.stringMatching(/^- +(- )?image: web:1$/),
          expect.stringMatching(/^\+ +(- )?image: web:2$/),
        ]);
        expect(changed("Job")).toHaveLength(2);
        expect(changed("Secret")).toEqual(["-  password: '******** (before)'", "+  password: '******** (after)'"]);
        expect(objects.find(({ kind }) => kind === "Secret")?.diff).toContain("   user: '********'\n");
      }
      const after = await client.get(at);
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    test("tell what the API server refuses in its words", async () => {
      await replace(
        `${web("web:1", "first", map)}---\napiVersion: v1\nkind: Service\nmetadata: { name: bad }\nspec: {}\n`,
      );
      const path = `${environments}/service/yaml?projectKey=shop&dryRun=true`;
      const { status, json } = await slipway.call<Failure>("PUT", path, { body: update });
      expect([status, json.code]).toEqual([400, 6076]);
      expect(json.description).toMatch(/service web: .*"bad".*spec\.ports/);
      await replace(web("web:1", "first", map));
    });

    test("of adding a service that is there are refused as the change is", async () => {
      const path = `${environments}/service/yaml?projectKey=shop&dryRun=true`;
      const answer = await slipway.call<Failure>("POST", path, { body: update });
      expect([answer.status, answer.json.code]).toEqual([400, 6076]);
    });

    test("of removals name what would be deleted, and delete nothing", async () => {
      const names = { env_key: "dev", service_names: ["web"] };
      const path = `${environments}/service/yaml?projectKey=shop`;
      const all = ["ConfigMap/web", "Deployment/web", "Job/migrate", "Secret/web"].map((name) => `web delete ${name}`);
      expect(actions(await preview("DELETE", path, names))).toEqual(all);
      expect(await preview("DELETE", path, { ...names, not_delete_resource: true })).toEqual([]);
      const whole = `${environments}/dev?projectKey=shop`;
      expect(actions(await preview("DELETE", `${whole}&isDelete=true`))).toEqual([
        ` delete Namespace/${namespace}`,
        ...all,
      ]);
      expect(await preview("DELETE", whole)).toEqual([]);
      const detail = await untilStatus(slipway, "shop", "dev", "running", 5);
      expect(detail.services).toHaveLength(1);
    });

    const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const lines = (objects: Preview["objects"], kind: string) =>
      (objects.find((object) => object.kind === kind)?.diff ?? "").split("\n").filter((line) => /^[-+] /.test(line));

    test("of scaling, another image and a restart show the workload alone, and leave it", async () => {
      const before = await client.get({ ...deployment, namespace });
      const workload = { workload_type: "Deployment", workload_name: "web", service_name: "web" };
      const scaled = await preview("POST", `${environments}/scale?`, {
        ...{ project_key: "shop", env_key: "dev", ...workload, target_replicas: 3 },
      });
      expect(actions(scaled)).toEqual(["web change Deployment/web"]);
      expect(lines(scaled, "Deployment")).toEqual(["-  replicas: 1", "+  replicas: 3"]);

      const image = { product_name: "shop", service_name: "web", name: "web", container_name: "main", image: "web:9" };
      const changed = await preview("POST", `${environments}/image/deployment/dev?`, image);
      expect(lines(changed, "Deployment").map((line) => line.replace(/^(.) +(- )?/, "$1 "))).toEqual([
        "- image: web:1",
        "+ image: web:9",
      ]);

      const restarted = await preview("POST", `${environments}/dev/service/web/restart?projectKey=shop`);
      expect(actions(restarted)).toEqual(["web change Deployment/web"]);
      expect(lines(restarted, "Deployment").join("\n")).toContain("kubectl.kubernetes.io/restartedAt");
      expect((await client.get({ ...deployment, namespace })).metadata.resourceVersion).toBe(
        before.metadata.resourceVersion,
      );
    });

    test("of another image for a Job show the one that would take its place", async () => {
      const image = { product_name: "shop", service_name: "web", name: "migrate", container_name: "main" };
      const changed = await preview("POST", `${environments}/image/job/dev?`, { ...image, image: "web:9" });
      expect(actions(changed)).toEqual(["web change Job/migrate"]);
      expect(lines(changed, "Job")).toHaveLength(2);
    });

    test("of a workload change that cannot be are refused as the change is", async () => {
      const image = { product_name: "shop", service_name: "web", name: "web", container_name: "none", image: "web:9" };
      const answer = await slipway.call<Failure>("POST", `${environments}/image/deployment/dev?dryRun=true`, {
        body: image,
      });
      expect([answer.status, answer.json.code]).toEqual([400, 6082]);
      expect(answer.json.description).toContain('container "none"');
      const none = await slipway.call<Failure>(
        "POST",
        `${environments}/dev/service/none/restart?projectKey=shop&dryRun=true`,
      );
      expect(none.status).toBe(404);
    });

    test("of a pod's restart name the pod that would go", async () => {
      const query = { namespace, labelSelector: "app=web" };
      const pod = async () => (await client.list({ apiVersion: "v1", kind: "Pod" }, query)).items[0]?.metadata;
      const before = await pod();
      const gone = await preview("POST", `${environments}/dev/pod/${before?.name}/restart?projectKey=shop`);
      expect(actions(gone)).toEqual([`web delete Pod/${before?.name}`]);
      const after = await pod();
      expect([after?.uid, after?.deletionTimestamp]).toEqual([before?.uid, undefined]);
    });

    test("of configuration objects mask Secrets and name the workloads that restart", async () => {
      const settings = (secret: string) =>
        `apiVersion: v1\nkind: Secret\nmetadata: { name: settings }\nstringData: { password: ${secret}, user: somebody }\n`;
      const body = (secret: string) => ({
        ...{ name: "settings", common_env_cfg_type: "Secret", yaml_data: settings(secret) },
        env_key: "dev",
      });
      const created = await preview("POST", `${environments}/dev/envcfgs?projectKey=shop`, body("first"));
      expect(actions(created)).toEqual([" create Secret/settings"]);
      const path = `${environments}/dev/envcfg/settings?projectKey=shop&type=Secret`;
      expect((await slipway.call("GET", path)).status).toBe(404);

      const done = await slipway.call("POST", `${environments}/dev/envcfgs?projectKey=shop`, { body: body("first") });
      expect(done.text).toBe(success);
      const changed = await preview("PUT", `${environments}/envcfgs?projectKey=shop`, body("second"));
      expect(actions(changed)).toEqual([" change Secret/settings"]);
      expect(lines(changed, "Secret")).toEqual(["-  password: '******** (before)'", "+  password: '******** (after)'"]);
      expect(actions(await preview("DELETE", path))).toEqual([" delete Secret/settings"]);
      expect((await slipway.call("GET", path)).status).toBe(200);
      expect((await slipway.call("DELETE", path)).text).toBe(success);
    });

    test("of another configuration tell which workloads would be started anew", async () => {
      const yaml = (value: string) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: env }\ndata: { LEVEL: ${value} }\n`;
      const config = (value: string) => ({
        ...{ name: "env", common_env_cfg_type: "ConfigMap", yaml_data: yaml(value), env_key: "dev" },
      });
      const made = await slipway.call("POST", `${environments}/dev/envcfgs?projectKey=shop`, { body: config("info") });
      expect(made.text).toBe(success);
      const reader = web("web:1", "first", map).replace(
        'image: "web:1" }',
        'image: "web:1", envFrom: [{ configMapRef: { name: env } }] }',
      );
      await replace(reader);
      expect((await slipway.call("PUT", `${environments}/service/yaml?projectKey=shop`, { body: update })).text).toBe(
        success,
      );
      await untilStatus(slipway, "shop", "dev", "running", 90);
      const changed = await preview("PUT", `${environments}/envcfgs?projectKey=shop`, config("debug"));
      expect(actions(changed)).toEqual([" change ConfigMap/env", "web change Deployment/web"]);
      expect(lines(changed, "ConfigMap")).toEqual(["-  LEVEL: info", "+  LEVEL: debug"]);
    });

    test("of another registry show the pull secret without its content", async () => {
      const objects = await preview("PUT", `${environments}/dev?projectKey=shop`, { registry_id: place.registry_id });
      expect(actions(objects)).toEqual([" unchanged Secret/default-registry-secret"]);
      expect(await preview("PUT", `${environments}/dev?projectKey=shop`, {})).toEqual([]);
      const path = `${environments}/dev?projectKey=shop&dryRun=true`;
      const unknown = await slipway.call<Failure>("PUT", path, { body: { registry_id: "0".repeat(24) } });
      expect([unknown.status, unknown.json.code]).toEqual([400, 6076]);
    });

    test("of definitions compare what they render to, and store nothing", async () => {
      const created = await preview("POST", `${services}/raw?projectKey=shop`, {
        service_name: "api",
        yaml: web("api:1", "first"),
      });
      expect(actions(created).map((line) => line.split("/")[0])).toEqual([
        "api create Deployment",
        "api create Job",
        "api create Secret",
      ]);
      expect((await slipway.call("GET", `${services}/api?projectKey=shop`)).status).toBe(404);
      const yaml = web("web:3", "second", map);
      expect(actions(await preview("PUT", `${services}/web?projectKey=shop`, { type: "k8s", yaml }))).toEqual([
        "web change Deployment/web",
        "web change Job/migrate",
        "web change Secret/web",
        "web unchanged ConfigMap/web",
      ]);
      expect(
        await preview("PUT", `${services}/web/variable?projectKey=shop`, { service_variable_kvs: [] }),
      ).toHaveLength(4);
      expect(actions(await preview("DELETE", `${services}/web?projectKey=shop`))).toHaveLength(4);
      expect((await slipway.call<{ yaml: string }>("GET", `${services}/web?projectKey=shop`)).json.yaml).toContain(
        "web:1",
      );
    });

    test("of global variables show the services that take a changed one", async () => {
      const definition = { key: "tag", value: "web:1", type: "string", options: [], desc: "" };
      const sent = { global_variables: [definition] };
      const defined = await slipway.call("PUT", "/api/aslan/project/products/shop/globalVariables", { body: sent });
      expect(defined.text).toBe(success);
      const variables = `${environments}/dev/variable?projectKey=shop`;
      const set = (value: string) => ({ global_variables: [{ key: "tag", value }] });
      expect(await preview("PUT", variables, set("web:1"))).toEqual([]);
      expect(await preview("PUT", variables, { variables: [{ key: "tag", value: "web:1" }] })).toEqual([]);
      expect((await slipway.call("PUT", variables, { body: set("web:1") })).text).toBe(success);
      await replace(web("{{.tag}}", "first", map));
      const taking = [{ service_name: "web", variable_kvs: [{ key: "tag", value: "", use_global_variable: true }] }];
      const moved = await slipway.call("PUT", `${environments}/service/yaml?projectKey=shop`, {
        body: { env_key: "dev", service_list: taking },
      });
      expect(moved.text).toBe(success);
      await untilStatus(slipway, "shop", "dev", "running", 90);
      const objects = await preview("PUT", variables, set("web:7"));
      expect(actions(objects)).toContain("web change Deployment/web");
      expect(lines(objects, "Deployment").join()).toContain("web:7");
    });

    test("of a rollback show the manifest of that version", async () => {
      const objects = await preview("POST", `${environments}/dev/service/web/versions/1/rollback?projectKey=shop`);
      expect(actions(objects)).toContain("web unchanged ConfigMap/web");
      const none = `${environments}/dev/service/web/versions/99/rollback?projectKey=shop&dryRun=true`;
      expect((await slipway.call("POST", none)).status).toBe(404);
    });

    test("of a service from a template show what it renders to", async () => {
      const content = web("{{.image}}", "first");
      const made = { name: "small", content, service_variable_kvs: [{ key: "image", value: "api:1", type: "string" }] };
      expect((await slipway.call("POST", "/api/aslan/template/yaml", { body: made })).status).toBe(200);
      const load = { project_key: "shop", service_name: "api", template_name: "small", auto_sync: true };
      const objects = await preview("POST", "/openapi/service/template/load/yaml?", load);
      expect(actions(objects)).toHaveLength(3);
      expect(lines(objects, "Deployment").join("\n")).toContain("image: api:1");
      expect((await slipway.call("GET", `${services}/api?projectKey=shop`)).status).toBe(404);
    });

    test("are refused where there is none, and nothing is done", async () => {
      const body = { name: "Ada", account: "ada", password: "Passw0rd-1" };
      for (const [value, problem] of [
        ["true", "cannot be previewed"],
        ["maybe", "must be true or false"],
      ]) {
        const answer = await slipway.call<Failure>("POST", `/api/v1/users?dryRun=${value}`, { body });
        expect(answer.status).toBe(400);
        expect(answer.json.description).toContain(problem);
      }
      expect((await slipway.call("POST", "/api/v1/users?dryRun=false", { body })).status).toBe(200);
    });

    test("use no Idempotency-Key up", async () => {
      const headers = { "idempotency-key": "once" };
      const path = `${environments}/service/yaml?projectKey=shop`;
      const ask = (query: string): Promise<Answer<Preview>> =>
        slipway.call<Preview>("PUT", path + query, { body: update, headers });
      expect((await ask("&dryRun=true")).headers.get("idempotent-replayed")).toBeNull();
      const again = await ask("&dryRun=true");
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, null]);
    });
  });
}
