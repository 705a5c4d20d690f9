import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Slipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
const native = (needed: number, users: object[] = []) => ({
  type: "native",
  native_approval: { approve_users: users, needed_approvers: needed },
});
const unknownKind = (name: string) => ({
  name,
  type: "freestyle",
  spec: { script: "true", script_type: "powershell" },
});

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
});

afterAll(() => slipway.close());

describe("a task", () => {
  test("runs its stages in order and passes", async () => {
    await makeWorkflow("shop", {
      name: "two-stages",
      stages: [
        { name: "one", jobs: [gate("a"), gate("b")] },
        { name: "two", parallel: true, jobs: [gate("c"), gate("d")] },
      ],
    });
    const id = await tasks.started("two-stages", ["a", "b", "c", "d"]);
    expect(id).toBe(1);
    const task = await tasks.end("two-stages", id);
    expect(task).toMatchObject({
      status: "passed",
      stages: [
        { status: "passed", jobs: [{ name: "job-0-0-0-a", status: "passed" }, { status: "passed" }] },
        { status: "passed", jobs: [{ name: "job-1-0-0-c", status: "passed" }, { status: "passed" }] },
      ],
    });
  });

  test("stops at a job that fails: serial jobs behind it and later stages never start", async () => {
    await makeWorkflow("shop", {
      name: "failing",
      stages: [
        { name: "one", jobs: [unknownKind("bad"), gate("behind")] },
        { name: "two", jobs: [gate("later")] },
      ],
    });
    const task = await tasks.end("failing", await tasks.started("failing", ["bad", "behind", "later"]));
    expect(task).toMatchObject({
      status: "failed",
      stages: [
        {
          status: "failed",
          jobs: [
            { status: "failed", error: "scripts of type powershell cannot be run here; use a shell script" },
            { status: "" },
          ],
        },
        { status: "", jobs: [{ status: "" }] },
      ],
    });
    expect((await tasks.retry("failing", 1)).status).toBe(200);
    await tasks.end("failing", 1);
  });

  test("waits for an approval without giving up its slot, and the next one starts when it ends", async () => {
    const { json } = await slipway.call<{ uid: string }>("GET", "/api/v1/users/personal");
    const uid = json.uid ?? (await adminUid());
    await makeWorkflow("shop", {
      name: "held",
      stages: [{ name: "gate", jobs: [{ name: "hold", type: "approval", spec: native(1, [{ user_id: uid }]) }] }],
    });
    const first = await tasks.started("held", []);
    const second = await tasks.started("held", []);
    await tasks.until("held", first, "waiting for approval", ({ status, stages }) => {
      return status === "running" && stages[0]?.jobs[0]?.status === "wait_for_approval";
    });
    expect((await tasks.read("held", second)).status).toBe("waiting");
    expect((await tasks.approve("held", first, "gate", true)).json).toEqual({ message: "success" });
    expect((await tasks.end("held", first)).status).toBe("passed");
    await tasks.until("held", second, "running", ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval");
    expect((await tasks.approve("held", second, "hold", false)).status).toBe(200);
    expect((await tasks.end("held", second)).status).toBe("reject");
  });

  test("is cancelled while it waits and while it runs", async () => {
    const uid = await adminUid();
    await makeWorkflow("shop", {
      name: "stopped",
      stages: [
        { name: "gate", jobs: [{ name: "hold", type: "approval", spec: native(1, [{ user_id: uid }]) }, gate("b")] },
      ],
    });
    const first = await tasks.started("stopped", ["b"]);
    const second = await tasks.started("stopped", ["b"]);
    expect((await tasks.cancel("stopped", second)).status).toBe(200);
    expect(await tasks.end("stopped", second)).toMatchObject({ status: "cancelled" });
    expect((await tasks.cancel("stopped", first)).status).toBe(200);
    const task = await tasks.end("stopped", first);
    expect(task).toMatchObject({ status: "cancelled" });
  });
});

async function adminUid(): Promise<string> {
  const { json } = await slipway.call<{ users: { uid: string; account: string }[] }>("GET", "/openapi/users");
  return json.users.find(({ account }) => account === "admin")?.uid ?? "";
}
