import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { canaryShop } from "../harness/canaryShop.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { giveRoles } from "../harness/giveRoles.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;
let shop: Awaited<ReturnType<typeof canaryShop>>;
let browser: ConsoleBrowser;

const runPage = (workflow: string, id: number): string => `v1/projects/detail/shop/pipelines/custom/${workflow}/${id}`;

describe.skipIf(chromium === undefined)("a rollout, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password, podDelayMilliseconds: 0 });
    shop = await canaryShop(slipway, ["light", "dark", "narrow", "aborted", "watched"]);
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)("is held, executed and let go on, and tells what it cost: %s", async (name, look) => {
    const id = await shop.begun(name);
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, runPage(name, id));
    await page.getByRole("region", { name: "shift" }).getByRole("button", { name: "Hold" }).click();
    await page.getByText("Held by").waitFor();
    await page.getByText(/^Cost so far/).click();
    await page.getByRole("rowheader", { name: "transitions" }).waitFor();
    await browser.looksRight(page, `rollout-${name}`);
    await page.getByRole("button", { name: "Execute shift" }).click();
    await page.getByText(/It has not begun\./).waitFor({ timeout: 20_000 });
    await page.getByRole("button", { name: "Let it go on" }).click();
    await page.getByRole("heading", { name: /^#\d+ passed/ }).waitFor({ timeout: 30_000 });
    expect(await page.getByRole("button", { name: /Hold|Abort/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("is aborted by its name", async () => {
    const id = await shop.begun("aborted");
    const { page, faults } = await browser.opened();
    await browser.signIn(page, runPage("aborted", id));
    await page.getByRole("button", { name: /^Abort: deploy/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/is taken back/).waitFor();
    const abort = dialog.getByRole("button", { name: "Abort" });
    expect(await abort.isDisabled()).toBe(true);
    await browser.looksRight(page, "rollout-abort");
    const [, name = ""] = /Type (.*) to confirm/.exec((await dialog.getByText(/^Type /).textContent()) ?? "") ?? [];
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await abort.click();
    await page.getByRole("heading", { name: /^#\d+ cancelled/ }).waitFor({ timeout: 20_000 });
    expect(faults).toEqual([]);
  });

  test("offers nothing to those who may only look", async () => {
    const id = await shop.begun("watched");
    const made = await slipway.call<{ uid: string }>("POST", "/api/v1/users", {
      body: { account: "rita", name: "Rita", password },
    });
    await giveRoles(made.json.uid, [{ namespace: "shop", roles: { reader: ["get_workflow"] } }]);
    const { page, faults } = await browser.opened();
    await browser.signIn(page, runPage("watched", id), "rita");
    await page.getByText("It goes on when somebody says so.").waitFor();
    expect(await page.getByRole("button", { name: /Hold|Abort|Execute|Cancel/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
