import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { indexesShowAll } from "../harness/indexesShowAll.ts";
import { newPerson, type Person } from "../harness/people.ts";
import type { Slipway } from "../harness/slipway.ts";
import { startedInHaste } from "../harness/startedInHaste.ts";
import { gate, makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";

vi.setConfig({ testTimeout: 120_000 });

type Source = Parameters<typeof makeWorkflow>[1];

interface ShownApproval {
  needed_approvers: number;
  reject_or_approve: string;
  approve_users: {
    user_id: string;
    user_name: string;
    reject_or_approve: string;
    comment: string;
    operation_time: number;
  }[];
}

interface ShownStage {
  name: string;
  status: string;
  approval: (ShownApproval & { native_approval: ShownApproval }) | null;
}

/** Where an approval may stand: of the stage before its jobs, or as a job before others. */
interface Place {
  where: string;
  workflow(name: string, native_approval: object): Source;
  /** How whoever decides names it. */
  place: string;
  approval(task: ShownTask): ShownApproval;
  /** The status that shows it waiting. */
  status(task: ShownTask): string;
}

const after = { name: "after", jobs: [gate("last")] };
const ofStage: Place = {
  where: "of a stage",
  workflow: (name, native_approval) => {
    const approval = { enabled: true, type: "native", description: "Ship it?", native_approval };
    return { name, concurrency_limit: -1, stages: [{ name: "ship", approval, jobs: [gate("behind")] }, after] };
  },
  place: "ship",
  approval: ({ stages }) => stages.map((one) => one as unknown as ShownStage)[0]?.approval as ShownApproval,
  status: ({ stages }) => stages[0]?.status ?? "",
};
const ofJob: Place = {
  where: "that is a job",
  workflow: (name, native_approval) => {
    const ask = { name: "ask", type: "approval", spec: { type: "native", description: "Ship it?", native_approval } };
    return { name, concurrency_limit: -1, stages: [{ name: "ship", jobs: [ask, gate("behind")] }, after] };
  },
  place: "job-0-0-0-ask",
  approval: ({ stages }) => stages[0]?.jobs[0]?.spec.native_approval as ShownApproval,
  status: ({ stages }) => stages[0]?.jobs[0]?.status ?? "",
};

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let bob: Person;
let cem: Person;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  [bob, cem] = [await newPerson("bob"), await newPerson("cem")];
});

afterAll(() => slipway.close());

const both = (needed_approvers: number) => ({
  ...{ timeout: 5, needed_approvers },
  approve_users: [
    { user_id: bob.uid, user_name: "bob" },
    { type: "user", user_id: cem.uid },
  ],
});
/** Statuses of the stages, and of the jobs behind the approval. */
const statusesOf = ({ status, stages }: ShownTask) => [
  status,
  ...stages.map((stage) => stage.status),
  ...stages.flatMap(({ jobs }) => jobs.filter(({ origin_name }) => origin_name !== "ask").map((job) => job.status)),
];

