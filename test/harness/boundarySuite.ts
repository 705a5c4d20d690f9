import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "../../shared/base/store/keys/keys.ts";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { storedPerson } from "../security/storedPerson.ts";
import { detailOf, localClusterId } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { rawItems } from "./rawItems.ts";
import type { Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

const environments = "/openapi/environments";
const registry_id = "0123456789abcdef12345679";
const json = JSON.stringify;
const marked = "marked-value-of-others";

/** A Deployment, or where nothing may have to run a CronJob that is suspended, with the pod's fields. */
function workload(kind: "CronJob" | "Deployment", name: string, pod: object, container: object = {}): string {
  const labels = { app: name };
  const containers = [{ name: "main", image: "busybox:1.37", ...container }];
  const template = { metadata: { labels }, spec: { containers, ...pod } };
  if (kind === "Deployment")
    return json({
      ...{ apiVersion: "apps/v1", kind, metadata: { name } },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
  const job = { spec: { template: { ...template, spec: { restartPolicy: "Never", ...template.spec } } } };
  const spec = { schedule: "0 0 1 1 *", suspend: true, jobTemplate: job };
  return json({ apiVersion: "batch/v1", kind, metadata: { name }, spec });
}

const rbac = "rbac.authorization.k8s.io";
const subjects = [{ kind: "ServiceAccount", name: "default", namespace: "alpha-own" }];
const toAdmin = { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" };

/** What of a service would give its author more than the project, by what the refusal says of it. */
const outside: Readonly<Record<string, { yaml: string; says: string }>> = {
  crb: {
    yaml: json({
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "evil" },
      roleRef: toAdmin,
      subjects,
    }),
    says: "belongs to the whole cluster",
  },
  rb: {
    yaml: json({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "evil" },
      roleRef: toAdmin,
      subjects,
    }),
    says: "cluster-admin",
  },
  pv: {
    yaml: json({
      ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "evil" } },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/" } },
    }),
    says: "belongs to the whole cluster",
  },
  role: {
    yaml: json({
      ...{ apiVersion: `${rbac}/v1`, kind: "Role", metadata: { name: "evil" } },
      rules: [{ apiGroups: [""], resources: ["namespaces"], verbs: ["patch"] }],
    }),
    says: "write namespaces",
  },
  root: { yaml: workload("CronJob", "root", { hostPID: true }), says: "host namespaces" },
  host: {
    yaml: workload("CronJob", "host", { volumes: [{ name: "h", hostPath: { path: "/" } }] }),
    says: "hostPath volumes",
  },
  privileged: {
    yaml: workload("Deployment", "privileged", {}, { securityContext: { privileged: true } }),
    says: "privileged",
  },
  network: { yaml: workload("Deployment", "network", { hostNetwork: true }), says: "host namespaces" },
};

