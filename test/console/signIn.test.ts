import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { browserOf } from "../../console/src/browserOf.ts";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { endElsewhere, meetsTheEnd } from "../harness/endedSession.ts";
import { newPerson } from "../harness/people.ts";
import { codeOf, enrol, forgetCodes } from "../harness/secondFactor.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

/** Of `newPerson`. */
const ofPerson = "Passw0rd-1";
let slipway: Slipway;
let browser: ConsoleBrowser;
let opened: Page[] = [];

async function open(look = {}): Promise<{ page: Page; faults: string[] }> {
  const tab = await browser.opened(look);
  opened.push(tab.page);
  return tab;
}

async function fillIn(page: Page, account: string, secret = ofPerson): Promise<void> {
  await page.getByLabel("Account").fill(account);
  await page.getByLabel("Password").fill(secret);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const admin = [{ namespace: "*", roles: { admin: [] } }];
const shownText = async (one: Locator): Promise<string> => (await one.textContent()) ?? "";
const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

describe("browserOf", () => {
  test.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"],
    ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.0 Safari/605.1", "Safari, macOS"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 CriOS/140.0 Safari/604.1",
      "Chrome, iOS",
    ],
    ["Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome, Android"],
    ["curl/8.14.1", "curl"],
    ["", ""],
  ])("tells %s as people do", (agent, said) => {
    expect(browserOf(agent)).toBe(said);
  });
});

