import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { environmentBody, untilStatus } from "./boutique.ts";
import { gatewayService, ingressGateway, openPorts } from "./istioDefinitions.ts";
import { deploymentYaml } from "./manifests.ts";
import type { Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

interface Failure {
  code: number;
  description: string;
  extra: unknown;
}

interface Readiness {
  is_ready: boolean;
  checks: Record<string, boolean>;
}

export interface MeshStanding {
  slipway: Slipway;
  kubeconfig: string;
  /** Which host a call to `http://<service>` from a pod of the namespace goes to, as the mesh's control plane tells it. */
  hostOf?: (namespace: string, service: string, headers: Record<string, string>, port?: number) => Promise<string>;
  /** Where a call at a port and host of the ingress gateway goes. */
  gatewayHostOf?: (port: number, host: string, headers: Record<string, string>) => Promise<string>;
  /** Pods of labelled namespaces get the proxy. */
  injects?: true;
  close?: () => Promise<void>;
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';
const apiVersion = "networking.istio.io/v1";

function serviceYaml(name: string, port = 80): string {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { ports: [{ name: "http", port }], selector: { app: name } },
  };
  return `${deploymentYaml(name, `${name}:1`)}\n---\n${JSON.stringify(service)}\n`;
}

/** Bases and sub-environments, on any cluster that serves Istio's kinds. */
export function meshSuite(where: string, start: () => Promise<MeshStanding>): void {
  describe(`sub-environments on ${where}`, () => {
    const projectKey = `mesh${randomBytes(3).toString("hex")}`;
    const ns = (name: string) => `${projectKey}-${name}`;
    const query = `projectKey=${projectKey}`;
    let standing: MeshStanding;
    let client: ClusterClient;

    const call = <T = Failure>(method: string, path: string, body?: unknown) =>
      standing.slipway.call<T>(method, `${path}${path.includes("?") ? "&" : "?"}${query}`, { body });
    const services = (...names: string[]) => names.map((service_name) => ({ service_name }));
    const create = (env: string, names: string[], more: object = {}) =>
      call("POST", environments, { ...environmentBody(env, ns(env)), services: services(...names), ...more });
    const subOf = (base: string) => ({ sub_env: { enable: true, base_env: base } });
    const untilRunning = (env: string) => untilStatus(standing.slipway, projectKey, env, "running");
    const route = (env: string, service: string) =>
      findObject(client, { apiVersion, kind: "VirtualService", namespace: ns(env), name: `slipway-${service}` });
    const service = (env: string, name: string) =>
      findObject(client, { apiVersion: "v1", kind: "Service", namespace: ns(env), name });
    const namespace = (env: string) => client.get({ apiVersion: "v1", kind: "Namespace", name: ns(env) });

    /** What the objects say: header value → host, the default under "". */
    const leads = (object: LiveObject | undefined): Record<string, string> => {
      const http = (at(object, ["spec", "http"]) ?? []) as {
        match?: { headers: Record<string, { exact: string }> }[];
        route: { destination: { host: string } }[];
      }[];
      return Object.fromEntries(
        http.map(({ match, route: to }) => [match?.[0]?.headers["x-env"]?.exact ?? "", to[0]?.destination.host ?? ""]),
      );
    };
    const hostIn = (env: string, name: string) => `${name}.${ns(env)}.svc.cluster.local`;

    beforeAll(async () => {
      standing = await start();
      client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
      const project = { project_name: projectKey, project_key: projectKey, is_public: false, project_type: "yaml" };
      await standing.slipway.call("POST", "/openapi/projects/project", { body: project });
      const yamls = {
        front: serviceYaml("front"),
        back: serviceYaml("back"),
        late: serviceYaml("late"),
        lone: deploymentYaml("lone", "lone:1"),
      };
      for (const [service_name, yaml] of Object.entries(yamls))
        expect(await call("POST", "/openapi/service/yaml/raw", { service_name, yaml })).toMatchObject({ status: 200 });
      expect(await create("base", ["front", "back", "lone"])).toMatchObject({ status: 200 });
      expect(await create("plain", ["back"])).toMatchObject({ status: 200 });
      await untilRunning("base");
      await untilRunning("plain");
    });

    afterAll(async () => {
      for (const env of ["sub", "base", "plain"]) {
        await call("DELETE", `${environments}/${env}?isDelete=true`);
        await waitFor(`${env} to be gone`, async () => (await call("GET", `${environments}/${env}`)).status === 404);
      }
      await client.remove(gatewayService);
      client.close();
      await standing.slipway.close();
      await standing.close?.();
    });

    test("a workload that no Service selects is named, under both spellings of the path", async () => {
      for (const spelling of ["k8sservices", "k8services"]) {
        const { json } = await call<string[]>("GET", `${environments}/base/check/workloads/${spelling}`);
        expect(json).toEqual(["lone.Deployment"]);
      }
    });

    test("an environment that is no base is refused as one, and disabling it does nothing", async () => {
      const refused = await create("sub", ["back"], subOf("base"));
      expect(refused).toMatchObject({ status: 400, json: { code: 6074 } });
      expect(refused.json.description).toContain("not a base");
      expect((await call("DELETE", `${environments}/base/share/enable`)).text).toBe(success);
      expect((await call("GET", `${environments}/sub`)).status).toBe(404);
    });

    test("enabling labels the namespace and gives every Service its route, and may be repeated", async () => {
      for (let times = 0; times < 2; times++) {
        expect((await call("POST", `${environments}/base/share/enable`)).text).toBe(success);
        await untilRunning("base");
      }
      expect((await namespace("base")).metadata.labels?.["istio-injection"]).toBe("enabled");
      for (const name of ["front", "back"]) {
        const object = await route("base", name);
        expect(object?.metadata.labels?.["slipway.dev/owner"]).toMatch(/^[0-9a-f]{24}$/);
        expect(leads(object)).toEqual({ "": hostIn("base", name) });
      }
      expect(await route("base", "lone")).toBeUndefined();
      const { json } = await call<Readiness>("GET", `${environments}/base/check/sharenv/enable/ready`);
      expect(json.checks).toMatchObject({
        namespace_has_istio_label: true,
        virtualservice_deployed: true,
        workloads_have_k8s_service: false,
      });
      if (standing.injects === undefined)
        expect(json).toMatchObject({ is_ready: false, checks: { pods_have_istio_proxy: false } });
      else
        await waitFor("the base to be ready", async () => {
          return (await call<Readiness>("GET", `${environments}/base/check/sharenv/enable/ready`)).json.is_ready;
        });
    });

    test.each([
      ["of a base that is not there", "nowhere", {}, "does not exist"],
      ["without a base", "", {}, "base_env is required"],
      ["of an environment that is none", "plain", {}, "not a base"],
      ["in the namespace of its base", "base", { namespace: ns("base") }, "namespace of its own"],
    ])("a sub-environment %s is refused and leaves nothing", async (_why, base, more, words) => {
      const refused = await create("sub", ["back"], { ...subOf(base), ...more });
      expect(refused).toMatchObject({ status: 400, json: { code: 6074 } });
      expect(refused.json.description).toContain(words);
      expect((await call("GET", `${environments}/sub`)).status).toBe(404);
    });

    test("calls marked with a sub-environment's name go to its copy of a service, all others to the base", async () => {
      expect(await create("sub", ["back"], subOf("base"))).toMatchObject({ status: 200 });
      await untilRunning("sub");
      expect((await namespace("sub")).metadata.labels?.["istio-injection"]).toBe("enabled");
      const both = { sub: hostIn("sub", "back"), "": hostIn("base", "back") };
      for (const env of ["base", "sub"]) {
        expect(leads(await route(env, "back"))).toEqual(both);
        expect(leads(await route(env, "front"))).toEqual({ "": hostIn("base", "front") });
      }
      const copy = await service("sub", "front");
      expect(copy?.metadata.labels).toHaveProperty("slipway.dev/owner");
      expect(at(await service("sub", "back"), ["metadata", "labels", "slipway.dev/owner"])).toBeUndefined();
      const { hostOf } = standing;
      if (hostOf === undefined) return;
      for (const env of ["base", "sub"]) {
        const asked = (name: string, headers: Record<string, string> = {}) => hostOf(ns(env), name, headers);
        await waitFor(
          "istiod to know",
          async () => (await asked("back", { "x-env": "sub" })) === hostIn("sub", "back"),
        );
        expect(await asked("back")).toBe(hostIn("base", "back"));
        expect(await asked("back", { "x-env": "other" })).toBe(hostIn("base", "back"));
        expect(await asked("front", { "x-env": "sub" })).toBe(hostIn("base", "front"));
      }
    });

    test("a sub-environment is no base, neither to be enabled nor to have one of its own", async () => {
      const enabled = await call("POST", `${environments}/sub/share/enable`);
      expect(enabled).toMatchObject({ status: 400, json: { code: 6076 } });
      const refused = await create("subsub", ["back"], subOf("sub"));
      expect(refused).toMatchObject({ status: 400, json: { code: 6074 } });
      expect(refused.json.description).toContain("sub-environment itself");
    });

    test("a service that a sub-environment has stays in its base", async () => {
      const refused = await call("DELETE", `${environments}/service/yaml`, {
        env_key: "base",
        service_names: ["back"],
      });
      expect(refused).toMatchObject({ status: 400, json: { code: 6094, extra: { back: ["sub"] } } });
    });

    test("a service that the base gets is known in its sub-environments, and unknown when it goes", async () => {
      const body = { env_key: "base", service_list: services("late") };
      expect(await call("POST", `${environments}/service/yaml`, body)).toMatchObject({ status: 200 });
      await untilRunning("base");
      await waitFor("the copy", async () => (await service("sub", "late")) !== undefined);
      expect(leads(await route("sub", "late"))).toEqual({ "": hostIn("base", "late") });
      const removal = { env_key: "base", service_names: ["late"] };
      expect(await call("DELETE", `${environments}/service/yaml`, removal)).toMatchObject({ status: 200 });
      expect(await service("sub", "late")).toBeUndefined();
      expect(await route("base", "late")).toBeUndefined();
    });

    test("a service that the sub-environment gets takes the place of the copy, and gives it back", async () => {
      const body = { env_key: "sub", service_list: services("front") };
      expect(await call("POST", `${environments}/service/yaml`, body)).toMatchObject({ status: 200 });
      await untilRunning("sub");
      await waitFor("the route", async () => leads(await route("base", "front")).sub === hostIn("sub", "front"));
      expect(at(await service("sub", "front"), ["metadata", "labels", "slipway.dev/owner"])).toBeUndefined();
      const removal = { env_key: "sub", service_names: ["front"] };
      expect(await call("DELETE", `${environments}/service/yaml`, removal)).toMatchObject({ status: 200 });
      expect(leads(await route("base", "front"))).toEqual({ "": hostIn("base", "front") });
      expect((await service("sub", "front"))?.metadata.labels).toHaveProperty("slipway.dev/owner");
    });

    describe("a portal", () => {
      const portal = (env: string, name = "back") => `${environments}/${env}/share/portal/${name}`;
      const server = (host: string, port_number = 8081, port_protocol = "HTTP") => ({
        host,
        port_number,
        port_protocol,
      });
      const gateway = (env: string, name = "back", kind = "Gateway") =>
        findObject(client, { apiVersion, kind, namespace: ns(env), name: `slipway-gateway-${name}` });
      const shop = server(`shop.${projectKey}.example.com`);

      test("needs the mesh's ingress gateway", async () => {
        const refused = await call("POST", portal("base"), [shop]);
        expect(refused).toMatchObject({ status: 400, json: { code: 6079 } });
        expect(refused.json.description).toContain("no ingress gateway");
        await ingressGateway(client);
      });

      test.each([
        ["an object", shop, "a list of"],
        ["a host in upper case", [server("Shop.example.com")], "lower case"],
        ["a host that is none", [server("shop..example.com")], "DNS name"],
        ["port 0", [server("shop.example.com", 0)], "1 to 65535"],
        ["port 70000", [server("shop.example.com", 70_000)], "1 to 65535"],
        ["port as a text", [{ ...shop, port_number: "80" }], "whole number"],
        ["a protocol that is none", [server("shop.example.com", 80, "UDP")], "HTTP, HTTPS, GRPC, TCP"],
        ["one host and port twice", [shop, shop], "is taken"],
        ["two protocols at one port", [shop, server("db.example.com", 8081, "TCP")], "listens for HTTP"],
        ["21 hosts", Array.from({ length: 21 }, (_, n) => server(`h${n}.example.com`)), "20 hosts at most"],
      ])("is refused with %s", async (_what, body, words) => {
        const refused = await call("POST", portal("base"), body);
        expect(refused.status).toBe(400);
        expect(refused.text).toContain(words);
        expect(await gateway("base")).toBeUndefined();
      });

      test("is no matter of an environment without routing, nor of a Service that is not there", async () => {
        for (const method of ["GET", "POST"]) {
          const body = method === "POST" ? [shop] : undefined;
          const refused = await call(method, portal("plain"), body);
          expect(refused).toMatchObject({ status: 400, json: { code: 6079 } });
          expect(refused.json.description).toContain("neither a base nor a sub-environment");
          expect((await call(method, portal("nowhere"), body)).status).toBe(404);
          const missing = await call(method, portal("base", "lone"), body);
          expect(missing.status).toBe(404);
          expect(missing.text).toContain("back, front");
        }
      });

      test("opens a port of the ingress gateway and leads in as calls from inside are led", async () => {
        const servers = [
          shop,
          server(`*.${projectKey}.example.com`, 8443, "HTTPS"),
          server("db.example.com", 5432, "TCP"),
        ];
        expect((await call("POST", portal("base"), servers)).text).toBe(success);
        await untilRunning("base");
        const answer = await call("GET", portal("base"));
        expect(answer.json).toEqual({ default_gateway_address: "192.0.2.7", servers });
        const found = await gateway("base");
        expect(found?.metadata.labels?.["slipway.dev/owner"]).toMatch(/^[0-9a-f]{24}$/);
        expect(at(found, ["spec", "selector"])).toEqual({ istio: "ingressgateway" });
        expect(at(await gateway("base", "back", "VirtualService"), ["spec", "http"])).toEqual([
          {
            match: [{ port: 8081, headers: { "x-env": { exact: "sub" } } }],
            route: [{ destination: { host: hostIn("sub", "back"), port: { number: 80 } } }],
          },
          { match: [{ port: 8081 }], route: [{ destination: { host: hostIn("base", "back"), port: { number: 80 } } }] },
        ]);
        expect(await openPorts(client)).toMatchObject({ 80: "http2", 8081: "slipway-8081", 8443: "slipway-8443" });
        expect(leads(await route("base", "back"))).toEqual({ sub: hostIn("sub", "back"), "": hostIn("base", "back") });
        const { gatewayHostOf } = standing;
        if (gatewayHostOf === undefined) return;
        const asked = (headers: Record<string, string>) => gatewayHostOf(8081, shop.host, headers);
        await waitFor("istiod to know", async () => (await asked({})) === hostIn("base", "back"));
        expect(await asked({ "x-env": "sub" })).toBe(hostIn("sub", "back"));
      });

      test("of a sub-environment marks what comes in", async () => {
        const own = server(`sub.${projectKey}.example.com`);
        const front = server(`front.${projectKey}.example.com`, 80);
        expect((await call("POST", portal("sub"), [own])).text).toBe(success);
        await untilRunning("sub");
        expect((await call("POST", portal("sub", "front"), [front])).text).toBe(success);
        await untilRunning("sub");
        const http = async (name: string) => at(await gateway("sub", name, "VirtualService"), ["spec", "http"]);
        const marked = { request: { set: { "x-env": "sub" } } };
        expect(await http("back")).toMatchObject([
          { route: [{ destination: { host: hostIn("sub", "back") } }], headers: marked },
        ]);
        expect(await http("front")).toMatchObject([
          { route: [{ destination: { host: hostIn("base", "front") } }], headers: marked },
        ]);
        expect(await openPorts(client)).not.toHaveProperty("80", "slipway-80");
      });

      test("takes no host and port of another one, whoever has it", async () => {
        const refused = await call("POST", portal("sub", "front"), [shop]);
        expect(refused).toMatchObject({ status: 400, json: { code: 6079 } });
        expect(refused.json.description).toContain(`is taken; see Gateway ${ns("base")}/slipway-gateway-back`);
        const other = await call("POST", portal("sub", "front"), [server("other.example.com", 5432)]);
        expect(other.json.description).toContain("listens for TCP");
      });

      test("that is emptied goes with the ports that no other one needs", async () => {
        expect((await call("POST", portal("base"), [])).text).toBe(success);
        await untilRunning("base");
        expect(await gateway("base")).toBeUndefined();
        expect(await gateway("base", "back", "VirtualService")).toBeUndefined();
        expect((await call("GET", portal("base"))).json).toMatchObject({ servers: [] });
        const open = await openPorts(client);
        expect(Object.keys(open)).toEqual(expect.arrayContaining(["80", "443", "8081"]));
        for (const closed of ["8443", "5432"]) expect(open).not.toHaveProperty(closed);
      });
    });

    test("a deleted sub-environment leaves no route behind", async () => {
      expect((await call("DELETE", `${environments}/sub?isDelete=true`)).text).toBe(success);
      await waitFor("the sub-environment to be gone", async () => {
        return (await call("GET", `${environments}/sub`)).status === 404;
      });
      expect(leads(await route("base", "back"))).toEqual({ "": hostIn("base", "back") });
      expect(await findObject(client, { apiVersion: "v1", kind: "Namespace", name: ns("sub") })).toBeUndefined();
      expect(JSON.stringify(at(await client.get(gatewayService), ["spec", "ports"]))).not.toContain("slipway-");
    });

    test("disabling a base deletes its sub-environments and everything of the mesh", async () => {
      expect(await create("sub", ["back"], subOf("base"))).toMatchObject({ status: 200 });
      await untilRunning("sub");
      expect((await call("DELETE", `${environments}/base/share/enable`)).text).toBe(success);
      await waitFor("the sub-environment to be gone", async () => {
        return (await call("GET", `${environments}/sub`)).status === 404;
      });
      await untilRunning("base");
      expect(await route("base", "back")).toBeUndefined();
      expect((await namespace("base")).metadata.labels).not.toHaveProperty("istio-injection");
      await waitFor("the base to be as before", async () => {
        return (await call<Readiness>("GET", `${environments}/base/check/sharenv/disable/ready`)).json.is_ready;
      });
      expect(await service("base", "back")).toBeDefined();
    });

    test("a sleeping environment cannot become a base", async () => {
      expect((await call("POST", `${environments}/plain/sleep`)).text).toBe(success);
      await untilStatus(standing.slipway, projectKey, "plain", "sleeping");
      const refused = await call("POST", `${environments}/plain/share/enable`);
      expect(refused).toMatchObject({ status: 400, json: { code: 6076, description: "environment is sleeping" } });
    });
  });
}
