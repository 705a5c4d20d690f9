import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findUsersByAccount } from "../../shared/access/identity/store/users.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { detailOf, localClusterId } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { untilStored } from "./environmentSuite.ts";
import { planPreviewTests } from "./planPreviewTests.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownJob, tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

const environments = "/openapi/environments";
const success = '{"message":"success"}';

const deployment = (name: string, more = "") => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  ${more}
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - { name: main, image: "${name}:1", env: [{ name: COLOR, value: "{{.color}}" }] }
        - { name: side, image: "side:1" }
`;

const settings = (text: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { color: "{{.color}}", text: ${text} }
---
apiVersion: v1
kind: Secret
metadata: { name: key }
stringData: { key: very-secret }
`;

const services: Record<string, string> = {
  web: deployment("web"),
  api: deployment("api"),
  late: deployment("late"),
  brittle: deployment("brittle", "progressDeadlineSeconds: 5"),
  settings: settings("one"),
};

/** A version of a service, as its environment lists it. */
export interface Version {
  revision: number;
  operation: string;
  images: string[];
  workflow_key?: string;
  task_id?: number;
}

/** Jobs that deploy services of an environment, told by the cluster itself: the same on every cluster. */
export function deployJobSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let tasks: ReturnType<typeof tasksOf>;
  const suffix = randomBytes(3).toString("hex");
  const place = (env: string) => `slipway-test-ship-${env}-${suffix}`;

  const call = <T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
    slipway.call<T>(method, path, body === undefined ? {} : { body });

  async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
    expect((await answer).text).toBe(success);
  }

  async function imagesOf(name: string, env = "dev"): Promise<Record<string, string>> {
    const live = await client.get({ apiVersion: "apps/v1", kind: "Deployment", name, namespace: place(env) });
    const containers = at(live, ["spec", "template", "spec", "containers"]) as { name: string; image: string }[];
    return Object.fromEntries(containers.map((container) => [container.name, container.image]));
  }

  async function recorded(service: string): Promise<string> {
    return (await call("GET", `${environments}/services/yaml?projectKey=ship&envName=dev&serviceName=${service}`)).text;
  }

  async function versions(service: string, base = `${environments}/dev`): Promise<Version[]> {
    return (await call<Version[]>("GET", `${base}/service/${service}/versions?projectKey=ship`)).json;
  }

  const job = (name: string, spec: object) => ({ name, type: "zadig-deploy", spec });
  const image = (service_name: string, reference: string, service_module = "main") => ({
    ...{ service_name, modules: [{ service_module, image: reference }] },
  });

  /** Runs a workflow of one stage with all its jobs; `inputs` are parameters by job. */
  async function run(
    name: string,
    jobs: readonly { name: string }[],
    { parallel = false, parameters = {} }: { parallel?: boolean; parameters?: Record<string, object> } = {},
  ): Promise<{ status: string; jobs: ShownJob[]; id: number }> {
    await makeWorkflow("ship", { name, stages: [{ name: "ship", parallel, jobs: [...jobs] }] });
    const inputs = jobs.map((one) => ({ job_name: one.name, parameters: parameters[one.name] ?? {} }));
    const id = await tasks.started(name, [], { inputs });
    const task = await tasks.end(name, id);
    return { status: task.status, jobs: task.stages[0]?.jobs ?? [], id };
  }

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    tasks = tasksOf(slipway, "ship");
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "ship", project_key: "ship", is_public: false, project_type: "yaml" };
    await ok(call("POST", "/openapi/projects/project", project));
    const variable_yaml = [{ key: "color", value: "blue", type: "string" }];
    for (const [service_name, yaml] of Object.entries(services))
      for (const kind of ["", "/production"])
        await ok(
          call("POST", `/openapi/service/yaml${kind}/raw?projectKey=ship`, { service_name, yaml, variable_yaml }),
        );
    const environment = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
    for (const [env_key, names] of Object.entries({ dev: ["web", "api", "brittle", "settings"], rest: ["web"] }))
      await ok(
        call("POST", `${environments}?projectKey=ship`, {
          ...environment,
          ...{ env_key, namespace: place(env_key), services: names.map((service_name) => ({ service_name })) },
        }),
      );
    const live = { ...environment, env_key: "live", namespace: place("live") };
    await ok(call("POST", `${environments}/production?projectKey=ship`, live));
    const added = { env_key: "live", service_list: [{ service_name: "web" }] };
    await waitFor("the production environment to be created", async () => {
      return (await call("POST", `${environments}/production/service/yaml?projectKey=ship`, added)).text === success;
    });
    await untilStored(slipway, "dev", "success", "ship");
    await untilStored(slipway, "rest", "success", "ship");
  });

  afterAll(async () => {
    for (const env of ["dev", "rest", "live"])
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: place(env) });
    client.close();
    await slipway.close();
  });

  planPreviewTests(() => ({ slipway, client, place }));

  describe(`deploy jobs on ${cluster}`, () => {
    test("an image given by a parameter goes through the environments, each job taking it from the one before", async () => {
      await makeWorkflow("ship", {
        name: "release",
        params: [{ name: "image", type: "string", value: "web:0" }],
        stages: [
          { name: "test", jobs: [job("dev", { env: "dev", services: [image("web", "{{.workflow.params.image}}")] })] },
          {
            name: "live",
            jobs: [
              job("live", { env: "", production: true, source: "fromjob", job_name: "dev" }),
              job("again", { env: "dev", source: "fromjob", job_name: "live" }),
            ],
          },
        ],
      });
      const id = await tasks.started("release", [], {
        parameters: [{ name: "image", type: "string", value: "web:2" }],
        inputs: [
          { job_name: "dev", parameters: {} },
          { job_name: "live", parameters: { env_name: "live", service_list: [] } },
          { job_name: "again", parameters: { service_list: [{ service_name: "web", service_module: "main" }] } },
        ],
      });
      const task = await tasks.end("release", id);
      expect(task.stages.flatMap(({ jobs }) => jobs.map(({ status, error }) => [status, error]))).toEqual(
        Array(3).fill(["passed", ""]),
      );
      expect(await imagesOf("web")).toEqual({ main: "web:2", side: "side:1" });
      expect(await imagesOf("web", "live")).toEqual({ main: "web:2", side: "side:1" });
      expect(await recorded("web")).toContain('image: "web:2"');
      expect(await versions("web", `${environments}/production/live`)).toMatchObject([
        { revision: 2, operation: "deploy", workflow_key: "release", task_id: id, images: ["web:2", "side:1"] },
        { revision: 1, operation: "create" },
      ]);
      const shown = task.stages[0]?.jobs[0];
      expect(shown).toMatchObject({ name: "job-0-0-0-dev", key: "dev.web", type: "zadig-deploy" });
      expect(shown?.spec).toEqual({
        env: "dev",
        env_alias: "",
        production: false,
        service_type: "k8s",
        deploy_contents: ["image"],
        skip_check_run_status: false,
        is_import_to_deploy: false,
        service_and_images: [{ service_name: "web", service_module: "main", image: "web:2" }],
        yaml_content: expect.stringContaining('image: "web:2"'),
        user_supplied_value: "",
        variable_kvs: [],
        origin_revision: 1,
        value_merge_strategy: "",
      });
    });

    test("services of one environment are deployed side by side, and no more held where a rollback took them", async () => {
      const held = async () => {
        const { services: found } = await detailOf(slipway, "ship", "dev");
        return found.filter((service) => "rolled_back" in service).map(({ service_name }) => service_name);
      };
      await ok(call("POST", `${environments}/dev/service/api/versions/1/rollback?projectKey=ship`));
      await untilStored(slipway, "dev", "success", "ship");
      expect(await held()).toEqual(["api"]);
      const { status } = await run(
        "parallel",
        [
          job("deploy", { env: "dev", services: [] }),
          job("other", { env: "dev", services: [image("brittle", "b:1")] }),
        ],
        {
          parallel: true,
          parameters: {
            deploy: {
              service_list: [
                { service_name: "web", service_module: "main", image_name: "web:3" },
                { service_name: "web", service_module: "side", image_name: "side:3" },
                { service_name: "api", service_module: "main", image_name: "api:3" },
              ],
            },
          },
        },
      );
      expect(status).toBe("passed");
      expect(await imagesOf("web")).toEqual({ main: "web:3", side: "side:3" });
      expect(await imagesOf("api")).toEqual({ main: "api:3", side: "side:1" });
      expect(await imagesOf("brittle")).toEqual({ main: "b:1", side: "side:1" });
      expect((await versions("api"))[0]).toMatchObject({ operation: "deploy", workflow_key: "parallel" });
      expect(await held()).toEqual([]);
    });

    test("a deployment whose pods never run fails, and what the environment has of the service stays", async () => {
      const before = [await versions("brittle"), await recorded("brittle")];
      const { status, jobs } = await run("broken", [
        job("deploy", { env: "dev", services: [image("brittle", "reg.io/ship/brittle:missing")] }),
      ]);
      expect(status).toBe("failed");
      expect(jobs[0]?.error).toMatch(/^not ready: Deployment "brittle" /);
      expect((await imagesOf("brittle")).main).toBe("reg.io/ship/brittle:missing");
      expect([await versions("brittle"), await recorded("brittle")]).toEqual(before);
      const unchecked = await run("unchecked", [
        job("deploy", {
          ...{ env: "dev", skip_check_run_status: true },
          services: [image("brittle", "reg.io/ship/brittle:missing")],
        }),
      ]);
      expect(unchecked.status).toBe("passed");
      expect((await versions("brittle"))[0]).toMatchObject({ operation: "deploy", task_id: unchecked.id });
    });

    test("a deployment that is cancelled leaves what the environment has of the service", async () => {
      const before = await versions("api");
      await makeWorkflow("ship", {
        name: "stopped",
        stages: [
          { name: "ship", jobs: [job("deploy", { env: "dev", services: [image("api", "reg.io/ship/api:missing")] })] },
        ],
      });
      const id = await tasks.started("stopped", ["deploy"]);
      await tasks.until("stopped", id, "waiting", ({ stages }) => stages[0]?.jobs[0]?.status === "running");
      expect((await tasks.cancel("stopped", id)).status).toBe(200);
      await tasks.until("stopped", id, "over", ({ stages }) => stages[0]?.jobs[0]?.status === "cancelled");
      expect(await versions("api")).toEqual(before);
      const again = await run("mended", [job("deploy", { env: "dev", services: [image("api", "api:4")] })]);
      expect(again.status).toBe("passed");
    });

    test("an image alone is not deployed where the service is missing; with its configuration it comes", async () => {
      const alone = await run("alone", [job("deploy", { env: "dev", services: [image("late", "late:2")] })]);
      expect(alone.jobs[0]).toMatchObject({
        status: "failed",
        error:
          "service late is not in environment dev, and an image alone cannot be deployed; deploy vars or config as well",
      });
      const whole = await run("whole", [
        job("deploy", {
          ...{ env: "dev", deploy_contents: ["image", "vars", "config"] },
          services: [{ ...image("late", "late:2"), variable_kvs: [{ key: "color", value: "green" }] }],
        }),
      ]);
      expect(whole.jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect((await imagesOf("late")).main).toBe("late:2");
      expect(await recorded("late")).toContain('value: "green"');
      expect((await versions("late")).map(({ operation }) => operation)).toEqual(["deploy"]);
    });

    test.each([
      ["test", "dev", ""],
      ["production", "live", "/production"],
    ])("an image alone makes no service in a %s environment and changes no other field", async (kind, env, prefix) => {
      const production = kind === "production";
      const address = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: place(env) };
      const service = `/openapi/service/yaml${prefix}/web?projectKey=ship`;
      const { json: defined } = await call<{ yaml: string }>("GET", service);
      const listed = async () => (await call("GET", `${environments}${prefix}/${env}?projectKey=ship`)).text;
      // The definition moves on: replicas, a variable's text, a container and an object more. People scale and annotate.
      const more = `${defined.yaml.replace("spec:\n", "spec:\n  replicas: 4\n").replace("COLOR", "PAINT")}        - { name: added, image: "added:1" }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: added-to-web }
`;
      await ok(call("PUT", service, { type: "k8s", yaml: more }));
      const people = { metadata: { annotations: { "team/owner": "ann" } }, spec: { replicas: 2 } };
      await client.patch(address, { type: "merge", body: people });
      const before = await client.get(address);
      const deployed = (name: string, spec: object) =>
        run(`${name}-${kind}`, [job("deploy", { env, production, ...spec })]);
      const reference = `web:alone-${kind}`;
      const outcome = await deployed("changed", { services: [image("web", reference)] });
      expect(outcome.jobs[0]).toMatchObject({ status: "passed", error: "" });
      const template = (live: unknown) => at(live, ["spec", "template", "spec"]) as { containers: { name: string }[] };
      const without = (live: unknown) => [
        { ...(at(live, ["spec"]) as object), template: undefined },
        at(live, ["metadata", "annotations", "team/owner"]),
        template(live).containers.map((one) => (one.name === "main" ? { ...one, image: "" } : one)),
      ];
      const after = await client.get(address);
      expect(without(after)).toEqual(without(before));
      expect((await imagesOf("web", env)).main).toBe(reference);
      const extra = { apiVersion: "v1", kind: "ConfigMap", name: "added-to-web", namespace: place(env) };
      await expect(client.get(extra)).rejects.toThrow();

      const services = await listed();
      for (const [at, missing] of [
        { services: [image("brittle-not-here", "x:1")] },
        { services: [image("late", "late:2")], deploy_contents: ["image"] },
        { services: [image("web", "web:3", "no-such-module")] },
      ].entries()) {
        // That production refuses it as well is told with its statistics, which count failures.
        if (production || at === 1) continue;
        const refused = await deployed(`missing-${at}`, missing).catch((error: unknown) => String(error));
        if (typeof refused !== "string") expect(refused.status, String(at)).toBe("failed");
      }
      expect(await listed()).toBe(services);
      await ok(call("PUT", service, { type: "k8s", yaml: defined.yaml }));
    });

    test("a service without workloads passes at once; its revision moves only with its configuration", async () => {
      const yaml = settings("two");
      await ok(call("PUT", "/openapi/service/yaml/settings?projectKey=ship", { type: "k8s", yaml }));
      const variables = { service_name: "settings", variable_kvs: [{ key: "color", value: "red" }] };
      const spec = { env: "dev", services: [variables] };
      const kept = await run("vars", [job("deploy", { ...spec, deploy_contents: ["vars"] })]);
      expect(kept.jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect(await recorded("settings")).toMatch(/color: "red", text: one/);
      const { jobs } = await run("config", [job("deploy", { ...spec, deploy_contents: ["config"] })]);
      expect(jobs[0]).toMatchObject({ status: "passed", spec: { origin_revision: 1 } });
      expect(await recorded("settings")).toMatch(/color: "red", text: two/);
      expect(jobs[0]?.spec.yaml_content).not.toContain("very-secret");
    });

    test("what cannot be deployed says why, and touches nothing", async () => {
      await ok(call("POST", `${environments}/rest/sleep?projectKey=ship`, {}));
      await untilStored(slipway, "rest", "sleeping", "ship");
      const cases: [string, object, string | RegExp][] = [
        ["sleeping", { env: "rest", services: [image("web", "web:9")] }, "environment is sleeping"],
        ["nowhere", { env: "none", services: [image("web", "web:9")] }, /test environment none in project ship/],
        ["unnamed", { services: [image("web", "web:9")] }, "no environment is named; send env_name, or configure env"],
        ["module", { env: "dev", services: [image("web", "x:9", "wrong")] }, /^service web has no module wrong; /],
        ["blank", { env: "dev", services: [image("web", "")] }, "no image is named for service web"],
        [
          "helm",
          { env: "dev", deploy_type: "helm", services: [image("web", "web:9")] },
          /^deploy_type is helm, and project ship is of type yaml; /,
        ],
      ];
      for (const [name, spec, error] of cases) {
        const { jobs } = await run(name, [job("deploy", spec)]);
        expect(jobs[0]).toMatchObject({
          status: "failed",
          error: typeof error === "string" ? error : expect.stringMatching(error),
        });
      }
      expect((await imagesOf("web", "rest")).main).toBe("web:1");
    });

    test("images that a job took from another one are variables for later jobs", async () => {
      const last = ["{{.job.live.IMAGES}}", "{{.job.live.web.main.IMAGE}}"].map((text, at) =>
        job(`last-${at}`, { env: "dev", services: [image("web", text)] }),
      );
      const jobs = [
        job("dev", { env: "dev", services: [image("web", "web:7")] }),
        job("live", { env: "live", production: true, source: "fromjob", job_name: "dev" }),
        ...last,
      ];
      await makeWorkflow("ship", { name: "names", stages: [{ name: "ship", jobs }] });
      const id = await tasks.started(
        "names",
        jobs.map(({ name }) => name),
      );
      const task = await tasks.end("names", id);
      const shown = task.stages.flatMap((stage) => stage.jobs).slice(2);
      const images = [{ service_name: "web", service_module: "main", image: "web:7" }];
      for (const { status, error, spec } of shown)
        expect({ status, error, images: spec.service_and_images }).toEqual({ status: "passed", error: "", images });
    });

    test("statistics tell of a service of production how it failed, was deployed again and taken back", async () => {
      type Figures = Record<"passed" | "failed" | "rolled_back" | "time_to_restore_seconds", number | null>;
      const figures = async () => (await call<Figures>("GET", "/openapi/statistics/dora?projectKey=ship")).json;
      const live = (service: string, reference: string, more: object = {}) =>
        job("deploy", { env: "live", production: true, services: [image(service, reference)], ...more });
      const { passed, failed, rolled_back } = await figures();
      const absent = await run("absent", [live("api", "api:5")]);
      expect(absent.jobs[0]?.error).toContain("service api is not in environment live");
      expect(await figures()).toMatchObject({ passed, failed: Number(failed) + 1, time_to_restore_seconds: null });
      const whole = { deploy_contents: ["image", "vars", "config"] };
      expect((await run("brought", [live("api", "api:5", whole)])).jobs[0]).toMatchObject({ status: "passed" });
      expect((await run("onward", [live("web", "web:onward")])).jobs[0]).toMatchObject({ status: "passed" });
      const after = { passed: Number(passed) + 2, failed: Number(failed) + 1 };
      expect(await figures()).toMatchObject({ ...after, rolled_back, time_to_restore_seconds: expect.any(Number) });

      const base = `${environments}/production/live`;
      const [newest, former] = await versions("web", base);
      const back = `${base}/service/web/versions/${former?.revision}/rollback?projectKey=ship`;
      for (let times = 1; times <= 2; times++) {
        await ok(call("POST", back));
        await waitFor("the rollback to be a version", async () => {
          const [last] = await versions("web", base);
          return last?.operation === "rollback" && last.revision === Number(newest?.revision) + times;
        });
        // The second one takes back a rollback, which is no deployment.
        expect(await figures()).toMatchObject({ ...after, rolled_back: Number(rolled_back) + 1 });
      }
    });

    test("a job that takes its services from one that does not run is refused at the start", async () => {
      const jobs = [
        job("first", { env: "dev", services: [] }),
        job("next", { env: "dev", source: "fromjob", job_name: "first" }),
      ];
      await makeWorkflow("ship", { name: "half", stages: [{ name: "ship", jobs }] });
      const { status, json } = await tasks.start("half", ["next"]);
      expect({ status, json }).toMatchObject({
        status: 400,
        json: {
          code: 6160,
          description: "job next takes its services from job first, which does not run in this task",
        },
      });
    });

    describe("while production is frozen", () => {
      const freezes = "/openapi/release_plan/v1/freezes";
      const now = Math.floor(Date.now() / 1000);
      const live = (reference: string) =>
        job("live", { env: "live", production: true, services: [image("web", reference)] });
      const freeze = async (): Promise<string> => {
        const where = { environments: [{ project_key: "ship", env_name: "live" }] };
        const body = {
          name: "Year end",
          reason: "the books are open",
          start_time: now - 60,
          end_time: now + 3600,
          ...where,
        };
        const { json, status } = await call<{ id: string }>("POST", freezes, body);
        expect(status).toBe(200);
        return json.id;
      };
      const make = (name: string, one: object) =>
        makeWorkflow("ship", { name, stages: [{ name: "ship", jobs: [{ name: "live", ...one } as never] }] });
      const start = (workflow_key: string, query = "") => {
        const inputs = [{ job_name: "live", parameters: {} }];
        const body = { workflow_key, project_key: "ship", inputs };
        return call<{ task_id: number }>("POST", `/openapi/workflows/custom/task${query}`, body);
      };
      const sentence = 'by "Year end": the books are open';

      test("a task that reaches its deployment then fails with the freeze's words, and is not retried", async () => {
        const [admin] = await findUsersByAccount("admin");
        const approve_users = [{ type: "user", user_id: admin?.uid, user_name: "admin" }];
        const approval = { enabled: true, type: "native", native_approval: { needed_approvers: 1, approve_users } };
        const before = await imagesOf("web", "live");
        await makeWorkflow("ship", { name: "asked", stages: [{ name: "ship", approval, jobs: [live("web:late")] }] });
        const id = await tasks.started("asked", ["live"]);
        await tasks.until("asked", id, "asking", ({ stages }) => stages[0]?.status === "wait_for_approval");
        const frozen = await freeze();
        expect((await tasks.approve("asked", id, "ship", true)).status).toBe(200);
        const task = await tasks.end("asked", id);
        expect(task.status).toBe("failed");
        expect(task.stages[0]?.jobs[0]?.error).toMatch(/^frozen until 20.*Z by "Year end": the books are open$/);
        expect(await imagesOf("web", "live")).toEqual(before);
        expect((await tasks.retry("asked", id)).json).toMatchObject({ code: 409 });
        await call("DELETE", `${freezes}/${frozen}`);
        expect((await tasks.retry("asked", id)).status).toBe(200);
        expect((await tasks.cancel("asked", id)).status).toBe(200);
        await tasks.end("asked", id);
      });

      test("a stage that would change it is not executed without a reason of somebody who may", async () => {
        const [admin] = await findUsersByAccount("admin");
        const manual_exec_users = [{ type: "user", user_id: admin?.uid, user_name: "admin" }];
        const manual_exec = { enabled: true, manual_exec_users };
        await makeWorkflow("ship", {
          name: "by-hand",
          stages: [{ name: "ship", manual_exec, jobs: [live("web:10")] }],
        });
        const id = await tasks.started("by-hand", ["live"]);
        await tasks.until("by-hand", id, "paused", ({ status }) => status === "pause");
        const frozen = await freeze();
        const path = `/openapi/workflows/custom/by-hand/task/${id}/manual-exec?projectKey=ship`;
        expect((await call("POST", path, { stage_name: "ship" })).json).toMatchObject({ code: 409 });
        await ok(call("POST", `${path}&override_reason=customers+wait`, { stage_name: "ship" }));
        expect(await tasks.end("by-hand", id)).toMatchObject({ status: "passed", override_reason: "customers wait" });
        expect(await imagesOf("web", "live")).toMatchObject({ main: "web:10" });
        await call("DELETE", `${freezes}/${frozen}`);
      });

      test("what would change it does not start without a reason of somebody who may", async () => {
        const frozen = await freeze();
        const target = { namespace: place("live"), cluster_id: localClusterId };
        const changing = {
          deploys: live("web:9"),
          offline: { type: "offline-service", spec: { env_type: "production", env_name: "live", services: ["web"] } },
          custom: {
            type: "custom-deploy",
            spec: { ...target, targets: [{ target: "Deployment/web/main", image: "web:9" }] },
          },
          patch: { type: "k8s-resource-patch", spec: { ...target, patch_items: [] } },
        };
        for (const [name, one] of Object.entries(changing)) {
          await make(name, one);
          const { json } = await start(name);
          expect(json, name).toMatchObject({ code: 409, description: expect.stringContaining(sentence) });
        }
        const passed = await start("deploys", "?override_reason=a+hole+in+the+fence");
        expect(passed.status, passed.text).toBe(200);
        const task = await tasks.end("deploys", passed.json.task_id);
        expect(task).toMatchObject({ status: "passed", override_reason: "a hole in the fence" });
        expect(await imagesOf("web", "live")).toMatchObject({ main: "web:9" });
        for (const [name, one] of Object.entries({
          restarts: { type: "zadig-restart", spec: { env: "live", production: true, services: ["web"] } },
          tests: job("live", { env: "dev", services: [image("web", "web:9")] }),
        })) {
          await make(name, one);
          const { json } = await start(name);
          expect(await tasks.end(name, json.task_id), name).toMatchObject({ status: "passed" });
        }
        await call("DELETE", `${freezes}/${frozen}`);
      });
    });
  });
}
