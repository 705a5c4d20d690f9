import { afterAll, beforeAll, expect, test } from "vitest";
import { newPerson } from "../../../harness/people.ts";
import { type RawItem, rawItems } from "../../../harness/rawItems.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const paths = ["/openapi/release_plan/v1/hook/setting", "/api/aslan/release_plan/v1/hook/setting"] as const;
const [path, consolePath] = paths;
const masked = "********";
const none = { enable: false, enable_call_back: false, hook_address: "", hook_secret: "", hook_events: [] };
const sample = {
  ...{ enable: true, enable_call_back: true, hook_address: "https://gate.example.com/check?key=q1" },
  ...{ hook_secret: "S-of-the-hook", hook_events: ["finish_planning"] },
};
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});
afterAll(() => slipway.close());

const read = async (token?: string) =>
  (await slipway.call("GET", path, { ...(token !== undefined && { token }) })).json;
const set = async (body: object, where: string = path) => {
  const { status, text } = await slipway.call("PUT", where, { body });
  expect(status, text).toBe(200);
};

test("the setting is one for both prefixes, empty at first, and its secret is sealed and never shown", async () => {
  for (const one of paths) expect((await slipway.call("GET", one)).json).toEqual(none);
  await set(sample, consolePath);
  expect(await read()).toEqual({ ...sample, hook_secret: masked });
  // As a console sends it that reads and writes the whole object, and as a client that leaves it out.
  await set({ ...sample, hook_secret: masked, hook_events: ["all_job_done", "start_execute", "start_execute"] });
  const { hook_secret: _, ...without } = sample;
  expect(await read()).toEqual({ ...sample, hook_secret: masked, hook_events: ["start_execute", "all_job_done"] });
  await set(without);
  expect(await read()).toEqual({ ...sample, hook_secret: masked });
  const items = rawItems;
  const all: RawItem[] = await items.all();
  expect(JSON.stringify(all)).toContain("gate.example.com");
  expect(JSON.stringify(all)).not.toContain("S-of-the-hook");
  const { text } = await slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=5");
  expect(text).toContain("Release Plan Hook");
  await set({ enable: false, hook_secret: "" });
  expect(await read()).toEqual(none);
});

test("everybody reads it, but a query only who may change it", async () => {
  await set(sample);
  const kim = await newPerson("kim");
  expect(await read(kim.token)).toEqual({
    ...sample,
    hook_address: "https://gate.example.com/check",
    hook_secret: masked,
  });
  const refused = await slipway.call("PUT", path, { body: sample, token: kim.token });
  expect(refused.status).toBe(403);
});

test("a stored secret stays with the server that it was given for", async () => {
  await set(sample);
  const elsewhere = { ...sample, hook_address: "https://evil.example.com/check", hook_secret: masked };
  expect(await problemsOf(elsewhere)).toEqual([
    { in: "body", path: "hook_secret", problem: "must be sent again, because hook_address leads to another server" },
  ]);
  await set({ ...elsewhere, hook_secret: "another" });
  await set({ ...elsewhere, hook_address: "https://evil.example.com/other" });
});

async function problemsOf(body: unknown): Promise<object[]> {
  const { status, json, text } = await slipway.call<{ extra: { problems: object[] } }>("PUT", path, { body });
  expect(status, text).toBe(400);
  return json.extra.problems;
}

test.each([
  [{}, "enable", "is required"],
  [{ ...sample, enable: "yes" }, "enable", "must be true or false"],
  [{ ...sample, hook_address: "" }, "hook_address", "is required when enable is true"],
  [{ ...sample, hook_address: "here" }, "hook_address", "must be a URL such as https://host.example.com"],
  [{ ...sample, hook_address: "ftp://x" }, "hook_address", "must begin with https:// or http://"],
  [
    { ...sample, hook_address: "https://u:p@x.example.com" },
    "hook_address",
    "must not hold credentials; they have fields of their own",
  ],
  [
    { ...sample, hook_events: [] },
    "hook_events",
    "must name at least one of finish_planning, start_execute, all_job_done when enable is true",
  ],
  [
    { ...sample, hook_events: ["end"] },
    "hook_events[0]",
    "must be one of finish_planning, start_execute, all_job_done",
  ],
  [
    { ...sample, hook_events: "finish_planning" },
    "hook_events",
    "must be a list of finish_planning, start_execute, all_job_done",
  ],
  [{ ...sample, hook_secret: "a\nb" }, "hook_secret", "must not contain control characters or line breaks"],
  [{ ...sample, hook_secret: "" }, "hook_secret", "is required when enable is true: receivers know the sender by it"],
])("%j is refused, naming %s", async (body, field, problem) => {
  expect(await problemsOf(body)).toContainEqual({ in: "body", path: field, problem });
});

test("a secret that is not stored cannot be kept", async () => {
  await set({ enable: false, hook_secret: "" });
  const [problem] = await problemsOf({ ...sample, hook_secret: masked });
  expect(problem).toMatchObject({ problem: `${masked} keeps the stored secret, but none is stored; send its value` });
});
