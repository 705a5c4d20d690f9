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
  makeChartEnvironment,
  makeChartProject,
  readStoredChart,
  untilChanged,
} from "./chartProject.ts";
import { gatewayService, ingressGateway, openPorts } from "./istioDefinitions.ts";
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
        await readStoredChart(standing.slipway, projectKey, { service_name: name, values_yaml: `names: [${name}]` });
      await readStoredChart(standing.slipway, projectKey, { service_name: "lone" });
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
      await client.remove(gatewayService);
      client.close();
      await standing.slipway.close();
      await standing.close?.();
    });

    test("a workload of a release that no Service selects is named", async () => {
      const { json } = await call<string[]>("GET", `${environments}/base/check/workloads/k8sservices`);
      expect(json).toEqual(["lone.Deployment"]);
    });

    test("what cannot be a sub-environment is refused and leaves nothing", async () => {
      for (const [more, words] of [
        [subOf("base"), "not a base"],
        [subOf("nowhere"), "does not exist"],
        [subOf(""), "base_env is required"],
        [{ ...subOf("base"), production: true }, "base does not exist among the production environments"],
      ] as const) {
        const refused = await create("sub", more);
        expect([refused.status, refused.json.code]).toEqual([400, 6074]);
        expect(refused.text).toContain(words);
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

    describe("a portal", () => {
      const shop = { host: `shop.${projectKey}.example.com`, port_number: 8081, port_protocol: "HTTP" };
      const own = { ...shop, host: `sub.${projectKey}.example.com` };
      const set = async (env: string, name: string, servers: object[]) => {
        expect((await call("POST", `${environments}/${env}/share/portal/${name}`, servers)).text).toBe(success);
        await until(env);
        expect(await errors(env)).toBe("");
      };
      const ofPortal = (env: string, name: string, kind: "Gateway" | "VirtualService") =>
        findObject(client, {
          ...{ apiVersion: "networking.istio.io/v1", kind, namespace: ns(env), name: `slipway-gateway-${name}` },
        });
      const http = async (env: string, name: string) =>
        at(await ofPortal(env, name, "VirtualService"), ["spec", "http"]);
      const to = (env: string, name: string, number = 80) => [
        { destination: { host: host(env, name), port: { number } } },
      ];
      const marked = { request: { set: { "x-env": "sub" } } };
      /** What the ingress gateway does by the mesh's control plane, where it can be asked. */
      const expectLed = async (entry: string, wanted: string, headers: Record<string, string> = {}) => {
        const { gatewayHostOf } = standing;
        if (gatewayHostOf === undefined) return;
        await waitFor("istiod to know", async () => (await gatewayHostOf(8081, entry, headers)) === wanted);
      };

      test("is refused where there is no such Service, no ingress gateway or no routing", async () => {
        const refusal = async (env: string, name: string) => {
          const answer = await call("POST", `${environments}/${env}/share/portal/${name}`, [shop]);
          return [answer.status, answer.json.code, answer.json.description];
        };
        expect(await refusal("base", "lone")).toEqual([404, 404, expect.stringContaining("it has back, front")]);
        expect(await refusal("base", "back")).toEqual([400, 6079, expect.stringContaining("no ingress gateway")]);
        await makeChartEnvironment(standing.slipway, projectKey, { env_name: "plain", namespace: ns("plain") });
        await until("plain");
        expect(await refusal("plain", "back")).toEqual([400, 6079, expect.stringContaining("neither a base nor")]);
        expect((await call("DELETE", `${environments}/plain?isDelete=true`)).text).toBe(success);
        await ingressGateway(client);
      });

      test("of a base leads in as calls from inside are led, through upgrades of the release", async () => {
        const before = await releases("base");
        await set("base", "back", [shop]);
        const led = (number: number) => [
          { match: [{ port: 8081, headers: { "x-env": { exact: "sub" } } }], route: to("sub", "back") },
          { match: [{ port: 8081 }], route: to("base", "back", number) },
        ];
        expect(await http("base", "back")).toEqual(led(80));
        expect(at(await ofPortal("base", "back", "Gateway"), ["spec", "selector"])).toEqual({
          istio: "ingressgateway",
        });
        expect(await openPorts(client)).toMatchObject({ 80: "http2", 8081: "slipway-8081" });
        const shown = await call("GET", `${environments}/base/share/portal/back`);
        expect(shown.json).toEqual({ default_gateway_address: "192.0.2.7", servers: [shop] });
        await expectLed(shop.host, host("base", "back"));
        await expectLed(shop.host, host("sub", "back"), { "x-env": "sub" });
        await deploy("base", { service_name: "back", values: { port: 8080 } });
        expect(await http("base", "back")).toEqual(led(8080));
        await deploy("base", { service_name: "back", values: {} });
        expect(await http("base", "back")).toEqual(led(80));
        expect(await releases("base")).toEqual(before);
        const drift = await call<{ in_sync: boolean }>("GET", `${environments}/base/drift`);
        expect(drift.json, JSON.stringify(drift.json)).toMatchObject({ in_sync: true });
      });

      test("of a sub-environment marks what comes in, and follows the release that comes and goes behind it", async () => {
        await set("sub", "front", [own]);
        expect(await http("sub", "front")).toMatchObject([{ route: to("base", "front"), headers: marked }]);
        await expectLed(own.host, host("base", "front"));
        await deploy("sub", { service_name: "front" });
        expect(await http("sub", "front")).toMatchObject([{ route: to("sub", "front"), headers: marked }]);
        await expectLed(own.host, host("sub", "front"));
        // Its values are its own, and so may its ports be.
        await deploy("sub", { service_name: "front", values: { port: 8080 } });
        expect(await http("sub", "front")).toMatchObject([{ route: to("sub", "front", 8080) }]);
        expect(await releases("sub")).toEqual(["back deployed", "front deployed"]);
        await remove("sub", "front");
        expect(await http("sub", "front")).toMatchObject([{ route: to("base", "front"), headers: marked }]);
        await expectLed(own.host, host("base", "front"));
      });

      test("that is emptied goes, and a port that another one needs stays open", async () => {
        await set("sub", "front", []);
        expect(await ofPortal("sub", "front", "Gateway")).toBeUndefined();
        expect(await ofPortal("sub", "front", "VirtualService")).toBeUndefined();
        expect(await openPorts(client)).toHaveProperty("8081");
        await set("sub", "back", [own]);
      });
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
      // Portals of both went with them.
      expect(Object.keys(await openPorts(client))).toEqual(["80", "443", "15021"]);
    });
  });
}
