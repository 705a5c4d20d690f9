import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { waitsOf } from "../../shared/environments/store/readinessWaits.ts";
import { rolloutDeployRunner } from "../../shared/workflows/jobs/rollout/deployRunner.ts";
import { findWholeTask } from "../../shared/workflows/records/findTasks.ts";
import { tryName } from "../../shared/workflows/records/rules/tryName.ts";
import type { JobEnd } from "../../shared/workflows/records/task.ts";
import { findTaskOwner } from "../../shared/workflows/records/taskHeads.ts";
import { jobRun } from "../../shared/workflows/tasks/jobRun.ts";
import { localClusterId } from "../harness/boutique.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import { servedYaml } from "../harness/manifests.ts";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

const namespace = "shop-dev";
const services = ["web", "few", "steps", "bad", "again"];
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  for (const service_name of services) {
    const body = { service_name, yaml: servedYaml(service_name, 4), variable_yaml: [] };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body })).status).toBe(200);
  }
  const body = {
    ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
    services: services.map((service_name) => ({ service_name })),
  };
  expect((await slipway.call("POST", "/openapi/environments?projectKey=shop", { body })).status).toBe(200);
  await untilStored(slipway, "dev", "success", "shop");
}, 120_000);

afterAll(() => slipway.close());

interface Job {
  name: string;
  type: string;
  spec: Record<string, unknown>;
}
const blueGreen = (name: string, more: object = {}): Job[] => [
  {
    ...{ name: "deploy", type: "k8s-blue-green-deploy" },
    spec: {
      env: "dev",
      services: [{ service_name: name, service_and_image: [{ service_module: "main", image: `${name}:2` }] }],
    },
  },
  { name: "release", type: "k8s-blue-green-release", spec: { from_job: "deploy", ...more } },
];
const canary = (name: string): Job[] => [
  {
    ...{ name: "deploy", type: "k8s-canary-deploy" },
    spec: {
      ...{ cluster_id: localClusterId, namespace },
      targets: [{ k8s_service_name: name, container_name: "main", image: `${name}:2`, canary_percentage: 50 }],
    },
  },
  { name: "release", type: "k8s-canary-release", spec: { from_job: "deploy" } },
];
const gray = (name: string): Job[] => [
  {
    ...{ name: "deploy", type: "k8s-gray-release" },
    spec: {
      ...{ cluster_id: localClusterId, namespace, gray_scale: 25 },
      targets: [{ workload_name: name, container_name: "main", image: `${name}:2` }],
    },
  },
  { name: "release", type: "k8s-gray-release", spec: { from_job: "deploy", gray_scale: 100 } },
];
const rollback = (workload_name: string): Job => ({
  ...{ name: "rollback", type: "k8s-gray-rollback" },
  spec: { cluster_id: localClusterId, namespace, targets: [{ workload_name }] },
});

/** What a task of the jobs came to, the last of which shows a text. */
async function ran(workflow: string, jobs: readonly Job[], description = ""): Promise<ShownTask> {
  const tells = { ...gate("told"), spec: { ...gate("told").spec, description } };
  const all = [...jobs, tells];
  await makeWorkflow("shop", { name: workflow, stages: [{ name: "all", jobs: all }] });
  const id = await tasks.started(
    workflow,
    all.map(({ name }) => name),
  );
  return tasks.end(workflow, id, 60);
}

interface Said {
  event_type: string;
  time: string;
  message: string;
}
const said = ({ stages }: ShownTask, at: number) => {
  const events = (stages[0]?.jobs[at]?.spec.events ?? []) as Said[];
  for (const { time } of events) expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return events.map(({ event_type, message }) => `${event_type}: ${message}`);
};
const told = ({ stages }: ShownTask) => stages[0]?.jobs.at(-1)?.spec.description;

