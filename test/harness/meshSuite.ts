import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { environmentBody, untilStatus } from "./boutique.ts";
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
  hostOf?: (namespace: string, service: string, headers: Record<string, string>) => Promise<string>;
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

    test("a deleted sub-environment leaves no route behind", async () => {
      expect((await call("DELETE", `${environments}/sub?isDelete=true`)).text).toBe(success);
      await waitFor("the sub-environment to be gone", async () => {
        return (await call("GET", `${environments}/sub`)).status === 404;
      });
      expect(leads(await route("base", "back"))).toEqual({ "": hostIn("base", "back") });
      expect(await findObject(client, { apiVersion: "v1", kind: "Namespace", name: ns("sub") })).toBeUndefined();
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
