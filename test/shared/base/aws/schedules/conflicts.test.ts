import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { switchReconcilerSchedule } from "../../../../../shared/base/aws/schedules/reconcilerSchedule.ts";
import { putSchedule, removeSchedule } from "../../../../../shared/base/aws/schedules/timedEvents.ts";
import { removeConfig } from "../../../../../shared/base/settings/config.ts";

interface Stored {
  State: string;
  [name: string]: unknown;
}

/** EventBridge Scheduler as somebody else changes the same schedule: so many of the next calls are conflicts. */
const scheduler = { conflicts: 0, calls: [] as string[], schedules: new Map<string, Stored>(), meanwhile: () => {} };
let server: Server;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [path = ""] = (request.url ?? "").split("?");
    const method = request.method ?? "";
    scheduler.calls.push(method);
    const answer = (status: number, body: object, type = "") => {
      response.writeHead(status, { "content-type": "application/json", "x-amzn-errortype": type });
      response.end(JSON.stringify(body));
    };
    const stored = scheduler.schedules.get(path);
    if (method === "GET") return stored ? answer(200, stored) : answer(404, {}, "ResourceNotFoundException");
    if (scheduler.conflicts > 0) {
      scheduler.conflicts -= 1;
      scheduler.meanwhile();
      return answer(409, { Message: "changed at the same moment" }, "ConflictException");
    }
    if (method !== "POST" && stored === undefined) return answer(404, {}, "ResourceNotFoundException");
    if (method === "POST" && stored !== undefined) return answer(409, {}, "ConflictException");
    if (method === "DELETE") scheduler.schedules.delete(path);
    else scheduler.schedules.set(path, JSON.parse(Buffer.concat(chunks).toString()));
    answer(200, {});
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  process.env.AWS_ENDPOINT_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any" });
  removeConfig();
});

afterAll(() => void server.close());

const reconciler = "/schedules/slipway-reconciler";
const timed = {
  name: "sleep-1",
  expression: "cron(0 1 * * ? *)",
  timeZone: "UTC",
  event: {},
  target: "arn",
  longestDelaySeconds: 60,
};

beforeEach(() => {
  const off = { State: "DISABLED", ScheduleExpression: "rate(1 minute)", Target: {}, FlexibleTimeWindow: {} };
  Object.assign(scheduler, { conflicts: 0, calls: [], schedules: new Map([[reconciler, off]]), meanwhile: () => {} });
});

describe("a schedule that is changed at the same moment by somebody else", () => {
  test("is switched on when they are done", async () => {
    scheduler.conflicts = 2;
    await switchReconcilerSchedule("ENABLED");
    expect(scheduler.schedules.get(reconciler)?.State).toBe("ENABLED");
    expect(scheduler.calls).toEqual(["GET", "PUT", "GET", "PUT", "GET", "PUT"]);
  });

  test("is left alone when they did what was to be done", async () => {
    scheduler.conflicts = 1;
    scheduler.meanwhile = () => void Object.assign(scheduler.schedules.get(reconciler) ?? {}, { State: "ENABLED" });
    await switchReconcilerSchedule("ENABLED");
    expect(scheduler.calls).toEqual(["GET", "PUT", "GET"]);
  });

  test("that was just made by another call is changed to what this one wants", async () => {
    scheduler.conflicts = 1;
    scheduler.meanwhile = () => void scheduler.schedules.set("/schedules/sleep-1", { State: "ENABLED" });
    await putSchedule(timed);
    expect(scheduler.schedules.get("/schedules/sleep-1")).toMatchObject({ ScheduleExpression: timed.expression });
  });

  test("is taken away in the end, also where somebody else does it first", async () => {
    scheduler.schedules.set("/schedules/sleep-1", { State: "ENABLED" });
    scheduler.conflicts = 1;
    await removeSchedule("sleep-1");
    expect(scheduler.schedules.has("/schedules/sleep-1")).toBe(false);
    scheduler.schedules.set("/schedules/sleep-1", { State: "ENABLED" });
    scheduler.conflicts = 1;
    scheduler.meanwhile = () => void scheduler.schedules.delete("/schedules/sleep-1");
    await removeSchedule("sleep-1");
  });

  test("for seconds on end is said to be so", async () => {
    scheduler.conflicts = 100;
    await expect(switchReconcilerSchedule("ENABLED")).rejects.toMatchObject({ name: "ConflictException" });
    expect(scheduler.conflicts).toBe(94);
  });
});
