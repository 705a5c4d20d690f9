import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { table } from "../../shared/base/store/table.ts";
import type { Write } from "../../shared/base/store/writes.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { prepareService } from "../../shared/projects/services/prepareService.ts";
import { newServiceWrites } from "../../shared/projects/services/store/serviceRevisions.ts";
import { detailOf, localClusterId, untilStatus } from "./boutique.ts";
import { recordClusterRequests } from "./clusterRequests.ts";
import type { Standing } from "./environmentSuite.ts";
import type { Slipway } from "./slipway.ts";
import { storeCallsOf, unitsOf } from "./storeCallsOf.ts";
import { waitFor } from "./waitFor.ts";

const environments = "/openapi/environments";
const services = "/openapi/service/yaml";
const success = '{"message":"success"}';
/** Token and grants of the caller. */
const authentication = 2;
const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };

const serviceCount = 2000;
const deployedCount = 200;
const servicesAtOnce = 30;

const nameOf = (at: number): string => `service-${String(at).padStart(4, "0")}`;

const small = (name: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "reg.io/${name}:v1" }] }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
`;

/** What creating them writes, so that a transaction holds many. */
async function writesOf(names: readonly string[]): Promise<Write[]> {
  const made = { projectKey: "many", createdBy: "admin", createdAt: nowSeconds(), revision: 1, group: 0 };
  const writes = names.map((name) => {
    const content = prepareService({ yaml: small(name), variables: [] });
    return newServiceWrites({ ...made, kind: "test", name, source: "spock", ...content });
  });
  return (await Promise.all(writes)).flat();
}

/** A project, an environment and a manifest that are large: the same on every cluster. */
export function scaleSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let authority: string;
  const tag = randomBytes(4).toString("hex");
  const namespaces = {
    one: `slipway-test-one-${tag}`,
    many: `slipway-test-many-${tag}`,
    bulk: `slipway-test-bulk-${tag}`,
  };
  const group = `test-${tag}.slipway.dev`;

  const ask = async (method: string, path: string, body: unknown): Promise<void> => {
    expect((await slipway.call(method, path, { body })).text).toBe(success);
  };

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    authority = new URL(/server: (\S+)/.exec(standing.kubeconfig)?.[1] ?? "").host;
    const project = { project_name: "many", project_key: "many", is_public: false, project_type: "yaml" };
    await ask("POST", "/openapi/projects/project", project);
    const names = Array.from({ length: serviceCount }, (_, at) => nameOf(at));
    for (let at = 0; at < serviceCount; at += servicesAtOnce)
      await table().write(...(await writesOf(names.slice(at, at + servicesAtOnce))));
    const create = (env_key: "one" | "many", count: number) =>
      ask("POST", `${environments}?projectKey=many`, {
        ...{ ...place, env_key, namespace: namespaces[env_key] },
        services: names.slice(0, count).map((service_name) => ({ service_name })),
      });
    await create("one", 1);
    await create("many", deployedCount);
    await untilStatus(slipway, "many", "many", "running", 280);
    await untilStatus(slipway, "many", "one", "running", 30);
  }, 400_000);

  afterAll(async () => {
    for (const name of Object.values(namespaces)) await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    await client.remove({ ...definition, name: `widgets.${group}` });
    client.close();
    await slipway.close();
  });

  describe(`large things on ${cluster}`, () => {
    test(`a list of ${serviceCount} services reads what it answers, a trip for each megabyte`, async () => {
      const { status, body, calls } = await storeCallsOf("GET", `${services}/services?projectKey=many`);
      expect(status).toBe(200);
      expect(JSON.parse(body).service).toHaveLength(serviceCount);
      const own = calls.slice(authentication);
      expect(own.length).toBeLessThanOrEqual(2 + Math.ceil(body.length / 1_000_000));
      expect(unitsOf(own)).toBeLessThanOrEqual(1.5 + Math.ceil(body.length / 4096));
    });

    test("one service among them costs what it costs alone", async () => {
      const { status, calls } = await storeCallsOf("GET", `${services}/${nameOf(1234)}?projectKey=many`);
      expect(status).toBe(200);
      const own = calls.slice(authentication);
      expect([own.length, unitsOf(own) <= 1.5]).toEqual([1, true]);
    });

    test(`an environment of ${deployedCount} services is read in two trips and one LIST a kind`, async () => {
      const requestsOf = async (envKey: string) => {
        const path = `${environments}/${envKey}?projectKey=many`;
        const { result, requests } = await recordClusterRequests(authority, () => storeCallsOf("GET", path));
        expect(result.status).toBe(200);
        return { ...result, verbs: requests.verbs };
      };
      const [few, many] = [await requestsOf("one"), await requestsOf("many")];
      expect(JSON.parse(many.body).services).toHaveLength(deployedCount);
      expect(many.verbs).toEqual(few.verbs);
      expect(Object.keys(many.verbs)).toEqual(["list"]);
      const own = many.calls.slice(authentication);
      expect(own.length).toBeLessThanOrEqual(2);
      expect(unitsOf(own)).toBeLessThanOrEqual(1.5 + Math.ceil(many.body.length / 4096));
    });

    test("the list of environments and one service's instance do not grow with the services", async () => {
      for (const path of [
        `${environments}?projectKey=many`,
        `${environments}/ENV/services/${nameOf(0)}?projectKey=many`,
      ]) {
        const measure = async (envKey: string) => {
          const asked = () => storeCallsOf("GET", path.replace("ENV", envKey));
          const { result, requests } = await recordClusterRequests(authority, asked);
          expect(result.status).toBe(200);
          return { verbs: requests.verbs, trips: result.calls.length, units: result.units };
        };
        expect(await measure("many")).toEqual(await measure("one"));
      }
    });

    test("a manifest of 1 MB with 400 objects deploys", async () => {
      const line = "x".repeat(2500);
      const object = (at: number) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c-${at}}\ndata: {a: ${line}}\n`;
      const yaml = Array.from({ length: 400 }, (_, at) => object(at)).join("---\n");
      expect(yaml.length).toBeGreaterThan(1_000_000);
      await ask("POST", `${services}/raw?projectKey=many`, { service_name: "bulk", yaml });
      const wanted = { ...place, env_key: "bulk", namespace: namespaces.bulk, services: [{ service_name: "bulk" }] };
      await ask("POST", `${environments}?projectKey=many`, wanted);
      await untilStatus(slipway, "many", "bulk", "succeeded", 90);
      const query = { namespace: namespaces.bulk, labelSelector: "slipway.dev/service=bulk", metadataOnly: true };
      expect((await client.list({ apiVersion: "v1", kind: "ConfigMap" }, query)).items).toHaveLength(400);
    });

    test("definitions of custom resources deploy together with their objects", async () => {
      const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } } }
`;
      const widget = (name: string, size: number) =>
        `---\napiVersion: ${group}/v1\nkind: Widget\nmetadata: { name: ${name} }\nspec: { size: ${size} }\n`;
      // The objects come first, so that the order is ours to find.
      const yaml = `${widget("first", 1).slice(4)}${widget("second", 2)}---${definition}`;
      await ask("POST", `${services}/raw?projectKey=many`, { service_name: "widgets", yaml });
      await ask("POST", `${environments}/service/yaml?projectKey=many`, {
        ...{ env_key: "bulk", service_list: [{ service_name: "widgets" }] },
      });
      const detail = await waitFor("the widgets to stand", async () => {
        const found = await detailOf(slipway, "many", "bulk");
        return found.stored_status === "success" && found;
      });
      expect(detail.services.find(({ service_name }) => service_name === "widgets")).toMatchObject({ error: "" });
      const query = { namespace: namespaces.bulk };
      const { items } = await client.list({ apiVersion: `${group}/v1`, kind: "Widget" }, query);
      expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(["first", "second"]);
    });
  });
}
