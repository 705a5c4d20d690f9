import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { environmentBody, localClusterId } from "./boutique.ts";
import type { MeshStandingForReleases, Shares } from "./istioReleaseSuite.ts";
import { deploymentYaml } from "./manifests.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownTask, tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

const apiVersion = "networking.istio.io/v1";
const success = '{"message":"success"}';

const yamlOf = (name: string) => `${deploymentYaml(name, `${name}:1`)}
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ name: http, port: 80 }] }
`;

interface Http {
  match?: { headers: Record<string, object> }[];
  route: { destination: { host: string; subset?: string }; weight?: number; headers?: object }[];
}

/** Calls in a production base and its sub-environment by shares and matches, told by objects and by istiod where there is one. */
export function callRulesSuite(cluster: string, open: () => Promise<MeshStandingForReleases>): void {
  const projectKey = `rules${randomBytes(3).toString("hex")}`;
  const ns = (env: string) => `${projectKey}-${env}`;
  const path = "/openapi/environments/production";
  let standing: MeshStandingForReleases;
  let slipway: Slipway;
  let client: ClusterClient;
  let tasks: ReturnType<typeof tasksOf>;

  const call = <T = { description: string; code: number }>(method: string, to: string, body?: unknown) =>
    slipway.call<T>(
      method,
      `${to}${to.includes("?") ? "&" : "?"}projectKey=${projectKey}`,
      body === undefined ? {} : { body },
    );
  async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
    expect((await answer).text).toBe(success);
  }
  /** An environment without services has succeeded. */
  const untilRunning = (env: string) =>
    waitFor(`${env} to run`, async () => {
      const { status } = (await call<{ status: string }>("GET", `${path}/${env}`)).json;
      return status === "running" || status === "succeeded";
    });
  const hostIn = (env: string, name: string) => `${name}.${ns(env)}.svc.cluster.local`;
  const plain = (env: string, name: string): Shares => ({ [`|${hostIn(env, name)}`]: 100 });

  async function expectCalls(from: string, name: string, wanted: Shares, headers: Record<string, string> = {}) {
    const { sharesOf } = standing;
    if (sharesOf === undefined) return;
    let seen: Shares = {};
    await waitFor(`istiod to lead ${name} from ${from} by ${JSON.stringify(wanted)}`, async () => {
      seen = await sharesOf(ns(from), name, headers);
      return JSON.stringify(Object.entries(seen).sort()) === JSON.stringify(Object.entries(wanted).sort());
    }).catch(() => expect(seen).toEqual(wanted));
  }
  async function httpOf(env: string, name: string): Promise<Http[]> {
    const ref = { apiVersion, kind: "VirtualService", namespace: ns(env), name: `slipway-${name}` };
    return (at(await findObject(client, ref), ["spec", "http"]) ?? []) as Http[];
  }
  const leads = async (env: string, name: string) =>
    (await httpOf(env, name)).map(({ match, route }) => [
      match?.[0]?.headers ?? {},
      ...route.map(
        ({ destination, weight, headers }) =>
          `${destination.host.split(".")[1]?.replace(`${projectKey}-`, "")} ${weight ?? "all"} as ${at(headers, ["request", "set", "x-env"]) ?? "it comes"}`,
      ),
    ]);

  async function run(workflow: string, spec: object): Promise<ShownTask> {
    const job = { name: "lead", type: "update-env-istio-config", spec };
    await makeWorkflow(projectKey, { name: workflow, stages: [{ name: "all", jobs: [job] }] });
    return tasks.end(workflow, await tasks.started(workflow, ["lead"]));
  }
  const weights = (...weight_configs: { env: string; weight: number }[]) => ({
    ...{ production: true, base_env: "live", source: "fixed", grayscale_strategy: "weight" },
    ...{ weight_configs, header_match_configs: [] },
  });
  const matches = (env: string, ...header_match: object[]) => ({
    ...{ production: true, base_env: "live", source: "fixed", grayscale_strategy: "header_match" },
    ...{ weight_configs: [], header_match_configs: [{ env, header_match }] },
  });
  const passed = (task: ShownTask) => expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "passed", error: "" });

  beforeAll(async () => {
    standing = await open();
    slipway = standing.slipway;
    tasks = tasksOf(slipway, projectKey);
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: projectKey, project_key: projectKey, is_public: false, project_type: "yaml" };
    await ok(slipway.call("POST", "/openapi/projects/project", { body: project }));
    for (const service_name of ["front", "cart"]) {
      const body = { service_name, yaml: yamlOf(service_name), variable_yaml: [] };
      await ok(call("POST", "/openapi/service/yaml/production/raw", body));
    }
  }, 120_000);

  afterAll(async () => {
    for (const env of ["live", "gray", "test"])
      await client?.remove({ apiVersion: "v1", kind: "Namespace", name: ns(env) });
    client?.close();
    await slipway?.close();
  });

  async function create(env: string, services: string[], more: object = {}): Promise<Answer<unknown>> {
    const made = await call("POST", path, { ...environmentBody(env, ns(env)), ...more });
    if (made.status !== 200) return made;
    await untilRunning(env);
    const service_list = services.map((service_name) => ({ service_name }));
    const added = await call("POST", `${path}/service/yaml`, { env_key: env, service_list });
    await untilRunning(env);
    return added;
  }

  describe(`calls in a production base on ${cluster}`, () => {
    const marked = { "x-env": "gray" };

    test("a production environment becomes a base, and production environments its sub-environments", async () => {
      expect((await create("live", ["front", "cart"])).status).toBe(200);
      const early = await run("early", weights({ env: "live", weight: 100 }));
      expect(early.stages[0]?.jobs[0]?.error).toContain(`POST ${path}/live/share/enable makes it one`);
      const testPath = "/openapi/environments/live/share/enable";
      expect((await call("POST", testPath)).status).toBe(404);
      expect((await call<string[]>("GET", `${path}/live/check/workloads/k8sservices`)).json).toEqual([]);
      await ok(call("POST", `${path}/live/share/enable`));
      await untilRunning("live");
      const ready = await call<{ checks: object }>("GET", `${path}/live/check/sharenv/enable/ready`);
      expect(ready.json.checks).toMatchObject({ namespace_has_istio_label: true, virtualservice_deployed: true });
      const sub = { sub_env: { enable: true, base_env: "live" } };
      const refused = await call("POST", "/openapi/environments", {
        ...environmentBody("test", ns("test")),
        services: [],
        ...sub,
      });
      expect(refused.json.description).toContain("does not exist among the test environments");
      expect((await create("gray", ["cart"], sub)).status).toBe(200);
      await waitFor("the routes", async () => (await httpOf("live", "cart")).length === 2);
      await expectCalls("live", "cart", plain("gray", "cart"), marked);
      await expectCalls("gray", "front", plain("live", "front"));
    });

    test("shares are drawn where a call enters, and the rest of its way is decided", async () => {
      passed(await run("shares", weights({ env: "live", weight: 70 }, { env: "gray", weight: 30 })));
      for (const env of ["live", "gray"]) {
        expect(await leads(env, "cart")).toEqual([
          [{ "x-env": { exact: "gray" } }, "gray all as it comes"],
          [{ "x-env": { exact: "live" } }, "live all as it comes"],
          [{}, "live 70 as live", "gray 30 as gray"],
        ]);
        // It has no pods in the sub-environment: where what it calls goes is decided all the same.
        expect(await leads(env, "front")).toEqual([
          [{ "x-env": { exact: "gray" } }, "live all as it comes"],
          [{ "x-env": { exact: "live" } }, "live all as it comes"],
          [{}, "live 70 as live", "live 30 as gray"],
        ]);
        await expectCalls(env, "cart", { [`|${hostIn("live", "cart")}`]: 70, [`|${hostIn("gray", "cart")}`]: 30 });
        await expectCalls(env, "front", plain("live", "front"));
        await expectCalls(env, "cart", plain("live", "cart"), { "x-env": "live" });
        await expectCalls(env, "cart", plain("gray", "cart"), marked);
      }
    });

    test("a release in the base shares out the base's part", async () => {
      const target = { workload_name: "cart", container_name: "main", image: "cart:2" };
      const stages = [40, 100].map((weight, at) => ({
        ...{ name: `stage-${at}` },
        ...(at > 0 && { manual_exec: { enabled: true, manual_exec_users: [] } }),
        jobs: [
          {
            ...{ name: `step-${at}`, type: "istio-release" },
            spec: {
              weight,
              ...(at === 0
                ? { cluster_id: localClusterId, namespace: ns("live"), targets: [target] }
                : { from_job: "step-0" }),
            },
          },
        ],
      }));
      await makeWorkflow(projectKey, { name: "release", stages });
      const id = await tasks.started("release", ["step-0", "step-1"]);
      const task = await tasks.until("release", id, "at the question", ({ status }) =>
        ["pause", "failed"].includes(status),
      );
      passed(task);
      await expectCalls("gray", "cart", {
        ...{ [`slipway-stable|${hostIn("live", "cart")}`]: 42, [`slipway-new|${hostIn("live", "cart")}`]: 28 },
        ...{ [`|${hostIn("gray", "cart")}`]: 30 },
      });
      await ok(tasks.cancel("release", id));
      await tasks.end("release", id);
      await waitFor("the routes to be as before", async () => {
        await reconciler();
        return (await leads("live", "cart"))[2]?.[1] === "live 70 as live";
      });
    });

    test("calls that match go where they are led, all others to the base", async () => {
      const beta = { key: "X-Tester", match: "exact", value: "yes" };
      passed(await run("matches", matches("gray", beta, { key: "agent", match: "prefix", value: "Fire" })));
      const both = { "x-tester": { exact: "yes" }, agent: { prefix: "Fire" } };
      expect(await leads("gray", "cart")).toEqual([
        [{ "x-env": { exact: "gray" } }, "gray all as it comes"],
        [{ "x-env": { exact: "live" } }, "live all as it comes"],
        [both, "gray all as gray"],
        [{}, "live all as it comes"],
      ]);
      expect(await leads("live", "front")).toEqual([
        [{ "x-env": { exact: "gray" } }, "live all as it comes"],
        [{ "x-env": { exact: "live" } }, "live all as it comes"],
        [both, "live all as gray"],
        [{}, "live all as it comes"],
      ]);
      await expectCalls("live", "cart", plain("live", "cart"));
      passed(await run("none", weights({ env: "live", weight: 100 })));
      expect(await leads("live", "front")).toEqual([[{}, "live all as it comes"]]);
    });

    test("an environment that is not of the family is refused, and nothing changes", async () => {
      const before = await leads("live", "cart");
      const task = await run("lost", weights({ env: "live", weight: 50 }, { env: "nowhere", weight: 50 }));
      expect(task.stages[0]?.jobs[0]).toMatchObject({
        ...{ status: "failed", error: expect.stringContaining("environment nowhere is neither live nor one of its") },
      });
      expect(await leads("live", "cart")).toEqual(before);
      const sub = await run("sub", { ...weights({ env: "gray", weight: 100 }), base_env: "gray" });
      expect(sub.stages[0]?.jobs[0]?.error).toContain("environment gray is not a base");
    });

    test.each<[string, Record<string, unknown>, string]>([
      ["no base", { ...weights({ env: "live", weight: 100 }), base_env: "" }, "base_env"],
      [
        "no strategy",
        { ...weights({ env: "live", weight: 100 }), grayscale_strategy: "luck" },
        "must be weight or header_match",
      ],
      ["90 per cent", weights({ env: "live", weight: 90 }), "must come to 100 per cent, not 90"],
      ["33.3 per cent", weights({ env: "live", weight: 33.3 }, { env: "gray", weight: 66.7 }), "from 0 to 100"],
      [
        "an environment twice",
        weights({ env: "live", weight: 50 }, { env: "live", weight: 50 }),
        "live is named twice",
      ],
      ["no match", { ...matches("gray"), header_match_configs: [] }, "cannot be empty"],
      ["no header", matches("gray"), "at least one header"],
      ["the mark itself", matches("gray", { key: "X-Env", match: "exact", value: "a" }), "x-env chooses"],
      ["a header with a space", matches("gray", { key: "x env", match: "exact", value: "a" }), "name of a header"],
      ["another way to match", matches("gray", { key: "a", match: "suffix", value: "a" }), "exact, prefix or regex"],
      ["what is no expression", matches("gray", { key: "a", match: "regex", value: "(" }), "regular expression of RE2"],
      ["a look ahead", matches("gray", { key: "a", match: "regex", value: "a(?=b)" }), "regular expression of RE2"],
    ])("%s is refused when the workflow is saved", async (_, spec, reason) => {
      const jobs = [{ name: "lead", type: "update-env-istio-config", spec }];
      const body = { name: "rules-of", project: projectKey, stages: [{ name: "all", jobs }] };
      const answer = await call("POST", "/openapi/workflows/custom", body);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
    });

    test("disabling takes routes and rules away; what runs in production stays", async () => {
      passed(await run("again", weights({ env: "live", weight: 50 }, { env: "gray", weight: 50 })));
      await ok(call("DELETE", `${path}/live/share/enable`));
      await waitFor("the sub-environment to be gone", async () => (await call("GET", `${path}/gray`)).status === 404);
      await untilRunning("live");
      expect(await httpOf("live", "cart")).toEqual([]);
      expect(await httpOf("gray", "cart")).toEqual([]);
      const cart = { apiVersion: "apps/v1", kind: "Deployment", namespace: ns("gray"), name: "cart" };
      expect(await findObject(client, cart)).toBeDefined();
      await ok(call("POST", `${path}/live/share/enable`));
      await untilRunning("live");
      expect(await leads("live", "cart")).toEqual([[{}, "live all as it comes"]]);
    });
  });
}
