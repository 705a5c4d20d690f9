import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "./boutique.ts";
import {
  type HelmCommand,
  helmCommand,
  loadChart,
  makeChartEnvironment,
  makeChartProject,
  untilChanged,
} from "./chartProject.ts";
import type { MeshStanding } from "./meshSuite.ts";
import { chartFiles } from "./packedChart.ts";
import { makeWorkflow, tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

interface Failure {
  code: number;
  description: string;
  extra: unknown;
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';
const service = `{{- range .Values.names }}
apiVersion: v1
kind: Service
metadata: {name: {{ . }}}
spec:
  selector: {app: {{ $.Release.Name }}}
  ports: [{name: http, port: {{ $.Values.port }}}]
---
{{- end }}
`;

/** Bases and sub-environments of charts, on any cluster that serves Istio's kinds; Helm's own command agrees. */
export function chartMeshSuite(where: string, start: () => Promise<MeshStanding>): void {
  describe(`sub-environments of charts on ${where}`, () => {
    const projectKey = `hmesh${randomBytes(3).toString("hex")}`;
    const ns = (name: string) => `${projectKey}-${name}`;
    let standing: MeshStanding;
    let client: ClusterClient;
    let command: HelmCommand;

    const call = <T = Failure>(method: string, path: string, body?: unknown) =>
      standing.slipway.call<T>(method, `${path}${path.includes("?") ? "&" : "?"}projectKey=${projectKey}`, { body });
    const until = (env: string) => untilChanged(standing.slipway, projectKey, env);
    const subOf = (base: string) => ({ sub_env: { enable: true, base_env: base } });
    const create = (env: string, more: object = {}) =>
      call("POST", `${environments}/helm`, {
        ...{ env_name: env, namespace: ns(env), cluster_id: localClusterId },
        ...{ registry_id: "0123456789abcdef12345679", ...more },
      });
    const errors = async (env: string) => {
      const { json } = await call<{ error: string; services: { error: string }[] }>("GET", `${environments}/${env}`);
      return [json.error, ...json.services.map(({ error }) => error)].join("");
    };
    const deploy = async (env: string, ...services: { service_name: string; values?: object }[]) => {
      const answer = await call("POST", `${environments}/helm/${env}/services`, {
        services: services.map(({ service_name, values }) => ({
          ...{ service_name, ...(values !== undefined && { values_yaml: JSON.stringify(values) }) },
        })),
      });
      expect(answer.status, answer.text).toBe(200);
      await until(env);
      expect(await errors(env)).toBe("");
    };
    const remove = async (env: string, service_name: string) => {
      const body = { env_key: env, service_names: [service_name] };
      expect((await call("DELETE", `${environments}/service/yaml`, body)).text).toBe(success);
      await until(env);
    };
    const route = (env: string, name: string) =>
      findObject(client, {
        ...{
          apiVersion: "networking.istio.io/v1",
          kind: "VirtualService",
          namespace: ns(env),
          name: `slipway-${name}`,
        },
      });
    const find = (env: string, name: string) =>
      findObject(client, { apiVersion: "v1", kind: "Service", namespace: ns(env), name });
    const portsOf = (object: LiveObject | undefined) =>
      ((at(object, ["spec", "ports"]) ?? []) as { port: number }[]).map(({ port }) => port);
    const isCopy = (object: LiveObject | undefined) => object?.metadata.labels?.["slipway.dev/owner"] !== undefined;
    const releases = async (env: string): Promise<string[]> => {
      const list = JSON.parse(await command.run(ns(env), "list", "-o", "json")) as { name: string; status: string }[];
      return list.map(({ name, status }) => `${name} ${status}`).sort();
    };
    /** What the objects say: header value → host, the default under "". */
    const leads = async (env: string, name: string): Promise<Record<string, string>> => {
      const http = (at(await route(env, name), ["spec", "http"]) ?? []) as {
        match?: { headers: Record<string, { exact: string }> }[];
        route: { destination: { host: string } }[];
      }[];
      return Object.fromEntries(
        http.map(({ match, route: to }) => [match?.[0]?.headers["x-env"]?.exact ?? "", to[0]?.destination.host ?? ""]),
      );
    };
    const host = (env: string, name: string) => `${name}.${ns(env)}.svc.cluster.local`;
    /** Where calls go by the objects, and by the mesh's control plane where there is one. */
    const expectRoutes = async (name: string, marked: string, unmarked: string, port = 80) => {
      const wanted = marked === unmarked ? { "": unmarked } : { sub: marked, "": unmarked };
      for (const env of ["base", "sub"]) {
        expect(await leads(env, name), `${name} in ${env}`).toEqual(wanted);
        const { hostOf } = standing;
        if (hostOf === undefined) continue;
        const asked = (headers: Record<string, string>) => hostOf(ns(env), name, headers, port);
        await waitFor("istiod to know", async () => (await asked({ "x-env": "sub" })) === marked);
        expect(await asked({})).toBe(unmarked);
        expect(await asked({ "x-env": "other" })).toBe(unmarked);
      }
    };

    beforeAll(async () => {
      standing = await start();
      client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
      command = helmCommand(standing.kubeconfig);
      const files = chartFiles("1.0.0");
      await makeChartProject(standing.slipway, projectKey, {
        ...files,
        "values.yaml": `${files["values.yaml"]}port: 80\nnames: []\n`,
        "templates/service.yaml": service,
      });
      for (const name of ["front", "back", "late"])
        await loadChart(standing.slipway, projectKey, { service_name: name, values_yaml: `names: [${name}]` });
      await loadChart(standing.slipway, projectKey, { service_name: "lone" });
      await makeChartEnvironment(standing.slipway, projectKey, { env_name: "base", namespace: ns("base") });
      await until("base");
      await deploy("base", ...["front", "back", "lone"].map((service_name) => ({ service_name })));
    });

    afterAll(async () => {
      for (const env of ["sub", "base"]) {
        await call("DELETE", `${environments}/${env}?isDelete=true`);
        await waitFor(`${env} to be gone`, async () => (await call("GET", `${environments}/${env}`)).status === 404);
      }
      command.close();
      client.close();
      await standing.slipway.close();
      await standing.close?.();
    });

    test("a workload of a release that no Service selects is named", async () => {
      const { json } = await call<string[]>("GET", `${environments}/base/check/workloads/k8sservices`);
      expect(json).toEqual(["lone.Deployment"]);
    });

    test("what cannot be a sub-environment is refused and leaves nothing", async () => {
      for (const [more, code, words] of [
        [subOf("base"), 6074, "not a base"],
        [subOf("nowhere"), 6074, "does not exist"],
        [subOf(""), 6074, "base_env is required"],
        [{ ...subOf("base"), production: true }, 400, "test environments only"],
      ] as const) {
        const refused = await create("sub", more);
        expect(refused.status).toBe(400);
        expect(refused.text).toContain(words);
        if (code === 6074) expect(refused.json.code).toBe(6074);
        expect((await call("GET", `${environments}/sub`)).status).toBe(404);
      }
    });

    test("enabling gives the Services of releases their routes, and Helm's records stay", async () => {
      const before = await releases("base");
      for (let times = 0; times < 2; times++) {
        expect((await call("POST", `${environments}/base/share/enable`)).text).toBe(success);
        await until("base");
        expect(await errors("base")).toBe("");
      }
      const namespace = await client.get({ apiVersion: "v1", kind: "Namespace", name: ns("base") });
      expect(namespace.metadata.labels?.["istio-injection"]).toBe("enabled");
      for (const name of ["front", "back"]) expect(await leads("base", name)).toEqual({ "": host("base", name) });
      expect(await route("base", "lone")).toBeUndefined();
      expect(await releases("base")).toEqual(before);
      const ready = await call<{ checks: object }>("GET", `${environments}/base/check/sharenv/enable/ready`);
      expect(ready.json.checks).toMatchObject({ namespace_has_istio_label: true, virtualservice_deployed: true });
    });

    test("a sub-environment knows the names of its base, and a release that it gets takes the place of a copy", async () => {
      expect((await create("sub", subOf("base"))).text).toBe(success);
      await until("sub");
      for (const name of ["front", "back"]) {
        expect(isCopy(await find("sub", name))).toBe(true);
        await expectRoutes(name, host("base", name), host("base", name));
      }
      expect(await releases("sub")).toEqual([]);
      // The same name of a port with another number: nothing of the copy may stay.
      await deploy("sub", { service_name: "back", values: { port: 8080 } });
      expect(await releases("sub")).toEqual(["back deployed"]);
      const own = await find("sub", "back");
      expect(isCopy(own)).toBe(false);
      expect(portsOf(own)).toEqual([8080]);
      expect(await leads("base", "back")).toEqual({ sub: host("sub", "back"), "": host("base", "back") });
      await deploy("sub", { service_name: "back", values: { port: 80 } });
      await expectRoutes("back", host("sub", "back"), host("base", "back"));
      await expectRoutes("front", host("base", "front"), host("base", "front"));
      const drift = await call<{ in_sync: boolean }>("GET", `${environments}/sub/drift`);
      expect(drift.json, JSON.stringify(drift.json)).toMatchObject({ in_sync: true });
    });

    test("an upgrade of the base keeps the routes, and its Services follow into the sub-environment", async () => {
      await deploy("base", { service_name: "front", values: { replicaCount: 2 } });
      await expectRoutes("front", host("base", "front"), host("base", "front"));
      await deploy("base", { service_name: "front", values: { names: ["front", "front-admin"], port: 8080 } });
      await expectRoutes("front-admin", host("base", "front-admin"), host("base", "front-admin"), 8080);
      expect(portsOf(await find("sub", "front"))).toEqual([8080]);
      await deploy("base", { service_name: "front", values: {} });
      expect(await find("sub", "front-admin")).toBeUndefined();
      expect(await route("base", "front-admin")).toBeUndefined();
      await expectRoutes("back", host("sub", "back"), host("base", "back"));
    });

    test("a job that deploys into base or sub-environment leads calls, too", async () => {
      const tasks = tasksOf(standing.slipway, projectKey);
      const run = async (name: string, env: string, service_name: string) => {
        const spec = { env, deploy_contents: ["vars", "config"], services: [{ service_name }] };
        const jobs = [{ name: "ship", type: "zadig-deploy", spec }] as never[];
        await makeWorkflow(projectKey, { name, stages: [{ name: "ship", jobs }] });
        const task = await tasks.end(name, await tasks.started(name, ["ship"]));
        expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "passed", error: "" });
      };
      await run("into-base", "base", "late");
      expect(isCopy(await find("sub", "late"))).toBe(true);
      await expectRoutes("late", host("base", "late"), host("base", "late"));
      await run("into-sub", "sub", "late");
      expect(isCopy(await find("sub", "late"))).toBe(false);
      await expectRoutes("late", host("sub", "late"), host("base", "late"));
      await remove("sub", "late");
      expect(isCopy(await find("sub", "late"))).toBe(true);
      await expectRoutes("late", host("base", "late"), host("base", "late"));
      await remove("base", "late");
      expect(await find("sub", "late")).toBeUndefined();
    });

    test("a first installation that fails gives the name back to the base", async () => {
      const body = { services: [{ service_name: "front", values_yaml: "image: {repository: 'x y'}\nport: 99999999" }] };
      const answer = await call("POST", `${environments}/helm/sub/services`, body);
      if (answer.status === 200) {
        await until("sub");
        expect(await errors("sub")).not.toBe("");
        await remove("sub", "front");
      } else expect(answer.status).toBe(400);
      expect(isCopy(await find("sub", "front"))).toBe(true);
      await expectRoutes("front", host("base", "front"), host("base", "front"));
      expect(await releases("sub")).toEqual(["back deployed"]);
    });

    test("a service that a sub-environment has stays in its base; a sub-environment is no base", async () => {
      const body = { env_key: "base", service_names: ["back"] };
      const held = await call("DELETE", `${environments}/service/yaml`, body);
      expect(held).toMatchObject({ status: 400, json: { code: 6094, extra: { back: ["sub"] } } });
      expect(await call("POST", `${environments}/sub/share/enable`)).toMatchObject({
        status: 400,
        json: { code: 6076 },
      });
      const refused = await create("subsub", subOf("sub"));
      expect(refused).toMatchObject({ status: 400, json: { code: 6074 } });
      expect(refused.json.description).toContain("sub-environment itself");
    });

    test("disabling a base uninstalls its sub-environments and everything of the mesh, its releases stay", async () => {
      const before = await releases("base");
      expect((await call("DELETE", `${environments}/base/share/enable`)).text).toBe(success);
      await waitFor("the sub-environment to be gone", async () => {
        return (await call("GET", `${environments}/sub`)).status === 404;
      });
      await until("base");
      expect(await errors("base")).toBe("");
      expect(await findObject(client, { apiVersion: "v1", kind: "Namespace", name: ns("sub") })).toBeUndefined();
      expect(await route("base", "back")).toBeUndefined();
      expect(await releases("base")).toEqual(before);
      expect(await find("base", "back")).toBeDefined();
    });
  });
}
