import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findEnvironment } from "../../shared/environments/store/environments.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "./boutique.ts";
import type { Standing } from "./environmentSuite.ts";
import { passing } from "./passingApprovals.ts";
import type { ShownPlan } from "./releasePlans.ts";
import { textJob } from "./releasePlans.ts";
import type { Answer, CallOptions } from "./slipway.ts";
import { makeWorkflow } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

const success = '{"message":"success"}';
const missing = "reg.io/rise/web:missing";
export const plansPath = "/openapi/release_plan/v1";
const live = "/openapi/environments/production/live";

const deployment = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  progressDeadlineSeconds: 5
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "${name}:1" }] }
`;

interface Version {
  revision: number;
  operation: string;
  images: string[];
}

interface RollbackJob {
  id: string;
  name: string;
  type: string;
  status: string;
  spec: { service_name?: string; reason?: string; from_version?: number; to_version?: number };
}

/** A project `rise` with a production environment `live` that has the services `web` and `api`, and plans that deploy. */
export async function givenRise({ slipway, kubeconfig }: Standing) {
  const client: ClusterClient = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  const namespace = `slipway-test-rise-${randomBytes(3).toString("hex")}`;
  const call = <T = { description: string; code: number }>(method: string, path: string, options?: CallOptions) =>
    slipway.call<T>(method, path, options);
  const ok = async <T = unknown>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer: Answer<T> = await slipway.call<T>(method, path, body === undefined ? {} : { body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.json;
  };
  await ok("POST", "/openapi/projects/project", { project_name: "rise", project_key: "rise", project_type: "yaml" });
  for (const service_name of ["web", "api", "extra"])
    await ok("POST", "/openapi/service/yaml/production/raw?projectKey=rise", {
      ...{ service_name, yaml: deployment(service_name) },
    });
  await ok("POST", "/openapi/environments/production?projectKey=rise", {
    ...{ env_key: "live", cluster_id: localClusterId, namespace, registry_id: "0123456789abcdef12345679" },
  });
  const stored = (status: string) =>
    waitFor(`live to be ${status}`, async () => (await findEnvironment("rise", "live"))?.status === status, 60);
  const service_list = [{ service_name: "web" }, { service_name: "api" }];
  await waitFor("the production environment to be created", async () => {
    const body = { env_key: "live", service_list };
    return (
      (await call("POST", "/openapi/environments/production/service/yaml?projectKey=rise", { body })).text === success
    );
  });
  await stored("success");

  /** A workflow that deploys; `gate` lets it wait for somebody first. */
  const workflow = async (
    name: string,
    images: Readonly<Record<string, string>>,
    spec: object = {},
    stages: object[] = [],
  ) => {
    const services = Object.entries(images).map(([service_name, image]) => {
      return { service_name, modules: [{ service_module: "main", image }] };
    });
    const job = { name: "deploy", type: "zadig-deploy", spec: { env: "live", production: true, services, ...spec } };
    await makeWorkflow("rise", { name, stages: [{ name: "ship", jobs: [job] }, ...(stages as never[])] });
    return name;
  };
  const workflowJob = (key: string, more: object = {}, ...others: string[]) => {
    const inputs = ["deploy", ...others].map((job_name) => ({ job_name, parameters: {} }));
    return { name: key, type: "workflow", spec: { workflow_key: key, project_key: "rise", inputs }, ...more };
  };
  const read = (id: string) => ok<ShownPlan>("GET", `${plansPath}/${id}`);
  const until = (id: string, what: string, seen: (plan: ShownPlan) => boolean, seconds = 90) =>
    waitFor(
      `plan ${id} to be ${what}`,
      async () => {
        const plan = await read(id);
        return seen(plan) && plan;
      },
      seconds,
    );
  const backJobs = (plan: ShownPlan) => plan.jobs.filter(({ type }) => type === "rollback") as unknown as RollbackJob[];
  const details = async (id: string): Promise<string[]> => {
    const log = await ok<{ list: { detail: string; username: string; target_name: string }[] }>(
      "GET",
      `${plansPath}/${id}/logs`,
    );
    return log.list.map(({ username, target_name, detail }) => `${username}: ${target_name}: ${detail}`).reverse();
  };
  const head = { name: "evening", manager: "admin", manager_identity_type: "system" };
  return {
    ...{ slipway, client, namespace, call, ok, stored, workflow, workflowJob, read, until, backJobs, details },
    /** A plan that executes these jobs. */
    plan: async (jobs: readonly object[], more: object = {}): Promise<ShownPlan> => {
      const { id } = await ok<{ id: string }>("POST", plansPath, head);
      await ok("PATCH", `${plansPath}/${id}`, { ...head, jobs, ...more });
      for (const status of ["finish_planning", "executing"]) await ok("POST", `${plansPath}/${id}/status/${status}`);
      return read(id);
    },
    /** Executes a job and waits for its end. */
    run: async (plan: ShownPlan, name: string, status = "done"): Promise<void> => {
      const { id, type } = plan.jobs.find((job) => job.name === name) ?? { id: "", type: "" };
      await ok("POST", `${plansPath}/${plan.id}/execute`, { id, name, type, spec: {} });
      await until(plan.id, `${status} with ${name}`, ({ jobs }) =>
        jobs.some((job) => job.id === id && job.status === status),
      );
    },
    rollBack: (id: string, options?: CallOptions) => call("POST", `${plansPath}/${id}/rollback`, options),
    /** The plan, once its rollback is over. */
    wentBack: (id: string) =>
      until(id, "rolled back", (plan) => {
        const jobs = backJobs(plan);
        return jobs.length > 0 && jobs.every(({ status }) => status !== "todo" && status !== "running");
      }).then(async (plan) => {
        await waitFor("the log to say so", async () => (await details(id)).at(-1)?.includes("the rollback is over"));
        return plan;
      }),
    image: async (name: string): Promise<unknown> => {
      const found = await client.get({ apiVersion: "apps/v1", kind: "Deployment", name, namespace });
      const [container] = at(found, ["spec", "template", "spec", "containers"]) as { image: string }[];
      return container?.image;
    },
    versions: (service: string) => ok<Version[]>("GET", `${live}/service/${service}/versions?projectKey=rise`),
    close: async () => {
      await client.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
      client.close();
      await slipway.close();
    },
  };
}

export type Rise = Awaited<ReturnType<typeof givenRise>>;

/** Rollbacks of release plans, told by the cluster itself: the same on every cluster. */
export function planRollbackSuite(cluster: string, open: () => Promise<Standing>): void {
  let rise: Rise;

  beforeAll(async () => {
    rise = await givenRise(await open());
  });
  afterAll(() => rise.close());

  describe(`rollback of release plans on ${cluster}`, () => {
    test("what the tasks of a plan deployed goes back in reverse order, each service to its version before the plan", async () => {
      const jobs = [
        rise.workflowJob(await rise.workflow("web-2", { web: "web:2" })),
        rise.workflowJob(await rise.workflow("api-2", { api: "api:2" })),
        rise.workflowJob(await rise.workflow("web-3", { web: "web:3" })),
        textJob("tell"),
      ];
      const plan = await rise.plan(jobs);
      for (const name of ["web-2", "api-2", "web-3"]) await rise.run(plan, name);
      expect([await rise.image("web"), await rise.image("api")]).toEqual(["web:3", "api:2"]);
      const before = await rise.versions("web");
      expect((await rise.rollBack(plan.id)).text).toBe(success);
      const over = await rise.wentBack(plan.id);
      expect(over.status).toBe("cancel");
      expect(rise.backJobs(over)).toMatchObject([
        { name: "rollback api in live", status: "done", spec: { service_name: "api", to_version: 1, reason: "" } },
        { name: "rollback web in live", status: "done", spec: { service_name: "web", from_version: 3, to_version: 1 } },
      ]);
      expect([await rise.image("web"), await rise.image("api")]).toEqual(["web:1", "api:1"]);
      expect(await rise.versions("web")).toMatchObject([{ operation: "rollback", images: ["web:1"] }, ...before]);
      expect((await rise.details(plan.id)).slice(-6)).toEqual([
        "admin: evening: rolled back by call",
        "admin: rollback api in live: goes back",
        "admin: rollback api in live: went back",
        "admin: rollback web in live: goes back",
        "admin: rollback web in live: went back",
        "admin: evening: the rollback is over: 2 of 2 services went back, 0 failed, 0 were left as they are",
      ]);
      expect((await rise.rollBack(plan.id)).json).toMatchObject({
        ...{ code: 400, description: "everything that the plan evening deployed has gone back already" },
      });
    });

    test("with rollback_on_failure a failed job lets everything go back by itself, once; other tasks end first", async () => {
      const hold = {
        name: "hold",
        type: "approval",
        spec: passing,
      };
      const held = { name: "hold", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [hold] };
      const jobs = [
        rise.workflowJob(await rise.workflow("held", { api: "api:4" }, {}, [held]), {}, "hold"),
        rise.workflowJob(await rise.workflow("broken", { web: missing })),
        textJob("tell"),
      ];
      const plan = await rise.plan(jobs, { settings: { rollback_on_failure: true } });
      const [first] = plan.jobs;
      await rise.ok("POST", `${plansPath}/${plan.id}/execute`, { id: first?.id, type: "workflow", spec: {} });
      await waitFor("api to be deployed", async () => (await rise.versions("api"))[0]?.images[0] === "api:4", 60);
      await rise.run(plan, "broken", "failed");
      const over = await rise.wentBack(plan.id);
      expect(over).toMatchObject({ status: "cancel", settings: { rollback_on_failure: true } });
      expect(rise.backJobs(over).map(({ spec }) => spec.reason)).toEqual(["", ""]);
      expect(over.jobs.map(({ name, status, executed_by }) => [name, status, executed_by])).toEqual([
        ["held", "failed", "admin"],
        ["broken", "failed", "admin"],
        ["tell", "todo", ""],
        ["rollback web in live", "done", "System"],
        ["rollback api in live", "done", "System"],
      ]);
      expect(over.jobs[0]?.spec.status).toBe("cancelled");
      expect([await rise.image("web"), await rise.image("api")]).toEqual(["web:1", "api:1"]);
      const said = await rise.details(plan.id);
      expect(said.filter((one) => one.includes("rolled back"))).toEqual([
        "System: evening: rolled back because job broken failed",
      ]);
      expect(said.indexOf("System: held: task 1 ended cancelled")).toBeLessThan(
        said.indexOf("System: rollback web in live: goes back"),
      );
    });

    test("what somebody else changed stays, and what the plan brought; a freeze holds nothing off, one of many calls wins", async () => {
      const contents = { deploy_contents: ["image", "vars", "config"] };
      const jobs = [
        rise.workflowJob(await rise.workflow("web-5", { web: "web:5" })),
        rise.workflowJob(await rise.workflow("api-5", { api: "api:5" })),
        rise.workflowJob(await rise.workflow("extra-5", { extra: "extra:5" }, contents)),
        rise.workflowJob("web-5", { name: "late" }),
      ];
      const plan = await rise.plan(jobs);
      for (const name of ["web-5", "api-5", "extra-5"]) await rise.run(plan, name);
      await rise.ok("POST", "/openapi/environments/image/deployment/live", {
        ...{ product_name: "rise", service_name: "api", name: "api", container_name: "main", image: "api:hotfix" },
      });
      const now = Math.floor(Date.now() / 1000);
      const freeze = await rise.ok<{ id: string }>("POST", `${plansPath}/freezes`, {
        ...{ name: "Year end", reason: "quiet", start_time: now - 60, end_time: now + 3600 },
        environments: [{ project_key: "rise", env_name: "live" }],
      });
      const late = plan.jobs.at(-1);
      const execute = () =>
        rise.call("POST", `${plansPath}/${plan.id}/execute`, { body: { id: late?.id, type: "workflow", spec: {} } });
      const answers = await Promise.all([
        ...Array.from({ length: 10 }, () => rise.rollBack(plan.id)),
        execute(),
        execute(),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => ![200, 400, 409].includes(status))).toEqual([]);
      const over = await rise.wentBack(plan.id);
      await rise.ok("DELETE", `${plansPath}/freezes/${freeze.id}`);
      expect(rise.backJobs(over).map(({ name, status, spec }) => [name, status, spec.reason])).toEqual([
        [
          ...["rollback extra in live", "skipped"],
          "the plan brought the service extra; it stays, because its data would go with it: delete it by hand",
        ],
        [
          ...["rollback api in live", "skipped"],
          expect.stringMatching(
            /^admin has changed the service api since: version \d+ \(image\); it stays as it is: go back by/,
          ),
        ],
        ["rollback web in live", "done", ""],
      ]);
      expect([await rise.image("web"), await rise.image("api")]).toEqual(["web:1", "api:hotfix"]);
      expect(await rise.image("extra")).toBe("extra:5");
      expect(over.jobs[3]).toMatchObject({ name: "late", status: "todo" });
    });

    test("what does not go back says why and holds up nothing; a second call tries it again", async () => {
      const jobs = [rise.workflowJob(await rise.workflow("web-6", { web: "web:6" })), textJob("tell")];
      const plan = await rise.plan(jobs);
      await rise.run(plan, "web-6");
      await rise.ok("POST", `${live}/sleep?projectKey=rise`, {});
      await rise.stored("sleeping");
      await rise.rollBack(plan.id);
      const [failed] = rise.backJobs(await rise.wentBack(plan.id));
      expect(failed).toMatchObject({ status: "failed", spec: { reason: "environment is sleeping" } });
      await rise.ok("POST", `${live}/wake?projectKey=rise`, {});
      await rise.stored("success");
      expect((await rise.rollBack(plan.id)).text).toBe(success);
      const over = await rise.until(plan.id, "back", (one) => rise.backJobs(one)[0]?.status === "done");
      expect(rise.backJobs(over)[0]?.id).toBe(failed?.id);
      expect(await rise.image("web")).toBe("web:1");
      const job = rise.backJobs(over)[0];
      expect(await rise.ok("GET", `${plansPath}/${plan.id}/job/${job?.id}`)).toEqual(job);
    });
  });
}