describe.skipIf(chromium === undefined)("signing in to the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterEach(async () => {
    await Promise.all(opened.map((page) => page.context().close()));
    opened = [];
  });
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("is shared by the tabs of a browser, and so is signing out", async () => {
    await newPerson("tabs");
    const { page, faults } = await open();
    const waiting = await page.context().newPage();
    await waiting.goto(`${slipway.runtime.url}/console/account`);
    await waiting.getByLabel("Account").waitFor();
    await browser.signIn(page, "", "tabs", ofPerson);
    // The one that waited goes on to its page, and a new one asks for nothing.
    await heading(waiting, "tabs");
    const other = await page.context().newPage();
    await other.goto(`${slipway.runtime.url}/console/account`);
    await heading(other, "tabs");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    for (const tab of [page, waiting, other]) await tab.getByLabel("Account").waitFor();
    expect(other.url()).toContain("from=%2Faccount");
    await browser.signIn(page, "", "tabs", ofPerson);
    await heading(other, "tabs");
    expect(faults).toEqual([]);
  });

  test.each(looks)(
    "goes on in place when it has ended elsewhere, with what was typed: %s",
    async (name, look) => {
      const typed = `typed before ${name}`;
      const person = await newPerson(`ended-${name}`, admin);
      const { page, faults } = await open(look);
      await browser.signIn(page, "administration/groups", `ended-${name}`, ofPerson);
      await page.getByLabel("Name of a new group").fill(typed);
      const other = await page.context().newPage();
      await other.goto(`${slipway.runtime.url}/console/account`);
      await heading(other, "API tokens");
      await other.getByLabel("Projects, separated").fill("typed there");
      await endElsewhere(slipway, person);
      await meetsTheEnd(page, page.getByRole("button", { name: "Create", exact: true }));
      await heading(other, "Your sign-in has ended");
      await page.keyboard.press("Escape");
      expect(await page.evaluate("document.activeElement.name")).toBe("password");
      await browser.looksRight(page, `sign-in-ended-${name}`);
      // A page that waits asks for nothing.
      let asked = 0;
      page.on("request", () => (asked += 1));
      await page.waitForTimeout(6000);
      expect(asked).toBe(0);
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Password").fill("Wrong12345");
      await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
      await dialog.getByText("Account or password is wrong.").waitFor();
      await dialog.getByLabel("Password").fill(ofPerson);
      await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
      for (const tab of [page, other]) await tab.getByRole("dialog").waitFor({ state: "detached" });
      expect(await page.getByLabel("Name of a new group").inputValue()).toBe(typed);
      expect(await other.getByLabel("Projects, separated").inputValue()).toBe("typed there");
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByRole("link", { name: typed }).waitFor();
      expect(faults).toEqual([]);
    },
    60_000,
  );

  test("leads somebody else than before away from the page that was open", async () => {
    const person = await newPerson("first-here", admin);
    await newPerson("second-here");
    const { page } = await open();
    await browser.signIn(page, "administration/groups", "first-here", ofPerson);
    await page.getByLabel("Name of a new group").fill("not for others");
    await endElsewhere(slipway, person);
    await meetsTheEnd(page, page.getByRole("button", { name: "Create", exact: true }));
    await fillIn(page, "second-here");
    await page.getByRole("link", { name: "second-here" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/");
  });

  test("leaves the page on request, and keeps a late refusal of a login of before from ending the next", async () => {
    const person = await newPerson("leaving", admin);
    const { page } = await open();
    await browser.signIn(page, "account", "leaving", ofPerson);
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/openapi/system/operation**", async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    await endElsewhere(slipway, person);
    const other = await page.context().newPage();
    await meetsTheEnd(page, page.getByRole("link", { name: "Administration" }));
    await other.goto(`${slipway.runtime.url}/console/account`);
    await other.getByRole("button", { name: "Leave the page" }).click();
    await fillIn(other, "leaving");
    await heading(other, "leaving");
    answer();
    await page.waitForTimeout(500);
    expect(await other.getByRole("dialog").count()).toBe(0);
    await heading(page, "Operation log");
  });

  test.each(looks)("shows where somebody is signed in, and ends it there: %s", async (name, look) => {
    const person = await newPerson(`devices-${name}`);
    const { page, faults } = await open(look);
    await browser.signIn(page, "account", `devices-${name}`, ofPerson);
    const rows = page.getByRole("list", { name: "Where you are signed in" }).getByRole("listitem");
    await rows.nth(1).waitFor();
    expect(await shownText(rows.first())).toMatch(/^Chrome, Linux\s*this one\s*127\.0\.0\.1, signed in .*, last used /);
    expect(await shownText(rows.nth(1))).toMatch(/^test\s*192\.0\.2\.1/);
    await browser.looksRight(page, `account-${name}`);
    expect(await rows.first().getByRole("button").count()).toBe(0);
    await rows.nth(1).getByRole("button", { name: "Sign out there" }).click();
    await rows.nth(1).waitFor({ state: "detached" });
    expect((await slipway.call("GET", "/openapi/projects/project", { token: person.token })).status).toBe(401);
    expect(faults).toEqual([]);
  });

  test.each(looks)(
    "gets a second factor, asks for its code, and loses it again: %s",
    async (name, look) => {
      const person = await newPerson(`factor-${name}`);
      const { page, faults } = await open(look);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await browser.signIn(page, "account", `factor-${name}`, ofPerson);
      await page.getByRole("button", { name: "Switch on" }).click();
      const set = page.getByRole("button", { name: "Set it up" });
      await page.getByLabel("Password").fill("Wrong12345");
      await set.click();
      await page.getByText("password is wrong").waitFor();
      await page.getByLabel("Password").fill(ofPerson);
      await set.click();
      await page.getByRole("img", { name: "QR code for an authenticator app" }).waitFor();
      const secret = await shownText(page.locator("p code.secret"));
      await browser.looksRight(page, `second-factor-${name}`);
      await page.getByLabel("Code that the app shows").fill("000000");
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.getByText("mfa_code is wrong").waitFor();
      await page.getByLabel("Code that the app shows").fill(codeOf(secret));
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.getByText("Keep these recovery codes").waitFor();
      const codes = await page.locator(".codes code").allTextContents();
      expect(codes).toHaveLength(10);
      await page.getByText("Recovery codes left: 10.").waitFor();
      await browser.looksRight(page, `recovery-codes-${name}`);
      await page.getByRole("button", { name: "Copy" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect((await page.evaluate<string>("navigator.clipboard.readText()")).split("\n")).toEqual(codes);
      await page.getByRole("button", { name: "I have kept them" }).click();
      await page.getByText("Recovery codes left: 10.").waitFor();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await forgetCodes(person.uid);
      await fillIn(page, `factor-${name}`);
      const code = page.getByLabel("Code of your authenticator app");
      await code.waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await browser.looksRight(page, `sign-in-code-${name}`);
      await code.fill("000000");
      await page.keyboard.press("Enter");
      await page.getByText("The code is wrong, or was used already.").waitFor();
      await code.fill(codes[0] ?? "");
      await page.keyboard.press("Enter");
      await page.getByText("Recovery codes left: 9.").waitFor();
      await page.getByRole("button", { name: "New recovery codes" }).click();
      await page.getByLabel("Password").fill(ofPerson);
      await page.getByRole("button", { name: "Make new codes" }).click();
      await page.getByRole("button", { name: "I have kept them" }).click();
      await page.getByText("Recovery codes left: 10.").waitFor();
      await page.getByRole("button", { name: "Another app" }).click();
      await code.fill(codeOf(secret));
      await set.click();
      const next = page.locator("p code.secret");
      await next.waitFor();
      await page.getByLabel("Code that the app shows").fill(codeOf(await shownText(next)));
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.getByRole("button", { name: "I have kept them" }).click();
      await page.getByRole("button", { name: "Switch off" }).click();
      await page.getByLabel("Password").fill(ofPerson);
      await page.getByRole("button", { name: "Switch it off" }).click();
      await page.getByText("Off: signing in asks for the password alone.").waitFor();
      expect(faults).toEqual([]);
    },
    60_000,
  );

  test.each(looks)(
    "demands a second factor before anything else where the settings do: %s",
    async (name, look) => {
      await newPerson(`demanded-${name}`);
      const demand = (mfa_required_for: string) =>
        slipway.call("POST", "/api/aslan/system/security", { body: { token_expiration_time: 24, mfa_required_for } });
      await demand("everybody");
      const { page, faults } = await open(look);
      await page.goto(`${slipway.runtime.url}/console/account`);
      await fillIn(page, `demanded-${name}`);
      await heading(page, "A second factor is needed");
      await page.goto(`${slipway.runtime.url}/console/v1/statistics`);
      await heading(page, "A second factor is needed");
      await browser.looksRight(page, `second-factor-demanded-${name}`);
      await page.getByLabel("Password").fill(ofPerson);
      await page.getByRole("button", { name: "Set it up" }).click();
      const secret = page.locator("p code.secret");
      await secret.waitFor();
      await page.getByLabel("Code that the app shows").fill(codeOf(await shownText(secret)));
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.getByRole("button", { name: "I have kept them" }).click();
      await heading(page, "Statistics");
      // One that ends before asks for a sign-in, and one that was enrolled elsewhere meanwhile for a code.
      const late = await newPerson(`late-${name}`);
      const { page: other } = await open(look);
      await other.goto(`${slipway.runtime.url}/console/account`);
      await fillIn(other, `late-${name}`);
      await heading(other, "A second factor is needed");
      await endElsewhere(slipway, late);
      await other.getByLabel("Password").fill(ofPerson);
      await other.getByRole("button", { name: "Set it up" }).click();
      await fillIn(other, `late-${name}`);
      await heading(other, "A second factor is needed");
      const { secret: elsewhere } = await enrol(slipway, late);
      await other.reload();
      await other.getByText("You have enrolled one since.").waitFor();
      await other.getByRole("button", { name: "Sign in again" }).click();
      await fillIn(other, `late-${name}`);
      await other.getByLabel("Code of your authenticator app").fill(codeOf(elsewhere));
      await other.keyboard.press("Enter");
      await other.getByRole("button", { name: "Sign out", exact: true }).waitFor();
      await demand("nobody");
      expect(faults).toEqual([]);
    },
    60_000,
  );

  test("asks for the code in place, too", async () => {
    const person = await newPerson("in-place", admin);
    const { secret } = await enrol(slipway, person);
    const { page } = await open();
    await page.goto(`${slipway.runtime.url}/console/administration/groups`);
    await fillIn(page, "in-place");
    await page.getByLabel("Code of your authenticator app").fill(codeOf(secret));
    await page.keyboard.press("Enter");
    await page.getByLabel("Name of a new group").fill("kept");
    await endElsewhere(slipway, person);
    await forgetCodes(person.uid);
    await meetsTheEnd(page, page.getByRole("button", { name: "Create", exact: true }));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Password").fill(ofPerson);
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Code of your authenticator app").fill(codeOf(secret));
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("Name of a new group").inputValue()).toBe("kept");
  });
});
