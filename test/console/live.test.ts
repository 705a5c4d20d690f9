import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { closeSocket } from "../../shared/base/aws/sockets/sockets.ts";
import { changeSocketKeys } from "../../shared/base/store/keys/changeSocketKeys.ts";
import { table } from "../../shared/base/store/table.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, openBrowser, password } from "../harness/consoleBrowser.ts";
import { isTicket, noteSockets } from "../harness/consoleSockets.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeGates, tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

const plansPage = "v1/releasePlan";
const runsPage = "v1/projects/detail/shop/pipelines/custom/ship";
/** Lists that the socket tells of are asked for every half a minute while it does. */
const soon = { timeout: 8000 };

let slipway: Slipway;
let browser: ConsoleBrowser;

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

/** A tab in which the socket has told something, so that it is known to be followed. */
async function followed(page: Page, path: string, first: string): Promise<void> {
  const opened = page.waitForEvent("websocket");
  await browser.signIn(page, path);
  await (await opened).waitForEvent("framereceived");
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

  test("show what changed by the socket, and ask every half a minute while it is there", async () => {
    const { page, faults } = await browser.opened();
    const asked = countRequests(page, isPlans);
    await followed(page, plansPage, "first of many");
    const before = asked();
    await page.waitForTimeout(11_000);
    expect(asked() - before, "asked while nothing changed").toBeLessThanOrEqual(1);
    await makePlan("told by the socket");
    await page.getByText("told by the socket").waitFor(soon);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  test("share one socket in a browser, by which a change in one tab arrives in the other, and which that one takes over", async () => {
    const { page } = await browser.opened();
    const sockets = noteSockets(page);
    await followed(page, plansPage, "seen in one tab");
    const other = await page.context().newPage();
    const otherSockets = noteSockets(other);
    await other.goto(`${slipway.runtime.url}/console/${plansPage}`);
    await other.getByText("seen in one tab").waitFor();
    const asked = [countRequests(page, isPlans), countRequests(other, isPlans)] as const;
    await makePlan("seen in both tabs");
    for (const tab of [page, other]) await tab.getByText("seen in both tabs").waitFor(soon);
    await page.waitForTimeout(11_000);
    expect([sockets.opened(), otherSockets.opened()]).toEqual([1, 0]);
    for (const count of asked) expect(count(), "asked because it was told").toBeLessThanOrEqual(2);
    await other.goto(`${slipway.runtime.url}/console/${runsPage}`);
    await other.getByRole("heading", { name: "ship" }).waitFor();
    const taken = other.waitForEvent("websocket");
    await page.close();
    await (await taken).waitForEvent("framereceived");
    const taskId = await tasksOf(slipway, "shop").started("ship", ["gate-0-0"]);
    await other
      .getByRole("link", { name: String(taskId) })
      .first()
      .waitFor(soon);
    await other.context().close();
  }, 60_000);

  test("leave the socket while nobody sees them, and go on behind what it told last", async () => {
    const { page } = await browser.opened();
    const opened = page.waitForEvent("websocket");
    await followed(page, plansPage, "seen before");
    const socket = await opened;
    const see = (state: "hidden" | "visible") =>
      page.evaluate(
        `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
         document.dispatchEvent(new Event("visibilitychange"));`,
      );
    await see("hidden");
    await waitFor("the socket to be left", async () => socket.isClosed());
    await makePlan("made meanwhile");
    const { follows } = noteSockets(page);
    await see("visible");
    await page.getByText("made meanwhile").waitFor(soon);
    expect(follows[0]?.after).toMatch(/^\d{13}\.[0-9a-f]{8}$/);
    await page.context().close();
  }, 60_000);

  test("open the socket again where it broke", async () => {
    const { page, faults } = await browser.opened();
    await followed(page, plansPage, "before it broke");
    const again = page.waitForEvent("websocket", { timeout: 15_000 });
    for (const { sk } of await table().query({ pk: changeSocketKeys.connection("").pk })) await closeSocket(sk);
    await (await again).waitForEvent("framereceived");
    await makePlan("after it broke");
    await page.getByText("after it broke").waitFor(soon);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 60_000);

  test("ask every five seconds where there is no socket", async () => {
    const { page, faults } = await browser.opened();
    await page.route(
      (url) => isTicket(url.href),
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
