import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, openBrowser, password } from "../harness/consoleBrowser.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeGates, tasksOf } from "../harness/tasks.ts";

const plansPage = "v1/releasePlan";
const runsPage = "v1/projects/detail/shop/pipelines/custom/ship";
/** Lists that the stream tells of are asked for once a minute while it does. */
const soon = { timeout: 8000 };

let slipway: Slipway;
let browser: ConsoleBrowser;

const isStream = (url: string): boolean => url.includes("/openapi/events/stream");
const isPlans = (url: string): boolean => /\/release_plan\/v1\?/.test(url);

/** How often a tab asked for what `wanted` names. */
function countRequests(page: Page, wanted: (url: string) => boolean): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (wanted(request.url())) count += 1;
  });
  return () => count;
}

async function makePlan(name: string): Promise<void> {
  const body = { name, manager: "admin", manager_identity_type: "system" };
  const { status, text } = await slipway.call("POST", "/openapi/release_plan/v1", { body });
  expect(status, text).toBe(200);
}

/** A tab in which the stream has told something, so that it is known to be followed. */
async function followed(page: Page, path: string, first: string): Promise<void> {
  const answered = page.waitForResponse((response) => isStream(response.url()));
  await browser.signIn(page, path);
  expect((await answered).status()).toBe(200);
  await makePlan(first);
  await page.getByText(first).waitFor(soon);
}

describe.skipIf(chromium === undefined)("pages that are open", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    const body = { project_name: "Shop", project_key: "shop", project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    await makeGates("shop", "ship", [1]);
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("show what changed by the stream, and ask once a minute while it is there", async () => {
    const { page, faults } = await browser.opened();
    const asked = countRequests(page, isPlans);
    await followed(page, plansPage, "first of many");
    const before = asked();
    await page.waitForTimeout(11_000);
    expect(asked() - before, "asked while nothing changed").toBeLessThanOrEqual(1);
    await makePlan("told by the stream");
    await page.getByText("told by the stream").waitFor(soon);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  test("share one stream in a browser, and another tab takes it over", async () => {
    const { page } = await browser.opened();
    const streams = countRequests(page, isStream);
    await followed(page, plansPage, "seen in one tab");
    const other = await page.context().newPage();
    const otherStreams = countRequests(other, isStream);
    await other.goto(`${slipway.runtime.url}/console/${runsPage}`);
    await other.getByRole("heading", { name: "ship" }).waitFor();
    await makePlan("seen in both tabs");
    await page.getByText("seen in both tabs").waitFor(soon);
    expect([streams(), otherStreams()]).toEqual([1, 0]);
    const taken = other.waitForResponse((response) => isStream(response.url()));
    await page.close();
    expect((await taken).status()).toBe(200);
    const taskId = await tasksOf(slipway, "shop").started("ship", ["gate-0-0"]);
    await other
      .getByRole("link", { name: String(taskId) })
      .first()
      .waitFor(soon);
    await other.context().close();
  }, 60_000);

  test("leave the stream while nobody sees them, and go on behind what it told last", async () => {
    const { page } = await browser.opened();
    await followed(page, plansPage, "seen before");
    const see = (state: "hidden" | "visible") =>
      page.evaluate(
        `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
         document.dispatchEvent(new Event("visibilitychange"));`,
      );
    const left = page.waitForEvent("requestfailed", (request) => isStream(request.url()));
    await see("hidden");
    await left;
    await makePlan("made meanwhile");
    const again = page.waitForRequest((request) => isStream(request.url()));
    await see("visible");
    expect(await (await again).headerValue("last-event-id")).toMatch(/^\d{13}\.[0-9a-f]{8}$/);
    await page.getByText("made meanwhile").waitFor(soon);
    await page.context().close();
  }, 60_000);

  test("ask every five seconds where there is no stream", async () => {
    const { page, faults } = await browser.opened();
    await page.route(
      (url) => isStream(url.href),
      (route) => route.fulfill({ status: 429, headers: { "retry-after": "5" }, body: "" }),
    );
    await browser.signIn(page, plansPage);
    await page.getByText("first of many").waitFor();
    await makePlan("found by asking");
    await page.getByText("found by asking").waitFor(soon);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);
});
