import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { newPerson } from "../harness/people.ts";
import { codeOf, enrol } from "../harness/secondFactor.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

/** Of `newPerson`. */
const ofPerson = "Passw0rd-1";
const settings = "/api/aslan/system/security";
const admin = [{ namespace: "*", roles: { admin: [] } }];
let slipway: Slipway;
let browser: ConsoleBrowser;

describe.skipIf(chromium === undefined)("how people sign in, for administrators in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    browser = await openBrowser(slipway);
  }, 120_000);
  beforeEach(async () => {
    const body = { token_expiration_time: 24, mfa_required_for: "nobody", improvement_plan: true };
    expect((await slipway.call("POST", settings, { body })).status).toBe(200);
  });
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)("is set: how long a sign-in lives, and who needs a second factor: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, "administration");
    await page.getByRole("link", { name: "Signing in" }).click();
    const hours = page.getByLabel("Hours until a sign-in ends");
    const save = page.getByRole("button", { name: "Save" });
    await page.getByRole("radio", { name: "Nobody: each decides for themselves" }).waitFor();
    expect(await page.getByRole("radio", { name: /^Nobody/ }).isChecked()).toBe(true);
    expect(await hours.inputValue()).toBe("24");
    await page.getByRole("radio", { name: "Administrators of the installation" }).check();
    // The browser itself says what is out of range, and nothing is sent.
    await hours.fill("8641");
    await save.click();
    expect(await page.evaluate("document.querySelector('input[type=number]').validity.rangeOverflow")).toBe(true);
    await hours.fill("12");
    await save.click();
    await page.getByText("Saved.").waitFor();
    await browser.looksRight(page, `security-${name}`);
    expect((await slipway.call("GET", settings)).json).toEqual({
      ...{ token_expiration_time: 12, mfa_enabled: true, mfa_required_for: "administrators" },
      improvement_plan: true,
    });
    await page.reload();
    await hours.waitFor();
    expect(await hours.inputValue()).toBe("12");
    expect(await page.getByRole("radio", { name: /^Administrators/ }).isChecked()).toBe(true);
    await page.getByRole("radio", { name: "Everybody" }).check();
    await save.click();
    await page.getByText("Saved.").waitFor();
    expect((await slipway.call("GET", settings)).json).toMatchObject({ mfa_required_for: "everybody" });
    await page.getByRole("button", { name: "中文" }).click();
    await page.getByRole("heading", { name: "登录设置" }).waitFor();
    await browser.looksRight(page, `security-chinese-${name}`);
    expect(faults).toEqual([]);
  });

  test("keeps what was typed when saving fails, and says why", async () => {
    const { page } = await browser.opened();
    await browser.signIn(page, "administration/security");
    await page.getByLabel("Hours until a sign-in ends").fill("7");
    await page.route(`**${settings}`, async (route) => {
      const body = { code: 400, message: "it is refused", description: "", type: "error" };
      if (route.request().method() === "POST") await route.fulfill({ status: 400, json: body });
      else await route.continue();
    });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("it is refused").waitFor();
    expect(await page.getByLabel("Hours until a sign-in ends").inputValue()).toBe("7");
  });

  test("is shown to administrators alone", async () => {
    await newPerson("no-admin");
    const { page } = await browser.opened();
    await browser.signIn(page, "administration/security", "no-admin", ofPerson);
    await page.getByText("Only administrators see something here.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
  });

  test.each(looks)("loses its second factor for who lost theirs, by its name: %s", async (name, look) => {
    const [account, chief] = [`lost-${name}`, `chief-${name}`];
    const [person, other] = [await newPerson(account), await newPerson(chief, admin)];
    await enrol(slipway, person);
    const { secret } = await enrol(slipway, other);
    const { page, faults } = await browser.opened(look);
    await page.goto(`${slipway.runtime.url}/console/administration?user=${name}`);
    await page.getByLabel("Account").fill(chief);
    await page.getByLabel("Password").fill(ofPerson);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Code of your authenticator app").fill(codeOf(secret));
    await page.keyboard.press("Enter");
    const rows = page.getByRole("list", { name: "Users" }).getByRole("listitem");
    const row = rows.filter({ hasText: account });
    await row.getByText("second factor on").waitFor();
    // One's own is switched off on the page of the account.
    const own = rows.filter({ hasText: chief });
    await own.getByText("second factor on").waitFor();
    expect(await own.getByRole("button").count()).toBe(0);
    await browser.looksRight(page, `users-${name}`);
    await row.getByRole("button", { name: `Reset the second factor: ${account}` }).click();
    const dialog = page.getByRole("dialog");
    const reset = dialog.getByRole("button", { name: "Reset" });
    await dialog.getByText(`The app and the recovery codes of ${account} stop working.`).waitFor();
    await browser.looksRight(page, `users-reset-${name}`);
    expect(await reset.isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${account} to confirm`).fill(account);
    await reset.click();
    await dialog.waitFor({ state: "detached" });
    await row.getByText("no second factor").waitFor();
    expect(await row.getByRole("button").count()).toBe(0);
    const factor = await slipway.call<{ enabled: boolean }>("GET", `/openapi/users/${person.uid}/mfa`);
    expect(factor.json.enabled).toBe(false);
    await page.getByRole("button", { name: "中文" }).click();
    await page
      .getByRole("list", { name: "用户" })
      .getByText(/无双重验证/)
      .waitFor();
    await browser.looksRight(page, `users-chinese-${name}`);
    expect(faults).toEqual([]);
  });
});
