import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, ObjectRef } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { parseManifest } from "../../shared/manifest/parseManifest.ts";
import { readValues } from "../../shared/packaging/helm/rules/readValues.ts";
import { detailOf } from "./boutique.ts";
import {
  type HelmCommand,
  helmCommand,
  makeChartEnvironment,
  readStoredChart,
  storedStatusOf,
  untilChanged,
} from "./chartProject.ts";
import type { Version } from "./deployJobSuite.ts";
import type { Standing } from "./environmentSuite.ts";
import { packedChart } from "./packedChart.ts";
import { podinfo, podinfoFolder } from "./podinfo.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { kindDefinition, stackChart } from "./stackChart.ts";
import { waitFor } from "./waitFor.ts";

interface Preview {
  objects: { kind: string; name: string; action: string; diff: string; note?: string }[];
}
interface Drift {
  in_sync: boolean;
  objects: { kind: string; name: string; state: string; fields: { path: string; live: unknown }[] }[];
}
interface Condition {
  type: string;
  status: string;
}
interface Revision {
  revision: number;
  status: string;
  description: string;
}
interface Chart {
  name: string;
  /** As `helm list` names it. */
  shown: string;
  /** Of the container in its workload. */
  container: string;
  image: string;
  /** Of its first deployment. */
  values: object;
  definitions: string[];
}

const success = '{"message":"success"}';