/** Borders between projects on one cluster (decisions 17.1 to 17.4), the same on every cluster. */
export function boundarySuite(cluster: string, open: () => Promise<Standing>): void {
  const id = randomBytes(3).toString("hex");
  const of = (name: string) => `slipway-test-${id}-${name}`;
  let slipway: Slipway;
  let client: ClusterClient;
  /** A project administrator of alpha. */
  let token: string;

  const call = (method: string, path: string, body?: object, as: string | undefined = token) =>
    slipway.call(method, path, { ...(body && { body }), ...(as !== "" && { token: as }) });
  /** As system administrator. */
  const succeed = async (method: string, path: string, body?: object) => {
    const { status, text } = await slipway.call(method, path, body && { body });
    if (status !== 200) throw new Error(`${method} ${path}: ${text}`);
  };
  const creation = (env_key: string, namespace: string, services: string[] = []) => ({
    ...{ env_key, namespace, cluster_id: localClusterId, registry_id },
    services: services.map((service_name) => ({ service_name })),
  });
  const secret = (name: string, namespace: string) => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name, namespace } },
    stringData: { password: marked },
  });
  const untilDeployed = (project: string, environment: string) =>
    waitFor(`${environment} of ${project} to be deployed`, async () => {
      return (await detailOf(slipway, project, environment)).stored_status === "success";
    });
  const boundary = (body: object) => succeed("PUT", "/openapi/system/projects/alpha/boundary", body);

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    for (const key of ["alpha", "beta"])
      await succeed("POST", "/openapi/projects/project", {
        ...{ project_name: key, project_key: key, is_public: false, project_type: "yaml" },
      });
    token = (await storedPerson("pa", { namespace: "alpha", roles: { "project-admin": [] } })).token;
    const services = { ...outside, web: { yaml: workload("CronJob", "web", {}) } };
    for (const [service_name, { yaml }] of Object.entries(services))
      await succeed("POST", "/openapi/service/yaml/raw?projectKey=alpha", { service_name, yaml });
    await succeed("POST", "/openapi/service/yaml/raw?projectKey=beta", {
      service_name: "login",
      yaml: JSON.stringify({ ...secret("beta-secret", ""), metadata: { name: "beta-secret" } }),
    });
    await succeed("POST", `${environments}?projectKey=beta`, creation("dev", of("beta"), ["login"]));
    await untilDeployed("beta", "dev");
    for (const name of ["monitoring", "team-a"]) {
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: of(name) } });
      await client.create(secret("grafana-admin", of(name)));
    }
    expect((await call("POST", `${environments}?projectKey=alpha`, creation("own", of("own"), ["web"]))).status).toBe(
      200,
    );
    await untilDeployed("alpha", "own");
  }, 240_000);

  afterAll(async () => {
    for (const name of ["beta", "monitoring", "team-a", "own", "second", "sa", "older"])
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: of(name) }).catch(() => undefined);
    client.close();
    await slipway.close();
  });

  describe(`borders of projects on ${cluster}`, () => {
    test.each([
      ["one that was made for another project", "beta", "belongs to project beta"],
      ["one that Slipway did not make", "monitoring", "a system administrator can create the environment"],
    ])("a namespace is refused: %s", async (_name, namespace, says) => {
      for (const dryRun of ["", "&dryRun=true"]) {
        const { status, json: body } = await call(
          "POST",
          `${environments}?projectKey=alpha${dryRun}`,
          creation("steal", of(namespace)),
        );
        expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining(says)]);
      }
      expect((await slipway.call("GET", `${environments}/steal?projectKey=alpha`)).status).toBe(404);
      const pullSecret = {
        apiVersion: "v1",
        kind: "Secret",
        name: "default-registry-secret",
        namespace: of("monitoring"),
      };
      expect(await findObject(client, pullSecret)).toBeUndefined();
    });

    test("two creations at the same moment give each other no namespace", async () => {
      const both = await Promise.all(
        ["first", "second"].map((key) =>
          call("POST", `${environments}?projectKey=alpha`, creation(key, of("monitoring"))),
        ),
      );
      expect(both.map(({ status }) => status)).toEqual([403, 403]);
    });

    test("a boundary of another project keeps a namespace that is not there yet", async () => {
      await succeed("PUT", "/openapi/system/projects/beta/boundary", { namespaces: [`${of("later")}-*`] });
      const { status } = await call("POST", `${environments}?projectKey=alpha`, creation("steal", of("later-x")));
      expect(status).toBe(403);
    });

    test("a namespace that the boundary names may be used until it names it no more", async () => {
      await boundary({ namespaces: [of("team-a")] });
      const path = `${environments}?projectKey=alpha`;
      expect((await call("POST", path, creation("team", of("team-a"), ["web"]))).status).toBe(200);
      await untilDeployed("alpha", "team");
      // What nobody labelled in a namespace of its own it may manage.
      const read = await call("GET", `${environments}/team/envcfg/grafana-admin?projectKey=alpha&type=Secret`);
      expect(read.status).toBe(200);
      await boundary({});
      const update = { env_key: "team", service_list: [{ service_name: "web" }] };
      const refused = await call("PUT", `${environments}/service/yaml?projectKey=alpha`, update);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("does not name any more")]);
      const config = await call("DELETE", `${environments}/team/envcfg/grafana-admin?projectKey=alpha&type=Secret`);
      expect(config.status).toBe(403);
      expect((await detailOf(slipway, "alpha", "team")).error).toContain("does not name any more");
      await succeed("PUT", `${environments}/service/yaml?projectKey=alpha`, update);
    });

    test("an environment that an administrator puts into another project's namespace reaches its own objects alone", async () => {
      await succeed("POST", `${environments}?projectKey=alpha`, creation("guest", of("beta"), ["web"]));
      await untilDeployed("alpha", "guest");
      await client.create(secret("unlabelled", of("beta")));
      const list = await call("GET", `${environments}/guest/envcfgs?projectKey=alpha&type=Secret`);
      expect([list.status, list.text]).toEqual([200, expect.not.stringMatching(/beta-secret|unlabelled/)]);
      for (const name of ["beta-secret", "unlabelled"]) {
        const path = `${environments}/guest/envcfg/${name}?projectKey=alpha&type=Secret`;
        expect((await call("GET", path)).status).toBe(404);
        expect((await call("DELETE", path)).status).toBe(400);
        const body = {
          ...{ env_name: "guest", name, common_env_cfg_type: "Secret" },
          yaml_data: JSON.stringify({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name },
            stringData: { password: "mine" },
          }),
        };
        expect((await call("PUT", `${environments}/envcfgs?projectKey=alpha`, body)).status).not.toBe(200);
        const ref = { apiVersion: "v1", kind: "Secret", name, namespace: of("beta") };
        const live = (await findObject(client, ref)) as { data?: Record<string, string> } | undefined;
        expect(Buffer.from(live?.data?.password ?? "", "base64").toString()).toBe(marked);
      }
      // Events carry no labels: whose they are their object says.
      const namespace = of("beta");
      const reasonsOf = async (kind: string, name: string) => {
        const query = `projectKey=alpha&envName=guest&name=${name}&type=${kind}`;
        const { text } = await call("GET", `${environments}/kube/events?${query}`);
        return (JSON.parse(text) as { reason: string }[]).map(({ reason }) => reason).filter((one) => one === "Told");
      };
      for (const [kind, apiVersion, name] of [
        ["Secret", "v1", "beta-secret"],
        ["Secret", "v1", "unlabelled"],
        ["ConfigMap", "v1", "gone"],
        ["CronJob", "batch/v1", "web"],
      ] as const) {
        const involvedObject = { apiVersion, kind, name, namespace };
        const metadata = { name: `${name}.told`, namespace };
        await client.create({
          apiVersion: "v1",
          kind: "Event",
          metadata,
          involvedObject,
          reason: "Told",
        } as LiveObject);
        expect(await reasonsOf(kind, name), name).toEqual(name === "web" ? ["Told"] : []);
      }
    });

    test.each(Object.entries(outside))("a project administrator does not deploy %s", async (name, { says }) => {
      const body = { env_key: "own", service_list: [{ service_name: name }] };
      for (const dryRun of ["", "&dryRun=true"]) {
        const path = `${environments}/service/yaml?projectKey=alpha${dryRun}`;
        const { json: answer } = await call("POST", path, body);
        expect(answer).toMatchObject({ code: 6045, description: expect.stringContaining(says) });
        expect(JSON.stringify(answer)).toContain("/openapi/system/projects/alpha/boundary");
      }
      const created = await call("POST", `${environments}?projectKey=alpha`, creation("evil", of("second"), [name]));
      expect(created.json).toMatchObject({ code: 6045 });
    });

    test("the boundary allows kinds and pods, and namespaces enforce its level", async () => {
      const level = async (name: string) =>
        (await findObject(client, { apiVersion: "v1", kind: "Namespace", name: of(name) }))?.metadata.labels?.[
          "pod-security.kubernetes.io/enforce"
        ];
      expect(await level("own")).toBe("baseline");
      await boundary({ pod_security: "privileged", cluster_scoped_kinds: ["PersistentVolume"] });
      const add = (name: string) =>
        call("POST", `${environments}/service/yaml?projectKey=alpha`, {
          ...{ env_key: "own", service_list: [{ service_name: name }] },
        });
      expect((await add("host")).status).toBe(200);
      expect(await level("own")).toBe("privileged");
      await untilDeployed("alpha", "own");
      expect((await add("crb")).json).toMatchObject({ code: 6045 });
      await boundary({ pod_security: "restricted" });
      const update = { env_key: "own", service_list: [{ service_name: "web" }] };
      const refused = await call("PUT", `${environments}/service/yaml?projectKey=alpha`, update);
      expect(refused.json).toMatchObject({ code: 6045, description: expect.stringContaining("runAsNonRoot") });
    });

    test("an environment of before boundaries goes on as it was until its project's boundary is set", async () => {
      const project = { project_name: "older", project_key: "older", is_public: false, project_type: "yaml" };
      await succeed("POST", "/openapi/projects/project", project);
      for (const [service_name, yaml] of [
        ["web", workload("CronJob", "web", {})],
        ["rb", outside.rb?.yaml],
        ["host", outside.host?.yaml],
      ])
        await succeed("POST", "/openapi/service/yaml/raw?projectKey=older", { service_name, yaml });
      await succeed("POST", `${environments}?projectKey=older`, creation("dev", of("older"), ["web"]));
      await untilDeployed("older", "dev");
      const item = await rawItems.get(keys.environment("older", "dev"));
      if (item === undefined) throw new Error("the environment is not there");
      delete item.bounded;
      delete item.consent;
      await rawItems.put(item);
      const { token: ofOlder } = await storedPerson("po", { namespace: "older", roles: { "project-admin": [] } });
      const add = (name: string) =>
        call(
          "POST",
          `${environments}/service/yaml?projectKey=older`,
          { env_key: "dev", service_list: [{ service_name: name }] },
          ofOlder,
        );
      expect((await add("rb")).status).toBe(200);
      await untilDeployed("older", "dev");
      await succeed("PUT", "/openapi/system/projects/older/boundary", {});
      expect((await add("host")).json).toMatchObject({ code: 6045 });
    });

    test("a system administrator's own call is bound by the installation alone", async () => {
      await boundary({});
      await succeed("POST", `${environments}?projectKey=alpha`, creation("sa", of("sa"), ["root", "role"]));
      await untilDeployed("alpha", "sa");
    });
  });
}
