import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, openBrowser, password } from "../harness/consoleBrowser.ts";
import { noteSockets } from "../harness/consoleSockets.ts";
import type { Person } from "../harness/people.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { tasksOf } from "../harness/tasks.ts";
import { makeTwoApprovers } from "../harness/twoApprovers.ts";
import { waitFor } from "../harness/waitFor.ts";

const isRun = (url: string): boolean => /\/workflows\/custom\/task\?/.test(url);

let slipway: Slipway;
let browser: ConsoleBrowser;
let ann: Person;
let bob: Person;

describe.skipIf(chromium === undefined)("the page of a run that is open", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    const body = { project_name: "Shop", project_key: "shop", project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    [ann, bob] = await makeTwoApprovers("ship");
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("shows what its jobs do by the socket, asks every half a minute besides, and follows none after the end", async () => {
    const tasks = tasksOf(slipway, "shop");
    const taskId = await tasks.started("ship", ["ask", "after"]);
    await tasks.until("ship", taskId, "asking", ({ stages }) => stages[0]?.jobs[0]?.status === "wait_for_approval");
    const { page, faults } = await browser.opened();
    const asked: number[] = [];
    const { follows } = noteSockets(page);
    page.on("request", (request) => {
      if (isRun(request.url())) asked.push(performance.now());
    });
    await browser.signIn(page, `v1/projects/detail/shop/pipelines/custom/ship/${taskId}`);
    await waitFor("its jobs to be followed", async () => follows.some(({ task }) => task === `ship/${taskId}`));
    await page.waitForTimeout(4000);
    const quiet = performance.now();
    await page.waitForTimeout(12_000);
    expect(asked.filter((at) => at >= quiet).length, "asked while nothing changed").toBeLessThanOrEqual(1);
    const before = asked.length;
    const answered = page.waitForResponse((response) => isRun(response.url()), { timeout: 6000 });
    expect((await tasks.approve("ship", taskId, "ask", true, ann.token)).status).toBe(200);
    expect(await (await answered).text()).toContain('"approve"');
    await page.waitForTimeout(3000);
    expect(asked.length - before, "asked for one change").toBeLessThanOrEqual(2);
    expect((await tasks.approve("ship", taskId, "ask", true, bob.token)).status).toBe(200);
    await page.locator("h1").getByText("passed").waitFor({ timeout: 15_000 });
    await page.waitForTimeout(1500);
    expect(follows.at(-1)?.task).toBeUndefined();
    expect(faults).toEqual([]);
    await page.context().close();
  }, 90_000);
});
