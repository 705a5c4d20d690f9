import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { figures } from "../../shared/base/metrics/figures.ts";
import { createBoutique, environmentBody, untilStatus } from "../harness/boutique.ts";
import { endOf, releases, startForVersions, type VersionSetting, versionBody } from "../harness/deliveryVersions.ts";
import { type HookReceiver, startHookReceiver } from "../harness/hookReceiver.ts";
import { readMetrics, seriesIn } from "../harness/metricsPage.ts";
import { startSlipway } from "../harness/slipway.ts";
import { gate, makeWorkflow, tasksOf } from "../harness/tasks.ts";
import { pusher } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";

let setting: VersionSetting;
let receiver: HookReceiver;

beforeAll(async () => {
  [setting, receiver] = [await startForVersions(), await startHookReceiver()];
}, 60_000);

afterAll(async () => {
  await setting.close();
  await receiver.close();
});

/** The page, once a series stands at a value: some measurements follow what was answered. */
async function until(series: string, value: number): Promise<string> {
  let page = "";
  await waitFor(`${series} to be ${value}`, async () => {
    page = await readMetrics(setting.slipway);
    return seriesIn(page, series) === value;
  });
  return page;
}

const held = {
  ...gate("held"),
  spec: { type: "native", native_approval: { needed_approvers: 1, approve_users: [{ type: "task_creator" }] } },
};

test("jobs tell how long they were ready and how long they took, each once", async () => {
  const tasks = tasksOf(setting.slipway, "shop");
  const stages = [
    { name: "one", parallel: false, jobs: [gate("first"), gate("second")] },
    { name: "two", jobs: [held] },
  ];
  await makeWorkflow("shop", { name: "measured", stages } as never);
  const task = await tasks.started("measured", ["first", "second", "held"]);
  await tasks.until("measured", task, "at the held job", ({ stages }) => stages[1]?.jobs[0]?.start_time !== undefined);
  const meanwhile = await until('slipway_job_wait_seconds_count{type="approval"}', 3);
  expect(seriesIn(meanwhile, 'slipway_job_wait_seconds_sum{type="approval"}')).toBeLessThan(10);
  const duration = "slipway_job_duration_seconds";
  expect(seriesIn(meanwhile, `${duration}_count{type="approval",status="passed"}`)).toBe(2);
  await tasks.cancel("measured", task);
  await tasks.end("measured", task);
  await until(`${duration}_count{type="approval",status="cancelled"}`, 1);
  const page = await until(`${duration}_count{type="approval",status="passed"}`, 2);
  expect(seriesIn(page, 'slipway_job_wait_seconds_count{type="approval"}')).toBe(3);
});

test("notifications and hooks count as sent or failed", async () => {
  const hook = (event: string, path: string) => ({
    ...{ enabled: true, webhook_type: "webhook", notify_type: [event] },
    webhook_notification_config: { address: path },
  });
  const jobs = [{ ...gate("told"), notify_ctls: [hook("passed", `${receiver.url}/told`)] }];
  const notify_ctls = [hook("passed", "http://10.1.2.3/nobody")];
  await makeWorkflow("shop", { name: "telling", stages: [{ name: "one", jobs }], notify_ctls } as never);
  await tasksOf(setting.slipway, "shop").started("telling", ["told"]);
  await until('slipway_deliveries_total{type="webhook",outcome="sent"}', 1);
  await until('slipway_deliveries_total{type="webhook",outcome="failed"}', 1);
});

test("copies of images tell how they ended and what they sent", async () => {
  const { calls, source, targetId, slipway, image } = setting;
  await calls.ok("PUT", "/openapi/projects/project/deliveryHook?projectKey=shop", {
    ...{ enable: true, hook_host: receiver.url, path: "/version" },
  });
  await pusher(source.address).image("dev/cart", "1");
  await calls.ok("POST", `${releases}/k8s`, versionBody("good", targetId, [image("cart")]));
  expect((await endOf(slipway, "good")).status).toBe("success");
  await pusher(source.address).image("dev/cart", "2");
  setting.target.trouble = ({ method }, response) => {
    if (method !== "PUT") return false;
    response.writeHead(403).end();
    return true;
  };
  await calls.ok("POST", `${releases}/k8s`, versionBody("bad", targetId, [image("cart", "2")]));
  expect((await endOf(slipway, "bad")).status).toBe("failed");
  await until('slipway_image_copies_total{outcome="failed"}', 1);
  const page = await until('slipway_deliveries_total{type="version-hook",outcome="sent"}', 1);
  expect(seriesIn(page, 'slipway_image_copies_total{outcome="passed"}')).toBe(1);
  expect(seriesIn(page, "slipway_image_copies_running")).toBe(0);
  expect(seriesIn(page, "slipway_image_copied_bytes_total")).toBeGreaterThan(0);
});

test("every figure has a name that Prometheus finds right, and is on the page", async (context) => {
  const page = await readMetrics(setting.slipway);
  for (const { name, kind } of Object.values(figures)) expect(page).toContain(`# TYPE ${name} ${kind}\n`);
  const own = page
    .split("\n")
    .filter((line) => /^(# (HELP|TYPE) )?slipway_/.test(line))
    .join("\n");
  const { error, status, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input: `${own}\n`,
    encoding: "utf8",
  });
  if (error !== undefined) context.skip("promtool of Prometheus is not installed");
  expect([status, stderr]).toEqual([0, ""]);
  // The names of Node's own figures are not ours.
  expect(spawnSync("promtool", ["check", "metrics"], { input: page, encoding: "utf8" }).stderr).not.toContain(
    "error while",
  );
});

test("a watched cluster tells its lag while it is watched, and no longer", async () => {
  // One at a time: the settings of the other one are gone now.
  const slipway = await startSlipway({ podDelayMilliseconds: 5000 });
  try {
    await createBoutique(slipway, "shop");
    const body = environmentBody("dev", "shop-dev");
    await slipway.call("POST", "/openapi/environments?projectKey=shop", { body });
    const lag = /^slipway_watcher_lag_seconds\{cluster="[0-9a-f]{24}"\} ([0-9.e-]+)$/m;
    const [, seconds] = await waitFor("a lag", async () => lag.exec(await readMetrics(slipway)) ?? undefined);
    expect(Number(seconds)).toBeGreaterThanOrEqual(0);
    expect(Number(seconds)).toBeLessThan(6);
    await untilStatus(slipway, "shop", "dev", "running");
    await waitFor("no lag", async () => !lag.test(await readMetrics(slipway)), 20);
  } finally {
    await slipway.close();
  }
}, 90_000);
