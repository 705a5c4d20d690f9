import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenPlans, planBody, type ReleasePlans, workflowJob } from "../../../harness/releasePlans.ts";
import { type Person, storedPerson } from "../../../security/storedPerson.ts";

const path = "/openapi/release_plan/v1";
let plans: ReleasePlans;
let administrator: Person;

beforeAll(async () => {
  plans = await givenPlans();
  administrator = await storedPerson("Of All", { namespace: "*", roles: { admin: [] } });
});
afterAll(() => plans.slipway.close());

async function tokenWith(body: object): Promise<string> {
  const tokens = `/openapi/users/${administrator.uid}/tokens`;
  const answer = await plans.slipway.call<{ token: string }>("POST", tokens, { token: administrator.token, body });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.token;
}

const call = (method: string, at: string, token: string, body?: object) =>
  plans.slipway.call<{ id: string; description: string }>(method, path + at, { token, ...(body && { body }) });

/** Executes the plan's one job. */
async function execute(id: string, token: string) {
  const [job] = (await plans.read(id)).jobs;
  return call("POST", `/${id}/execute`, token, { id: job?.id, name: job?.name, type: job?.type, spec: {} });
}

test("a token of one project neither makes, changes nor executes a plan, which may run workflows of any", async () => {
  const token = await tokenWith({ name: "of another", projects: ["elsewhere"] });
  const body = planBody({ jobs: [workflowJob("ship")] });
  expect((await call("POST", "", token, body)).status).toBe(403);
  const id = await plans.make();
  expect((await call("PATCH", `/${id}`, token, body)).status).toBe(403);
  await plans.replace(id, { jobs: [workflowJob("ship")] });
  await plans.move(id, "finish_planning", "executing");
  expect((await execute(id, token)).status).toBe(403);
  expect((await plans.read(id)).jobs).toMatchObject([{ status: "todo" }]);
});

test("a job that a token saved is not executed after the token's end, until it is saved again", async () => {
  const ends = Math.floor(Date.now() / 1000) + 4;
  const token = await tokenWith({ name: "short", expires_at: ends });
  const id = await plans.make();
  const save = async (by: string) => {
    const saved = await call("PATCH", `/${id}`, by, planBody({ jobs: [workflowJob("ship")] }));
    expect(saved.status, saved.text).toBe(200);
  };
  await save(token);
  await plans.move(id, "finish_planning", "executing");
  await sleep(Math.max(0, ends * 1000 - Date.now()) + 100);
  const late = await execute(id, administrator.token);
  expect([late.status, late.json.description]).toEqual([
    403,
    "job ship was saved with an API token that has ended; save it again",
  ]);
  await plans.move(id, "planning");
  await save(administrator.token);
  await plans.move(id, "finish_planning", "executing");
  expect((await execute(id, administrator.token)).status).toBe(200);
});
