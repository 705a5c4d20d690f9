import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPerson, type Person } from "../../../harness/people.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { startShop, type tasksOf } from "../../../harness/tasks.ts";

interface Case {
  spec: object;
  expect: "refused" | "waits";
}

const read = (): { cases: Case[] } =>
  JSON.parse(readFileSync(new URL("../../../fixtures/cases/approvals.json", import.meta.url), "utf8"));

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let person: Person;
let groupId: string;

beforeAll(async () => {
  ({ slipway, tasks } = await startShop());
  person = await newPerson("ann");
  const body = { name: "crew", uids: [person.uid] };
  const made = await slipway.call<{ group_id: string }>("POST", "/api/v1/user-group", { body });
  expect(made.status, made.text).toBe(200);
  groupId = made.json.group_id;
});

afterAll(() => slipway.close());

const behind = { name: "behind", type: "freestyle", spec: { script: "true" } };
const saved = (name: string, stage: object) =>
  slipway.call<{ code: number; description: string }>("POST", "/openapi/workflows/custom", {
    body: { name, project: "shop", stages: [{ name: "ship", ...stage }] },
  });
const filled = (spec: object): object =>
  JSON.parse(JSON.stringify(spec).replaceAll("$user_id", person.uid).replaceAll("$user_name", "ann"));
const ask = (spec: object) => ({ jobs: [{ name: "ask", type: "approval", spec }] });

describe("an approval job of the cases", () => {
  test.each(read().cases.map((one, at) => [at, one] as const))("%i", async (at, one) => {
    const name = `case-${at}`;
    const { status, json, text } = await saved(name, ask(filled(one.spec)));
    if (one.expect === "refused") {
      expect(json, text).toMatchObject({ code: 6545, description: expect.stringContaining("job ask: ") });
      return;
    }
    expect(status, text).toBe(200);
    const id = await tasks.started(name, ["ask"]);
    await tasks.until(name, id, "asking", ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval");
  });
});

const native = (needed_approvers: number, approve_users: object[]) => ({
  ...{ enabled: true, type: "native" },
  native_approval: { needed_approvers, approve_users },
});
const user = () => ({ type: "user", user_id: person.uid });
const group = () => ({ type: "group", group_id: groupId });

describe("an approval of a stage that can never pass is refused when it is saved", () => {
  test.each([
    ["without approvers", () => ({ enabled: true }), "approve_users"],
    ["that needs nobody", () => native(0, [user()]), "must be at least 1"],
    ["of a group that does not exist", () => native(1, [{ type: "group", group_id: "none" }]), "does not exist"],
    ["that needs two of one person who is named twice", () => native(2, [user(), group()]), "must be at most 1"],
    ["whose approvers have an unknown type", () => native(1, [{ type: "email", user_name: "a@b.c" }]), "approve_users"],
  ])("%s", async (what, approval, sentence) => {
    const { json } = await saved(what.replaceAll(/[^a-z]/g, "-"), { approval: approval(), jobs: [behind] });
    expect(json.code).toBe(6545);
    expect(json.description).toContain("stage ship: ");
    expect(json.description).toContain(sentence);
  });

  test("one that is not enabled is kept as it is", async () => {
    expect((await saved("off", { approval: { enabled: false }, jobs: [] })).status).toBe(200);
  });
});

test("members of a group, of the group of all, and the starter count", async () => {
  for (const [at, approval] of [
    native(1, [group()]),
    native(2, [group(), { type: "task_creator" }]),
    native(2, [{ type: "group", group_id: "00000000-0000-4000-8000-000000000001" }]),
  ].entries()) {
    const { status, text } = await saved(`counted-${at}`, { approval, jobs: [] });
    expect(status, text).toBe(200);
  }
});

test("approvers that are shared must be those of an approval", async () => {
  const shared = { name: "again", type: "approval", spec: { source: "fromjob", job_name: "first" } };
  const first = { name: "first", type: "freestyle", spec: {} };
  const { json } = await saved("shared", { jobs: [shared] });
  expect(json.code).toBe(6545);
  const other = await saved("other", { jobs: [first, shared] });
  expect(other.json.description).toContain("job again: name the approval job");
});
