import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { readWhole } from "../../shared/kube/live/readWhole.ts";
import { localClusterId, untilStatus } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { newPerson } from "./people.ts";
import type { Slipway } from "./slipway.ts";

interface Drift {
  in_sync: boolean;
  checked_at: number;
  objects: {
    service_name: string;
    kind: string;
    name: string;
    state: string;
    fields: { path: string; applied: unknown; live: unknown; manager: string; time: number }[];
  }[];
}

interface Failure {
  code: number;
  description: string;
}

const environments = "/openapi/environments";
const success = '{"message":"success"}';
const password = "c29tZSBwYXNzd29yZA==";

/** Everything here is stored in another spelling than it is sent, or with something added to it. */
const web = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app.kubernetes.io/name: web, empty: "" } }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: main
          image: "web:1"
          ports: [{ containerPort: 8080 }, { containerPort: 9090, name: metrics }]
          args: [--one, --two]
          env:
            - { name: FIRST, value: "1" }
            - { name: POD, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
          resources: { requests: { cpu: 1000m, memory: 1048576Ki }, limits: { cpu: 2.0, memory: 2Gi } }
          readinessProbe: { httpGet: { port: 8080 } }
      volumes: [{ name: scratch, emptyDir: {} }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { constructor: "1", mode: quiet }
---
apiVersion: v1
kind: Secret
metadata: { name: web }
stringData: { password: some password }
data: { other: b3RoZXI= }
`;

const autoscaled = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: api }
spec:
  replicas: 1
  selector: { matchLabels: { app: api } }
  template: { metadata: { labels: { app: api } }, spec: { containers: [{ name: main, image: "api:1" }] } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: api }
spec:
  minReplicas: 1
  maxReplicas: 3
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: api }
`;

/** What is told about an environment beside its status: the same on every cluster. */
export function observingSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  const namespace = `slipway-test-${randomBytes(4).toString("hex")}`;
  const sent: string[] = [];

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    const access = { kind: "kubeconfig", text: standing.kubeconfig, trusted: true } as const;
    client = connect(access, { onRequest: ({ verb }) => sent.push(verb) });
    const project = { project_name: "shop", project_key: "shop", is_public: false, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
    for (const [service_name, yaml] of Object.entries({ web, api: autoscaled }))
      for (const kind of ["", "production/"]) {
        const body = { service_name, yaml };
        const path = `/openapi/service/yaml/${kind}raw?projectKey=shop`;
        expect((await slipway.call("POST", path, { body })).text).toBe(success);
      }
    const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
    const services = [{ service_name: "web" }, { service_name: "api" }];
    const dev = { ...place, env_key: "dev", namespace, services };
    expect((await slipway.call("POST", `${environments}?projectKey=shop`, { body: dev })).text).toBe(success);
    const prod = { ...place, env_key: "prod", namespace: `${namespace}-p` };
    const created = await slipway.call("POST", `${environments}/production?projectKey=shop`, { body: prod });
    expect(created.text).toBe(success);
    await untilStatus(slipway, "shop", "dev", "running", 90);
  });

  afterAll(async () => {
    for (const name of [namespace, `${namespace}-p`])
      await client.remove({ apiVersion: "v1", kind: "Namespace", name });
    client.close();
    await slipway.close();
  });

  const driftOf = async (): Promise<Drift> => {
    const answer = await slipway.call<Drift>("GET", `${environments}/dev/drift?projectKey=shop`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).not.toContain(password);
    return answer.json;
  };

  /** Changes an object as somebody with kubectl would. */
  const byHand = (
    object: { apiVersion: string; kind: string; name: string } & Record<string, unknown>,
    fieldManager = "by-hand",
  ) => {
    const { name, metadata, ...rest } = object;
    const all = { ...rest, metadata: { ...(metadata as object), name, namespace } };
    return client.apply(all, { fieldManager, force: true });
  };

  const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

  describe(`drift on ${cluster}`, () => {
    test("there is none after a deployment, however the cluster spells what was sent", async () => {
      const drift = await driftOf();
      expect(drift).toEqual({ in_sync: true, checked_at: expect.any(Number), error: "", objects: [] });
      expect(Math.abs(drift.checked_at - Date.now() / 1000)).toBeLessThan(30);
    });

    test("what others noted beside a spec and what controllers set in it is none", async () => {
      await byHand({ ...deployment, metadata: { annotations: { note: "mine" }, labels: { theirs: "1" } } });
      await byHand({ ...deployment, spec: { paused: false, minReadySeconds: 1 } }, "web-controller");
      await byHand({ apiVersion: "v1", kind: "ConfigMap", name: "of-somebody", data: { a: "1" } });
      expect((await driftOf()).objects).toEqual([]);
    });

    test("names the fields that others changed, both values, who it was and when; the platform's own state again ends it", async () => {
      const container = { name: "main", image: "web:2", env: [{ name: "FIRST", value: "2" }], args: ["--one"] };
      await byHand({ ...deployment, spec: { replicas: 2, template: { spec: { containers: [container] } } } });
      const { in_sync, objects } = await driftOf();
      expect(in_sync).toBe(false);
      expect(objects).toHaveLength(1);
      expect(objects[0]).toMatchObject({ service_name: "web", kind: "Deployment", name: "web", state: "changed" });
      const inside = "spec.template.spec.containers[name=main]";
      expect(objects[0]?.fields.map(({ path, applied, live }) => [path, applied, live]).sort()).toEqual([
        ["spec.replicas", 1, 2],
        [`${inside}.args`, ["--one", "--two"], ["--one"]],
        [`${inside}.env[name=FIRST].value`, "1", "2"],
        [`${inside}.image`, expect.stringMatching(/web:1$/), "web:2"],
      ]);
      for (const { manager, time } of objects[0]?.fields ?? []) {
        expect(manager).toBe("by-hand");
        expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(60);
      }
      const body = { env_key: "dev", service_list: [{ service_name: "web" }] };
      expect((await slipway.call("PUT", `${environments}/service/yaml?projectKey=shop`, { body })).text).toBe(success);
      await untilStatus(slipway, "shop", "dev", "running", 90);
      expect((await driftOf()).objects).toEqual([]);
    });

    test("names what was taken away, without guessing who did it", async () => {
      const body = [{ op: "remove", path: "/spec/template/spec/containers/0/env/0" }];
      await client.patch({ ...deployment, namespace }, { type: "json", body });
      await client.remove({ apiVersion: "v1", kind: "ConfigMap", name: "web", namespace });
      const { objects } = await driftOf();
      expect(objects.map(({ kind, state }) => [kind, state])).toEqual([
        ["ConfigMap", "missing"],
        ["Deployment", "changed"],
      ]);
      expect(objects[1]?.fields).toEqual([
        {
          path: "spec.template.spec.containers[name=main].env[name=FIRST]",
          applied: { name: "FIRST", value: "1" },
          live: null,
          manager: "",
          added: false,
          time: 0,
        },
      ]);
    });

    test("names what carries our marks and is in no manifest", async () => {
      const live = await client.get({ apiVersion: "v1", kind: "Service", name: "web", namespace });
      const { labels, annotations } = live.metadata;
      const copy = { apiVersion: "v1", kind: "ConfigMap", name: "copied", metadata: { labels, annotations } };
      await byHand({ ...copy, data: {} });
      const { objects } = await driftOf();
      expect(objects).toContainEqual({
        service_name: "web",
        kind: "ConfigMap",
        name: "copied",
        state: "extra",
        fields: [],
      });
    });

    test("of a Secret tells the field and no value", async () => {
      await byHand({ apiVersion: "v1", kind: "Secret", name: "web", data: { password: "bmV3", other: "bmV3ZXI=" } });
      const answer = await slipway.call<Drift>("GET", `${environments}/dev/drift?projectKey=shop`);
      const secret = answer.json.objects.find(({ kind }) => kind === "Secret");
      expect(secret?.fields).toEqual(
        ["data.other", "data.password"].map((path) => ({
          ...{ path, applied: "********", live: "********", manager: "by-hand", added: false },
          time: expect.any(Number),
        })),
      );
      for (const value of ["bmV3", "b3RoZXI", password, "some password"]) expect(answer.text).not.toContain(value);
    });

    test("costs one LIST a kind", async () => {
      const kinds = ["ConfigMap", "Secret", "Service", "ConfigMap"].map((kind) => ({ apiVersion: "v1", kind }));
      sent.length = 0;
      const { objects } = await readWhole(client, kinds, { environmentId: "none", namespace });
      expect(sent).toEqual(["list", "list", "list"]);
      expect(objects.map(({ kind }) => kind)).toContain("Secret");
    });

    test("of an environment that does not exist, or of the other kind, is 404", async () => {
      for (const path of ["none/drift", "prod/drift", "production/dev/drift"])
        expect((await slipway.call("GET", `${environments}/${path}?projectKey=shop`)).status, path).toBe(404);
      const prod = await slipway.call<Drift>("GET", `${environments}/production/prod/drift?projectKey=shop`);
      expect(prod.json).toMatchObject({ in_sync: true, objects: [] });
    });
  });

  describe(`events on ${cluster}`, () => {
    const path = (env: string, name: string, type = "Pod") =>
      `${environments}/kube/events?projectKey=shop&envName=${env}&name=${name}&type=${type}`;

    test("of an object are told newest first, with Unix seconds; keys without a value are left out", async () => {
      const involvedObject = { apiVersion: "v1", kind: "Pod", name: "told", namespace };
      const event = { apiVersion: "v1", kind: "Event", involvedObject, type: "Warning" };
      const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");
      const events = [
        { reason: "Older", message: "first", count: 3, firstTimestamp: at(1000), lastTimestamp: at(2000) },
        { reason: "Newer", lastTimestamp: at(3000) },
      ];
      for (const [number, more] of events.entries())
        await client.create({ ...event, ...more, metadata: { name: `told.${number}`, namespace } });
      const other = { ...involvedObject, name: "other" };
      await client.create({ ...event, involvedObject: other, metadata: { name: "other.1", namespace } });
      const answer = await slipway.call("GET", path("dev", "told"));
      expect(answer.json).toEqual([
        { reason: "Newer", last_seen: 3000, type: "Warning" },
        { reason: "Older", message: "first", first_seen: 1000, last_seen: 2000, count: 3, type: "Warning" },
      ]);
      expect((await slipway.call("GET", path("dev", "told", "Deployment"))).json).toEqual([]);
      expect((await slipway.call("GET", path("prod", "told"))).json).toEqual([]);
      expect((await slipway.call("GET", path("none", "told"))).status).toBe(404);
    });

    test("a name that would be another selector is refused", async () => {
      const { status } = await slipway.call("GET", path("dev", encodeURIComponent("told,metadata.name=x")));
      expect(status).toBe(400);
    });

    test("are open to those who may read environments of that kind", async () => {
      const holder = (verb: string) => newPerson(verb.slice(0, 20), [{ namespace: "shop", roles: { one: [verb] } }]);
      const ofTest = await holder("get_environment");
      const ofProduction = await holder("get_production_environment");
      const ask = async (env: string, token: string) => {
        const { status, json } = await slipway.call<Failure>("GET", path(env, "told"), { token });
        return status === 403 ? json.description : status;
      };
      expect(await ask("dev", ofTest.token)).toBe(200);
      expect(await ask("prod", ofTest.token)).toBe("requires get_production_environment in project shop");
      expect(await ask("dev", ofProduction.token)).toBe("requires get_environment in project shop");
      expect(await ask("prod", ofProduction.token)).toBe(200);
      expect(await ask("none", ofProduction.token)).toBe(404);
    });
  });
}