describe("what jobs of a rollout leave", () => {
  test.each([
    [
      "web",
      blueGreen,
      "dev|web|web:2",
      ['info: Deployment "web-blue" starts beside the workload, to have 4 new pods', "info: the new pods are ready"],
      [
        'info: Service "web" leads to the new pods',
        'info: Deployment "web" becomes new',
        'info: Deployment "web" is new, has the traffic, and nothing stands beside it',
      ],
    ],
    [
      "few",
      canary,
      "|few|few:2",
      ['info: Deployment "few-canary" starts beside the workload, to have 2 new pods', "info: the new pods are ready"],
      [
        'info: Deployment "few" becomes new',
        'info: Deployment "few" is new, has the traffic, and nothing stands beside it',
      ],
    ],
    [
      "steps",
      gray,
      "|steps|steps:2",
      [
        'info: Deployment "steps-zadig-gray" starts beside the workload, to have 1 new pods',
        "info: 1 of 4 pods are new, and 3 former ones are left",
      ],
      [
        'info: Deployment "steps" becomes new',
        'info: Deployment "steps" is new, has the traffic, and nothing stands beside it',
      ],
    ],
  ] as const)("of %s: its events, and for later jobs its images", async (name, jobsOf, early, deployed, released) => {
    const deploy = `{{.job.deploy.${name}.main.output.IMAGE}} {{.job.deploy.${name}.main.output.imageTag}}`;
    const release = `{{.job.release.${name}.main.output.IMAGE}} {{.job.release.${name}.status}}`;
    const before = "{{.job.deploy.envName}}|{{.job.deploy.SERVICES}}|{{.job.deploy.IMAGES}}";
    const one = `{{.job.deploy.${name}.main.IMAGE}}`;
    const task = await ran(`whole-${name}`, jobsOf(name), `${deploy}, ${release}, ${before}, ${one}`);
    expect(told(task)).toBe(`${name}:2 2, ${name}:2 passed, ${early}, ${name}:2`);
    expect(said(task, 0)).toEqual(deployed);
    expect(said(task, 1)).toEqual(released);
  });

  test("of a deployment that is begun again once its pods are ready: the same as the first time", async () => {
    const [deploy, release] = canary("again");
    const asked = { enabled: true, manual_exec_users: [] };
    const stages = [
      { name: "beside", jobs: [deploy] },
      { name: "shift", manual_exec: asked, jobs: [release] },
    ];
    await makeWorkflow("shop", { name: "again", stages });
    const id = await tasks.started("again", ["deploy", "release"]);
    const first = await tasks.until("again", id, "asking", ({ status }) => status === "pause");
    const whole = await findWholeTask((await findTaskOwner("again"))?.id ?? "", id);
    const job = whole?.jobs.find(({ stage }) => stage === 0);
    if (whole === undefined || job === undefined) throw new Error("the task has no job");
    const again = await rolloutDeployRunner.begin(await jobRun(whole, { ...job, result: {} }, "token"));
    const { events } = (again as JobEnd).result as { events: Said[] };
    expect(events.map(({ event_type, message }) => `${event_type}: ${message}`)).toEqual(said(first, 0));
    expect(events).toHaveLength(2);
    // Nobody may end it before what it says is kept.
    const retried = { ...job, retryCount: 7 };
    expect(await rolloutDeployRunner.begin(await jobRun(whole, retried, "token"))).toMatchObject({ waits: true });
    expect((await waitsOf(localClusterId)).map(({ waitId }) => waitId)).not.toContain(tryName(retried));
    await tasks.cancel("again", id);
  });

  test("of a rollback: where it went back to", async () => {
    const task = await ran("back", [rollback("steps")]);
    expect(said(task, 0)).toEqual([
      'info: Deployment "steps" goes back to steps:1 and 4 pods',
      'info: Deployment "steps" is what it was before its gray release',
    ]);
  });

  test("of what failed: why, and that it was taken back", async () => {
    const task = await ran("bad", blueGreen("bad", { analysis: [{ name: "none", failure: "== 0" }] }));
    expect(said(task, 1)).toEqual([
      "info: the new pods have the traffic and are looked at",
      "error: analysis none failed at 1 of 1 looks: 0 is == 0",
      "info: everything is as it was before the rollout",
    ]);
    const refused = await ran("nowhere", canary("nowhere"));
    expect(said(refused, 0)).toEqual([expect.stringMatching(/^error: Service "nowhere" does not exist/)]);
  });
});
