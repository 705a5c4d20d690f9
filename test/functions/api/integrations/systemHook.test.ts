import { afterAll, beforeAll, expect, test } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const path = "/api/aslan/system/webhook/workflow";
const sample = { enabled: true, address: "https://hooks.example.com/a?key=1", events: ["start_execute"] };
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const read = async () => (await slipway.call("GET", path)).json;
const set = (body: object) => slipway.call("POST", path, { body });

test("the system-wide hook is disabled at first, keeps its secret until an empty one takes it away, and never shows it", async () => {
  expect(await read()).toEqual({ enabled: false, address: "", has_secret: false, events: [] });
  expect((await set({ ...sample, secret: "S-1" })).json).toEqual({ message: "success" });
  expect(await read()).toEqual({ ...sample, has_secret: true });
  await set({ ...sample, events: ["complete_execute", "start_execute", "start_execute"] });
  expect(await read()).toEqual({ ...sample, has_secret: true, events: ["start_execute", "complete_execute"] });
  await set({ enabled: false, secret: "" });
  expect(await read()).toEqual({ enabled: false, address: "", has_secret: false, events: [] });
});

test.each([
  [{}, "enabled", "is required"],
  [{ enabled: true, events: ["start_execute"] }, "address", "is required when enabled"],
  [{ ...sample, events: [] }, "events", "must name start_execute, complete_execute or both when enabled"],
  [{ ...sample, events: ["end"] }, "events[0]", "must be one of start_execute, complete_execute"],
  [{ ...sample, address: "here" }, "address", "must be a URL such as https://host.example.com"],
  [{ ...sample, address: "ftp://x" }, "address", "must begin with https:// or http://"],
  [
    { ...sample, address: "https://u:p@x.example.com" },
    "address",
    "must not hold credentials; they have fields of their own",
  ],
  [{ ...sample, secret: "a\nb" }, "secret", "must not contain control characters or line breaks"],
])("%j is refused, naming %s", async (body, field, problem) => {
  const { status, json } = await slipway.call<{ extra: { problems: object[] } }>("POST", path, { body });
  expect(status).toBe(400);
  expect(json.extra.problems).toContainEqual({ in: "body", path: field, problem });
});
