import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { runDueTransition } from "../../shared/releaseplans/runDueTransition.ts";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { givenRise, plansPath, type Rise } from "../harness/planRollbackSuite.ts";
import { startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

let rise: Rise;
let receiver: HookReceiver;
let jobs: object[];

beforeAll(async () => {
  receiver = await startHookReceiver();
  const settings = { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" };
  const slipway = await startSlipway({ podDelayMilliseconds: 0, settings });
  rise = await givenRise({ slipway, kubeconfig: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8") });
  jobs = [rise.workflowJob(await rise.workflow("web-2", { web: "web:2" }))];
});
afterAll(async () => {
  await rise.close();
  await receiver.close();
});

const ctl = (path: string) => ({
  ...{ enabled: true, webhook_type: "webhook", notify_type: ["cancel"] },
  webhook_notification_config: { address: `${receiver.url}/${path}` },
});
const frozen = (
  start_time: number,
  end_time: number,
  where: object = { environments: [{ project_key: "rise", env_name: "live" }] },
) =>
  rise.ok<{ id: string }>("POST", `${plansPath}/freezes`, {
    ...{ name: "Year end", reason: "the books are open", start_time, end_time, ...where },
  });
const unfrozen = ({ id }: { id: string }) => rise.ok("DELETE", `${plansPath}/freezes/${id}`);
const text = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
const body = (more: object) => ({ name: "evening", manager: "admin", manager_identity_type: "system", jobs, ...more });
const alerts = (path: string) =>
  receiver.received
    .filter((call) => call.path === `/${path}`)
    .map((call) => JSON.parse(call.body).release_plan as { event_name: string; alert?: string });

test("a schedule that a freeze will hold off is told at save and to people, each time once, and that it holds no more", async () => {
  const at = nowSeconds() + 7200;
  const other = { project_name: "other", project_key: "other", project_type: "yaml" };
  await rise.ok("POST", "/openapi/projects/project", other);
  const elsewhere = await frozen(at - 60, at + 7200, { projects: ["other"] });
  const freeze = await frozen(at - 60, at + 3600);
  const { id } = await rise.ok<{ id: string }>("POST", plansPath, body({ jobs: undefined }));
  const scheduled = body({ schedule_execute_time: at, notify_ctls: [ctl("people")] });
  const sentence = `at the scheduled time ${text(at)} web-2 will not start: frozen until ${text(at + 3600)} by "Year end": the books are open`;
  expect(await rise.ok("PATCH", `${plansPath}/${id}`, scheduled)).toEqual({ message: "success", warnings: [sentence] });
  const told = () => waitFor("people to be told", async () => alerts("people").length > 0 && alerts("people"));
  expect(await told()).toMatchObject([{ event_name: "schedule_frozen", alert: sentence }]);
  for (const status of ["finish_planning", "executing"]) await rise.ok("POST", `${plansPath}/${id}/status/${status}`);
  const look = (what: "dayBefore" | "hourBefore") => runDueTransition(id, { what, at: nowSeconds() });
  await look("dayBefore");
  expect((await rise.details(id)).filter((one) => one.endsWith(sentence))).toEqual([`System: evening: ${sentence}`]);

  await unfrozen(freeze);
  await look("hourBefore");
  expect((await rise.details(id)).at(-1)).toBe("System: evening: no freeze holds at the scheduled time any more");
  const again = await frozen(at - 60, at + 60);
  await look("hourBefore");
  await waitFor("people to be told again", async () => alerts("people").length === 2);
  await rise.ok("POST", `${plansPath}/${id}/status/cancel`);
  await waitFor("people to be told of the end", async () => alerts("people").length === 3);
  expect(alerts("people").map(({ event_name }) => event_name)).toEqual([
    ...["schedule_frozen", "schedule_frozen", "cancel"],
  ]);
  await unfrozen(again);
  await unfrozen(elsewhere);
});

test("a schedule that meets a freeze, and one that was missed, are told to people and start nothing", async () => {
  const now = nowSeconds();
  const freeze = await frozen(now - 60, now + 3600);
  const met = await rise.plan(jobs, { schedule_execute_time: now + 2, notify_ctls: [ctl("met")] });
  const failed = await waitFor("people to be told", async () =>
    alerts("met").find(({ alert }) => alert?.includes("could not")),
  );
  expect(failed).toMatchObject({ event_name: "start_failed", alert: expect.stringContaining('by "Year end"') });
  await unfrozen(freeze);
  vi.useFakeTimers({ toFake: ["Date"], now: (now - 70) * 1000 });
  const late = { schedule_execute_time: now - 60, notify_ctls: [ctl("missed")] };
  const missed = await rise.plan(jobs, late).finally(() => vi.useRealTimers());
  await runDueTransition(missed.id, { what: "schedule", at: now - 60 });
  const [alert] = await waitFor("people to be told", async () => alerts("missed").length > 0 && alerts("missed"));
  expect(alert).toMatchObject({
    event_name: "schedule_missed",
    alert: expect.stringMatching(/^the schedule was missed by \d+ seconds and is not run; execute the jobs by hand$/),
  });
  for (const { id } of [met, missed])
    expect(await rise.read(id)).toMatchObject({ status: "executing", jobs: [{ status: "todo" }] });
  expect(await rise.image("web")).toBe("web:1");
});