/** Charts from their first deployment to their end, Helm's own command agreeing at each step: the same on every cluster. */
export function chartLifeSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let command: HelmCommand;
  const suffix = randomBytes(3).toString("hex");
  const group = `life-${suffix}.slipway.test`;
  const namespace = `slipway-test-life-${suffix}`;
  const helm = async <T>(...args: string[]): Promise<T> =>
    JSON.parse(await command.run(namespace, ...args, "-o", "json"));

  const charts: Chart[] = [
    {
      ...{ name: "podinfo", shown: "podinfo-6.14.1", container: "podinfo", image: "ghcr.io/stefanprodan/podinfo" },
      values: { hooks: { preInstall: { job: { enabled: true } }, postUpgrade: { job: { enabled: true } } } },
      definitions: [],
    },
    {
      ...{ name: "stack", shown: "stack-2.1.0", container: "main", image: "registry.example.com/stack/stack" },
      values: { cache: { replicaCount: 2 } },
      definitions: [`entrys.${group}`, `widgets.${group}`],
    },
  ];
  const definitionRef = (name: string): ObjectRef => ({
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name },
  });

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const mark = path.includes("?") ? "&" : "?";
    const answer = await slipway.call<T>(method, `${path}${mark}projectKey=life`, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  }

  async function upload(name: string, files: Record<string, string | Buffer>): Promise<Answer<unknown>> {
    const template = { name, source: "upload" };
    expect((await slipway.call("POST", "/api/aslan/template/charts", { body: template })).text).toBe(success);
    const content = (await packedChart(files, name)).toString("base64");
    return slipway.call("POST", `/api/aslan/template/charts/${name}/upload`, { body: { content } });
  }

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    command = helmCommand(standing.kubeconfig);
    const project = { project_name: "life", project_key: "life", is_public: false, project_type: "helm" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).text).toBe(success);
    for (const [name, files] of [
      ["podinfo", podinfo()],
      ["stack", await stackChart(group)],
    ] as const) {
      expect((await upload(name, files)).status).toBe(200);
      await readStoredChart(slipway, "life", { service_name: name, template_name: name });
    }
    await makeChartEnvironment(slipway, "life", { env_name: "dev", namespace });
    await untilChanged(slipway, "life", "dev");
  });

  afterAll(async () => {
    await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    for (const kind of ["entrys", "widgets", "extras"]) await client.remove(definitionRef(`${kind}.${group}`));
    command.close();
    client.close();
    await slipway.close();
  });

  const servicePath = "/openapi/environments/helm/dev/services";

  async function deploy(service: object): Promise<void> {
    expect(await errorOf(service)).toBe("");
  }

  async function errorOf(service: object): Promise<string> {
    await call("POST", servicePath, { services: [service] });
    await untilChanged(slipway, "life", "dev");
    const { services } = await detailOf(slipway, "life", "dev");
    return services.map(({ error }) => error).join("");
  }

  async function remove(name: string): Promise<void> {
    await call("DELETE", "/openapi/environments/service/yaml", { env_name: "dev", service_names: [name] });
    await untilChanged(slipway, "life", "dev");
  }

  /** What the helm command shows of a release, and what we show of it. */
  async function agree({ name, shown }: Chart, revision: number, values: object): Promise<void> {
    const listed = await helm<{ name: string }[]>("list");
    expect(listed.find((one) => one.name === name)).toMatchObject({
      ...{ chart: shown, status: "deployed", revision: String(revision) },
    });
    expect(await helm("get", "values", name)).toMatchObject(values);
    const path = `/openapi/environments/service/values?projectKey=life&envName=dev&serviceName=${name}`;
    expect(readValues((await slipway.call("GET", path)).text)).toEqual(await helm("get", "values", name, "--all"));
    const history = await helm<Revision[]>("history", name);
    expect(history.map((one) => [one.revision, one.status])).toEqual(
      Array.from({ length: revision }, (_, at) => [at + 1, at + 1 === revision ? "deployed" : "superseded"]),
    );
    const versions = await call<Version[]>("GET", `/openapi/environments/dev/service/${name}/versions`);
    expect(versions.map((one) => one.revision)).toEqual(history.map((one) => one.revision).reverse());
    const manifest = await command.run(namespace, "get", "manifest", name);
    expect(manifest).toContain(versions[0]?.images.find((image) => image.includes(`/${name}:`)));
    const { services } = await detailOf(slipway, "life", "dev");
    expect(services.find(({ service_name }) => service_name === name)).toMatchObject({ type: "helm", error: "" });
    expect(await call<Drift>("GET", "/openapi/environments/dev/drift")).toMatchObject({ in_sync: true, objects: [] });
  }

  describe.each(charts)(`the chart $name on ${cluster}`, (chart) => {
    const { name, image, container, values, definitions } = chart;
    const more = { replicaCount: 2 };

    test("shows what it would bring, kinds included, and brings nothing", async () => {
      const body = { services: [{ service_name: name, values_yaml: JSON.stringify(values) }] };
      const { objects } = await call<Preview>("POST", `${servicePath}?dryRun=true`, body);
      const kinds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
      expect(kinds.map((one) => [one.name, one.action]).sort()).toEqual(definitions.map((one) => [one, "create"]));
      expect(objects.map(({ kind }) => kind)).toContain("Deployment");
      expect(await helm("list", "--all-namespaces", "--filter", `^${name}$`)).toEqual([]);
      for (const one of definitions) expect(await findObject(client, definitionRef(one))).toBeUndefined();
    });

    test("is installed after its kinds and its hooks", async () => {
      await deploy({ service_name: name, values_yaml: JSON.stringify(values) });
      await agree(chart, 1, values);
      for (const one of definitions) {
        const { status } = await client.get(definitionRef(one));
        expect(status).toMatchObject({
          conditions: expect.arrayContaining([expect.objectContaining({ type: "Established", status: "True" })]),
        });
      }
      expect(await findObject(client, definitionRef(`extras.${group}`))).toBeUndefined();
    });

    test("is upgraded", async () => {
      await deploy({ service_name: name, values_yaml: JSON.stringify({ ...values, ...more }) });
      await agree(chart, 2, { ...values, ...more });
    });

    test("takes another image", async () => {
      const body = {
        ...{ product_name: "life", service_name: name, name, container_name: container, image: `${image}:v9` },
      };
      const path = "/openapi/environments/image/deployment/dev";
      const { objects } = await call<Preview>("POST", `${path}?dryRun=true`, body);
      const changed = objects.filter(({ action }) => action !== "unchanged");
      expect(changed).toMatchObject([{ kind: "Deployment", name, action: "change" }]);
      expect(changed[0]?.diff).toContain(`${image}:v9`);
      await agree(chart, 2, { ...values, ...more });
      await call("POST", path, body);
      await untilChanged(slipway, "life", "dev");
      await agree(chart, 3, { ...values, ...more, image: { tag: "v9" } });
    });

    test("shows what was changed by hand, and puts it right", async () => {
      const spec = { template: { spec: { containers: [{ name: container, image: "example.com/other:1" }] } } };
      const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace }, spec };
      await client.apply(object, { fieldManager: "by-hand", force: true });
      const path = `spec.template.spec.containers[name=${container}].image`;
      expect((await call<Drift>("GET", "/openapi/environments/dev/drift")).objects).toMatchObject([
        { kind: "Deployment", name, state: "changed", fields: [{ path, live: "example.com/other:1" }] },
      ]);
      await deploy({ service_name: name, values_yaml: JSON.stringify({ ...values, replicaCount: 3 }) });
      await agree(chart, 4, { ...values, replicaCount: 3, image: { tag: "v9" } });
    });

    test("goes back to its first version", async () => {
      await call("POST", `/openapi/environments/dev/service/${name}/versions/1/rollback`);
      await untilChanged(slipway, "life", "dev");
      await agree(chart, 5, values);
      expect(await helm("get", "values", name)).not.toMatchObject({ image: { tag: "v9" } });
    });

    test("goes with its hooks and leaves the kinds, as it says before", async () => {
      const path = "/openapi/environments/service/yaml";
      const body = { env_name: "dev", service_names: [name] };
      const { objects } = await call<Preview>("DELETE", `${path}?dryRun=true`, body);
      const kinds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
      expect(kinds.map((one) => one.action)).toEqual(definitions.map(() => "unchanged"));
      for (const { note } of kinds) expect(note).toContain("helm.sh/resource-policy says keep");
      await remove(name);
      expect(await helm("list")).toEqual([]);
      expect(await findObject(client, { apiVersion: "apps/v1", kind: "Deployment", namespace, name })).toBeUndefined();
      for (const one of definitions) await client.get(definitionRef(one));
    });
  });

  describe(`a release that the helm command made on ${cluster}`, () => {
    const workload = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "found-podinfo" };
    const podsOfFound = "app.kubernetes.io/name=found-podinfo";
    const detailOfFound = async () => {
      const { services } = await detailOf(slipway, "life", "dev");
      return services.find(({ service_name }) => service_name === "found");
    };
    const secretOf = (revision: number) => {
      return { apiVersion: "v1", kind: "Secret", namespace, name: `sh.helm.release.v1.found.v${revision}` };
    };
    const historyOf = async (name: string) =>
      (await helm<Revision[]>("history", name)).map(({ revision, status }) => `${revision} ${status}`);
    const versionsOf = async () => {
      const versions = await call<Version[]>("GET", "/openapi/environments/dev/service/found/versions");
      return versions.map(({ revision }) => revision);
    };
    const inSync = async () =>
      expect(await call<Drift>("GET", "/openapi/environments/dev/drift")).toMatchObject({ in_sync: true, objects: [] });

    const refusal = async (service: object): Promise<string> => {
      const answer = await slipway.call("POST", `${servicePath}?projectKey=life`, { body: { services: [service] } });
      expect(answer.status, answer.text).toBe(400);
      return answer.text;
    };

    beforeAll(async () => {
      await readStoredChart(slipway, "life", { service_name: "found", template_name: "podinfo" });
      await command.run(namespace, "install", "found", podinfoFolder, "--set", "replicaCount=1");
      await command.run(namespace, "upgrade", "found", podinfoFolder, "--set", "replicaCount=2,ui.color=teal");
    });

    test("is not touched by a deployment, and only what stands in order can be imported", async () => {
      expect(await refusal({ service_name: "found" })).toContain("take it over with deploy_strategy import");
      const strategy = { deploy_strategy: "import" };
      expect(await refusal({ service_name: "podinfo", ...strategy })).toContain("there is no release podinfo");
      expect(await refusal({ service_name: "found", ...strategy, values_yaml: "a: 1" })).toContain("keeps its values");
      const mark = (labels: object) => client.patch(secretOf(2), { type: "merge", body: { metadata: { labels } } });
      await mark({ status: "pending-upgrade" });
      expect(await refusal({ service_name: "found", ...strategy })).toContain("release found is pending-upgrade");
      await mark({ status: "failed" });
      expect(await refusal({ service_name: "found", ...strategy })).toContain("revision 2 of release found is failed");
      await mark({ status: "deployed" });
      await readStoredChart(slipway, "life", { service_name: "other", template_name: "stack" });
      await command.run(namespace, "install", "other", podinfoFolder);
      expect(await refusal({ service_name: "other", ...strategy })).toContain(
        "chart podinfo and service other of chart stack",
      );
      await command.run(namespace, "uninstall", "other");
      expect(await historyOf("found")).toEqual(["1 superseded", "2 deployed"]);
    });

    test("is taken over as it stands, and no pod is started anew", async () => {
      const pods = async () => {
        const { items } = await client.list(
          { apiVersion: "v1", kind: "Pod" },
          { namespace, labelSelector: podsOfFound },
        );
        return items.map(({ metadata }) => metadata.uid).sort();
      };
      await waitFor("its pods", async () => (await pods()).length === 2);
      const [before, ran] = [await client.get(workload), await pods()];
      const values = await helm("get", "values", "found");
      const body = { services: [{ service_name: "found", deploy_strategy: "import" }] };
      const { objects } = await call<Preview>("POST", `${servicePath}?dryRun=true`, body);
      expect(objects.map(({ action }) => action)).toEqual(objects.map(() => "unchanged"));
      await deploy({ service_name: "found", deploy_strategy: "import" });
      const after = await client.get(workload);
      expect(await pods()).toEqual(ran);
      expect(after.spec).toEqual(before.spec);
      expect(after.metadata.labels).toMatchObject({ "slipway.dev/service": "found" });
      expect(await historyOf("found")).toEqual(["1 superseded", "2 deployed"]);
      expect(await helm("get", "values", "found")).toEqual(values);
      expect(await versionsOf()).toEqual([1]);
      expect(await detailOfFound()).toMatchObject({
        ...{ type: "helm", error: "", deploy_strategy: "import", chart: { name: "podinfo", version: "6.14.1" } },
        containers: [{ image: "ghcr.io/stefanprodan/podinfo:6.14.1" }],
      });
      await inSync();
      expect(await refusal({ service_name: "found", deploy_strategy: "import" })).toContain(
        "stands in environment dev already",
      );
    });

    test("goes back and forth by the helm command, and is the service's all the while", async () => {
      for (const [revision, replicaCount] of [
        [1, 1],
        [2, 2],
      ] as const) {
        await command.run(namespace, "rollback", "found", String(revision));
        expect(await helm("get", "values", "found")).toMatchObject({ replicaCount });
      }
      const { metadata } = await client.get(secretOf(4));
      expect(metadata.labels).toMatchObject({ "slipway.dev/environment": expect.any(String) });
      await inSync();
    });

    test("shows its pods, is restarted and scaled as every other", async () => {
      // Those of the rollback before may still be going.
      await waitFor("its two pods", async () => {
        const path = "/openapi/environments/dev/service/found/pods";
        const { pods } = await call<{ pods: { workload_name: string }[] }>("GET", path);
        return pods.map((one) => one.workload_name).join() === "found-podinfo,found-podinfo";
      });
      const body = {
        project_key: "life",
        env_key: "dev",
        service_name: "found",
        workload_type: "Deployment",
        workload_name: "found-podinfo",
        target_replicas: 3,
      };
      await call("POST", "/openapi/environments/scale", body);
      expect((await client.get(workload)).spec).toMatchObject({ replicas: 3 });
      await inSync();
      await call("POST", "/openapi/environments/dev/service/found/restart");
      await untilChanged(slipway, "life", "dev");
      expect((await detailOfFound())?.error).toBe("");
    });

    test("keeps its values through an image, and comes back to what was found", async () => {
      const image = "ghcr.io/stefanprodan/podinfo:v9";
      const body = {
        product_name: "life",
        service_name: "found",
        name: "found-podinfo",
        container_name: "podinfo",
        image,
      };
      await call("POST", "/openapi/environments/image/deployment/dev", body);
      await untilChanged(slipway, "life", "dev");
      expect(await helm("get", "values", "found")).toMatchObject({ ui: { color: "teal" }, image: { tag: "v9" } });
      expect((await client.get(workload)).metadata.labels).toMatchObject({ "slipway.dev/service": "found" });
      expect(await detailOfFound()).toMatchObject({ deploy_strategy: "deploy", error: "" });
      await inSync();
      await call("POST", "/openapi/environments/dev/service/found/versions/1/rollback");
      await untilChanged(slipway, "life", "dev");
      expect(await helm("get", "values", "found")).toEqual({ replicaCount: 2, ui: { color: "teal" } });
      expect(await historyOf("found")).toHaveLength(6);
      expect(await versionsOf()).toEqual([3, 2, 1]);
      await inSync();
    });

    test("goes with its service", async () => {
      await remove("found");
      expect(await helm("list")).toEqual([]);
      expect(await findObject(client, workload)).toBeUndefined();
    });

    test("of a chart with dependencies goes on with the service's chart of the same version", async () => {
      await deploy({ service_name: "stack" });
      const values = await helm("get", "values", "stack");
      await call("DELETE", "/openapi/environments/service/yaml", {
        ...{ env_name: "dev", service_names: ["stack"], not_delete_resource: true },
      });
      await deploy({ service_name: "stack", deploy_strategy: "import" });
      expect(await helm("get", "values", "stack")).toEqual(values);
      await inSync();
      await deploy({ service_name: "stack", values_yaml: "cache: {replicaCount: 3}" });
      expect(await helm("get", "values", "stack")).toMatchObject({ cache: { replicaCount: 3 } });
      await remove("stack");
    });
  });

  describe(`a draft on ${cluster}`, () => {
    test("is kept with its values and brings nothing until it is deployed", async () => {
      await readStoredChart(slipway, "life", { service_name: "kept", template_name: "podinfo" });
      await deploy({ service_name: "kept", deploy_strategy: "draft", values_yaml: "replicaCount: 4" });
      expect(await helm("list")).toEqual([]);
      const { services } = await detailOf(slipway, "life", "dev");
      expect(services).toMatchObject([{ service_name: "kept", type: "helm", deploy_strategy: "draft", error: "" }]);
      expect(await call<Drift>("GET", "/openapi/environments/dev/drift")).toMatchObject({ in_sync: true, objects: [] });
      await deploy({ service_name: "kept" });
      expect(await helm("get", "values", "kept")).toMatchObject({ replicaCount: 4 });
      expect((await helm<Revision[]>("history", "kept")).map(({ revision }) => revision)).toEqual([1]);
      await remove("kept");
    });

    test("goes as it came", async () => {
      await deploy({ service_name: "kept", deploy_strategy: "draft" });
      await remove("kept");
      expect((await detailOf(slipway, "life", "dev")).services).toEqual([]);
    });
  });

  describe(`a kind that somebody else brings on ${cluster}`, () => {
    test("is known to the next deployment, also where the cluster was asked for its kinds a moment before", async () => {
      const object = `apiVersion: ${group}/v1\nkind: Late\nmetadata: {name: {{ .Release.Name }}}\n`;
      const chart = { "Chart.yaml": "apiVersion: v2\nname: late\nversion: 1.0.0\n", "templates/late.yaml": object };
      expect((await upload("late", chart)).status).toBe(200);
      await readStoredChart(slipway, "life", { service_name: "late", template_name: "late" });
      const body = { services: [{ service_name: "late" }] };
      const refused = await slipway.call("POST", `${servicePath}?projectKey=life`, { body });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("Late")]);
      const definition = definitionRef(`lates.${group}`);
      for (const one of parseManifest(kindDefinition(group, "Late"))) await client.apply(one);
      await waitFor("the kind to be served", async () => {
        const { conditions } = ((await client.get(definition)).status ?? {}) as { conditions?: Condition[] | null };
        return conditions?.some(({ type, status }) => type === "Established" && status === "True");
      });
      await deploy({ service_name: "late" });
      expect(await client.get({ apiVersion: `${group}/v1`, kind: "Late", namespace, name: "late" })).toBeDefined();
      await remove("late");
      await client.remove(definition);
    });
  });

  describe(`the kinds of a chart on ${cluster}`, () => {
    const widgets = definitionRef(`widgets.${group}`);

    test("that one service left another one brings again", async () => {
      await readStoredChart(slipway, "life", { service_name: "heir", template_name: "stack" });
      await deploy({ service_name: "heir" });
      expect((await client.get(widgets)).metadata.labels).toMatchObject({ "slipway.dev/service": "heir" });
      await remove("heir");
    });

    test("are not taken from others who have them otherwise, and no release is made", async () => {
      const { apiVersion, kind, metadata, spec } = await client.get(widgets);
      await client.remove(widgets);
      await waitFor("the kind to go", async () => (await findObject(client, widgets)) === undefined);
      const theirs = structuredClone(spec) as { versions: { schema: { openAPIV3Schema: object } }[] };
      for (const { schema } of theirs.versions)
        schema.openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const object = { apiVersion, kind, metadata: { name: metadata.name }, spec: theirs };
      await client.apply(object, { fieldManager: "others" });
      const error = await errorOf({ service_name: "heir" });
      expect(error).toContain(`CustomResourceDefinition "widgets.${group}"`);
      expect(error).toContain('"others"');
      expect(await helm("list")).toEqual([]);
      await remove("heir");
      expect((await client.get(widgets)).metadata.managedFields?.map(({ manager }) => manager)).not.toContain(
        "slipway",
      );
    });

    test("are all that may lie in crds/", async () => {
      const files = {
        ...(await stackChart(group)),
        "crds/role.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}",
      };
      expect((await upload("wrong", files)).status).toBe(200);
      await readStoredChart(slipway, "life", { service_name: "wrong", template_name: "wrong" });
      const answer = await slipway.call("POST", `${servicePath}?projectKey=life`, {
        body: { services: [{ service_name: "wrong" }] },
      });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('crds/ holds Pod \\"a\\"; only a CustomResourceDefinition may lie there');
    });
  });

  describe(`a release beside other objects of its environment on ${cluster}`, () => {
    const workload = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "reader" };
    const replicas = async () => ((await client.get(workload)).spec as { replicas?: number }).replicas;
    const settings = (colour: string) => ({
      name: "settings",
      common_env_cfg_type: "ConfigMap",
      yaml_data: JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "settings" },
        data: { colour },
      }),
    });
    const untilStored = (status: string) =>
      waitFor(`dev to be stored as ${status}`, async () => (await storedStatusOf(slipway, "life", "dev")) === status);
    const stands = async (revision: number) => {
      expect(await helm("list")).toMatchObject([{ name: "reader", status: "deployed", revision: String(revision) }]);
      expect(await call<Drift>("GET", "/openapi/environments/dev/drift")).toMatchObject({ in_sync: true, objects: [] });
    };

    beforeAll(async () => {
      const container = "{name: main, image: 'reader:1', envFrom: [{configMapRef: {name: settings}}]}";
      const chart = {
        "Chart.yaml": "apiVersion: v2\nname: reader\nversion: 1.0.0\n",
        "values.yaml": "replicaCount: 2\n",
        "templates/reader.yaml": [
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: reader}",
          "spec:\n  replicas: {{ .Values.replicaCount }}\n  selector: {matchLabels: {app: reader}}",
          `  template: {metadata: {labels: {app: reader}}, spec: {containers: [${container}]}}\n`,
        ].join("\n"),
      };
      expect((await upload("reader", chart)).status).toBe(200);
      await readStoredChart(slipway, "life", { service_name: "reader", template_name: "reader" });
      await call("POST", "/openapi/environments/dev/envcfgs", settings("red"));
      await deploy({ service_name: "reader" });
      await stands(1);
    });

    test("is restarted when a configuration changes that it reads, and stays as Helm has it", async () => {
      const restartedAt = async () => {
        const { spec } = await client.get(workload);
        const { template } = spec as { template: { metadata: { annotations?: Record<string, string> } } };
        return template.metadata.annotations?.["kubectl.kubernetes.io/restartedAt"];
      };
      expect(await restartedAt()).toBeUndefined();
      await call("PUT", "/openapi/environments/envcfgs", { ...settings("blue"), env_key: "dev" });
      expect(await restartedAt()).toBeDefined();
      const configs = await call<{ name: string }[]>("GET", "/openapi/environments/dev/envcfgs?type=ConfigMap");
      expect(configs.map(({ name }) => name)).toContain("settings");
      await untilStored("success");
      await stands(1);
    });

    test("sleeps and wakes with the pods that it had, and Helm sees no other release", async () => {
      await call("POST", "/openapi/environments/dev/sleep");
      await untilStored("sleeping");
      expect(await replicas()).toBe(0);
      expect(await helm("list")).toMatchObject([{ name: "reader", status: "deployed", revision: "1" }]);
      const refused = await slipway.call("POST", `${servicePath}?projectKey=life`, {
        body: { services: [{ service_name: "reader" }] },
      });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("environment is sleeping")]);
      await call("POST", "/openapi/environments/dev/wake");
      await untilStored("success");
      expect(await replicas()).toBe(2);
      await stands(1);
      await deploy({ service_name: "reader", values_yaml: "replicaCount: 3" });
      expect(await replicas()).toBe(3);
      await stands(2);
    });

    test("goes and leaves the configuration", async () => {
      await remove("reader");
      expect(await helm("list")).toEqual([]);
      await client.get({ apiVersion: "v1", kind: "ConfigMap", namespace, name: "settings" });
    });
  });
}
