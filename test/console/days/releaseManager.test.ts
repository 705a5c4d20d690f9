import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../../infra/builtConsole.ts";
import { chromium } from "../../harness/chromium.ts";
import { type ConsoleBrowser, openBrowser, password } from "../../harness/consoleBrowser.ts";
import { type Slipway, startSlipway } from "../../harness/slipway.ts";

let slipway: Slipway;
let browser: ConsoleBrowser;
let tab: Awaited<ReturnType<ConsoleBrowser["opened"]>>;

describe.skipIf(chromium === undefined)("a release manager's day in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    browser = await openBrowser(slipway);
    tab = await browser.opened();
    await browser.signIn(tab.page, "v1/releasePlan");
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("I make a plan for tonight, and am at it at once", async () => {
    const { page } = tab;
    await page.getByRole("button", { name: "New plan" }).click();
    const form = page.getByRole("dialog", { name: "New plan" });
    await form.getByRole("textbox", { name: "Name" }).fill("tonight");
    await form.getByLabel("Manager", { exact: false }).first().fill("admin");
    await form.getByRole("button", { name: "Send" }).click();
    await page.getByRole("heading", { name: /tonight/ }).waitFor();
    await browser.looksRight(page, "day-plan");
  });

  test("I freeze production for the night, see that it holds, and delete the freeze", async () => {
    const { page, faults } = tab;
    await browser.goTo(page, "Release plans");
    await page.getByRole("link", { name: "Freezes" }).click();
    await page.getByText("There is nothing yet.").waitFor();
    await page.getByRole("link", { name: /^Freeze production/ }).click();
    await page.getByLabel("Name", { exact: false }).first().fill("night");
    await page.getByLabel("Reason").fill("Nobody is here.");
    const more = page.getByText(/more fields/);
    if ((await more.count()) > 0) await more.last().click();
    const now = Math.floor(Date.now() / 1000);
    await page.getByLabel("Start time").fill(String(now - 60));
    await page.getByLabel("End time").fill(String(now + 3600));
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/^Done: Freeze production/).waitFor();
    await page.goto(`${slipway.runtime.url}/console/operations/listFreezes`);
    const row = page.getByRole("row", { name: /night/ });
    await row.waitFor();
    await browser.looksRight(page, "day-freezes");
    await row.getByRole("link", { name: "Delete" }).click();
    const [, id = ""] =
      /^Type (.*) to confirm/.exec((await page.getByText(/^Type .* to confirm/).textContent()) ?? "") ?? [];
    await page.getByLabel(/^Type .* to confirm/).fill(id);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Done: Delete a freeze: it holds no longer").waitFor();
    expect(faults).toEqual([]);
  });
});