describe.each([ofStage, ofJob])("an approval $where (contract W 8.6)", ({ workflow, place, approval, status }) => {
  const name = (what: string) => `${what}-${place === "ship" ? "stage" : "job"}`;
  const decide = (taskId: number, workflow_key: string, { token }: { token?: string }, approve: boolean) => {
    const body = { workflow_key, task_id: taskId, stage_name: place, approve, comment: approve ? "fine" : "not yet" };
    return slipway.call<{ code: number; description: string }>("POST", "/openapi/workflows/custom/task/approve", {
      body,
      ...(token !== undefined && { token }),
    });
  };
  const waiting = async (key: string, native: object) => {
    await makeWorkflow("shop", workflow(key, native));
    return again(key);
  };
  const again = async (key: string) => {
    const id = await tasks.started(key, ["behind", "last"]);
    await untilAsked(key, id);
    return id;
  };
  const untilAsked = (key: string, id: number) =>
    tasks.until(key, id, "asking", (task) => status(task) === "wait_for_approval");

  test("holds the jobs behind it while the task stays running, and shows who may decide", async () => {
    const key = name("shown");
    const task = await tasks.read(key, await waiting(key, both(2)));
    expect(statusesOf(task).filter((_, at) => at !== 1)).toEqual(["running", "", "", ""]);
    const undecided = { reject_or_approve: "", comment: "", operation_time: 0 };
    expect(approval(task)).toMatchObject({
      ...{ timeout: 5, needed_approvers: 2, reject_or_approve: "" },
      approve_users: [
        { type: "user", user_id: bob.uid, user_name: "bob", ...undecided },
        { type: "user", user_id: cem.uid, user_name: "cem", ...undecided },
      ],
    });
  });

  test("counts two who approve at the same moment once each", async () => {
    const key = name("together");
    const first = await waiting(key, both(2));
    for (const id of [first, await again(key), await again(key)]) {
      const answers = await Promise.all([
        decide(id, key, bob, true),
        decide(id, key, cem, true),
        decide(id, key, bob, true),
      ]);
      expect(answers[1].json).toEqual({ message: "success" });
      // Bob's second word meets his first one, or an approval that is over.
      expect([answers[0].status, answers[2].status].sort()).toEqual([200, 400]);
      const task = await tasks.end(key, id);
      expect(statusesOf(task)).toEqual(["passed", "passed", "passed", "passed", "passed"]);
      const said = { reject_or_approve: "approve", comment: "fine", operation_time: expect.any(Number) };
      expect(approval(task)).toMatchObject({ reject_or_approve: "approve", approve_users: [said, said] });
      for (const { operation_time } of approval(task).approve_users)
        expect(operation_time).toBeGreaterThanOrEqual(task.create_time);
    }
  });

  test("is decided by its approvers alone, by each once, and by nobody when it is over", async () => {
    const key = name("refusing");
    const id = await waiting(key, both(2));
    const refused = (description: string) => ({ code: 6169, description });
    expect((await decide(id, key, {}, true)).json).toMatchObject(refused("user admin has no authority to Approve"));
    expect((await decide(id, key, bob, true)).status).toBe(200);
    expect((await decide(id, key, bob, false)).json).toMatchObject(refused("bob have approve already"));
    expect((await decide(id, "nowhere", cem, true)).json).toMatchObject({ code: 6169 });
    for (const stage_name of [undefined, ""]) {
      const body = { workflow_key: key, task_id: id, stage_name, approve: true };
      const unnamed = await slipway.call("POST", "/openapi/workflows/custom/task/approve", { body, token: cem.token });
      expect(unnamed.json).toMatchObject({ code: 6169, description: expect.stringContaining("name what is decided") });
    }
    expect(status(await tasks.read(key, id))).toBe("wait_for_approval");
    expect((await decide(id, key, cem, true)).status).toBe(200);
    await tasks.end(key, id);
    const late = await decide(id, key, cem, false);
    expect([late.status, late.json]).toMatchObject([400, refused("not found approval")]);
  });

  test("that one rejects is rejected at once, with its stage and task; a retry starts it over", async () => {
    const key = name("rejected");
    const id = await waiting(key, both(2));
    expect((await decide(id, key, cem, false)).status).toBe(200);
    const task = await tasks.end(key, id);
    expect(statusesOf(task)).toEqual(["reject", "reject", "", "", ""]);
    expect(status(task)).toBe("reject");
    expect(approval(task)).toMatchObject({
      reject_or_approve: "reject",
      approve_users: [{ reject_or_approve: "" }, { reject_or_approve: "reject", comment: "not yet" }],
    });
    expect((await tasks.retry(key, id)).json).toEqual({ message: "success" });
    const anew = await untilAsked(key, id);
    expect(approval(anew)).toMatchObject({
      reject_or_approve: "",
      approve_users: [{ reject_or_approve: "" }, { reject_or_approve: "", comment: "" }],
    });
    for (const person of [bob, cem]) expect((await decide(id, key, person, true)).status).toBe(200);
    expect((await tasks.end(key, id)).status).toBe("passed");
  });

  test("that nobody decides in time ends as timeout, and nothing behind it starts", async () => {
    const key = name("late");
    const id = await startedInHaste(slipway, "shop", workflow(key, both(1)));
    const task = await tasks.end(key, id);
    expect(statusesOf(task)).toEqual(["timeout", "timeout", "", "", ""]);
    expect(status(task)).toBe("timeout");
  });

  test("of a task that is cancelled is cancelled", async () => {
    const key = name("cancelled");
    const id = await waiting(key, both(1));
    expect((await tasks.cancel(key, id)).status).toBe(200);
    const task = await tasks.end(key, id);
    expect(statusesOf(task)).toEqual(["cancelled", "cancelled", "", "", ""]);
    expect(status(task)).toBe("cancelled");
  });

  test.each([
    ["is nobody", { needed_approvers: 1, approve_users: [] }],
    ["is of a type that nobody is of", { needed_approvers: 1, approve_users: [{ type: "email", user_name: "a" }] }],
    ["is not needed", { needed_approvers: 0, approve_users: [{ type: "task_creator" }] }],
    ["is less than are needed", { needed_approvers: 2, approve_users: [{ type: "task_creator" }] }],
  ])("whose approver %s is refused when it starts, and names the place (decisions 19.1)", async (what, native) => {
    const key = name(`never-${what.replaceAll(" ", "-")}`);
    await makeWorkflow("shop", workflow(key, native));
    const { json } = await tasks.start(key, ["behind"]);
    expect(json).toMatchObject({ code: 6160, description: expect.stringMatching(/ship|ask/) });
  });

  test("fails with a sentence when its approvers were deleted while it waits", async () => {
    const gone = await newPerson(`gone-${place}`);
    const native = { needed_approvers: 2, approve_users: [{ user_id: bob.uid }, { user_id: gone.uid }] };
    const key = name("deleted");
    const waits = await waiting(key, native);
    const { status: deleted } = await slipway.call("DELETE", `/openapi/users/${gone.uid}`);
    expect(deleted).toBe(200);
    await indexesShowAll();
    await slipway.runtime.reconcile();
    const ended = await tasks.end(key, waits);
    expect(statusesOf(ended)).toEqual(["failed", "failed", "", "", ""]);
    const sentence = `2 must approve, and 1 can (deleted since: gone-${place}); change the approvers`;
    expect(JSON.stringify(ended)).toContain(sentence);
  });

  test.each([
    ["user", { type: "user", user_id: "nobody" }],
    ["group", { type: "group", group_id: "none" }],
  ])("of a %s that does not exist refuses the start", async (kind, approver) => {
    const key = name(`unknown-${kind}`);
    await makeWorkflow("shop", workflow(key, { needed_approvers: 1, approve_users: [approver] }));
    expect((await tasks.start(key, ["behind"])).json).toMatchObject({ code: 6160 });
  });
});

test("the approval of a stage stands in the task nested, and flat as older clients read it (contract W 4.2)", async () => {
  await makeWorkflow("shop", ofStage.workflow("flat", both(2)));
  const task = await tasks.read("flat", await tasks.started("flat", ["behind", "last"]));
  const [stage, behind] = task.stages.map((one) => one as unknown as ShownStage);
  const { native_approval: native, ...flat } = stage?.approval ?? {};
  expect(flat).toMatchObject({ enabled: true, type: "native", description: "Ship it?", timeout: 5 });
  expect(native).toMatchObject({ timeout: 5, needed_approvers: 2, reject_or_approve: "" });
  expect(flat).toMatchObject({ needed_approvers: 2, reject_or_approve: "", approve_users: native?.approve_users });
  expect(behind?.approval).toBeNull();
});
