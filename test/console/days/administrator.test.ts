import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../../infra/builtConsole.ts";
import { chromium } from "../../harness/chromium.ts";
import { type ConsoleBrowser, openBrowser, password } from "../../harness/consoleBrowser.ts";
import { type Slipway, startSlipway } from "../../harness/slipway.ts";

let slipway: Slipway;
let browser: ConsoleBrowser;
let tab: Awaited<ReturnType<ConsoleBrowser["opened"]>>;

describe.skipIf(chromium === undefined)("an administrator's day in the console, from an empty installation", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    browser = await openBrowser(slipway);
    tab = await browser.opened();
    await browser.signIn(tab.page);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("I make an empty project, and it is in the list at once", async () => {
    const { page } = tab;
    await page.getByText("No projects yet.").waitFor();
    await page.getByRole("button", { name: "New project" }).click();
    const form = page.getByRole("dialog", { name: "New project" });
    await form.getByLabel("Project name").fill("Web shop");
    await form.getByLabel("Project key").fill("shop");
    await form.getByLabel("Project type").selectOption("yaml");
    await browser.looksRight(page, "day-new-project");
    await form.getByRole("button", { name: "Send" }).click();
    await page.getByText("Done: Create an empty project").waitFor();
    await page.getByRole("link", { name: "Web shop" }).waitFor();
  });

  test("a form that the API refuses says which field is wrong, and keeps what I typed", async () => {
    const { page } = tab;
    await browser.goTo(page, "Administration");
    await page.getByRole("button", { name: "New user" }).click();
    const form = page.getByRole("dialog", { name: "New user" });
    await form.getByLabel("Name", { exact: false }).first().fill("Bo");
    await form.getByLabel("Account").fill("bo");
    await form.getByRole("textbox", { name: "Password" }).fill("short");
    await form.getByRole("button", { name: "Send" }).click();
    await form
      .getByRole("alert")
      .getByText(/password/i)
      .first()
      .waitFor();
    expect(await form.getByLabel("Account").inputValue()).toBe("bo");
    await form.getByRole("textbox", { name: "Password" }).fill(password);
    await form.getByRole("button", { name: "Send" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByRole("list", { name: "Users" }).getByText("Bo").first().waitFor();
  });

  test("I add a code host from a list that has no page of its own, and change its alias beginning with what is there", async () => {
    const { page } = tab;
    await page.getByRole("navigation", { name: "Integrations" }).getByRole("link", { name: "Code hosts" }).click();
    await page.getByText("There is nothing yet.").waitFor();
    await page.getByRole("link", { name: "Add a code host" }).click();
    await page.getByRole("combobox", { name: "Type", exact: true }).selectOption("gitea");
    await page.getByLabel("Address").fill("https://git.example.com");
    await page.getByLabel("Alias").fill("git");
    await page.getByLabel("Auth type").selectOption("token");
    await page.getByText(/more fields/).click();
    await page.getByRole("textbox", { name: "Access token" }).fill("a-token-of-git");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Done: Add a code host").waitFor();
    await page.goto(`${slipway.runtime.url}/console/operations/listCodeHosts`);
    const change = page.getByRole("row", { name: /git\.example\.com/ }).getByRole("link", { name: "Change" });
    await change.waitFor();
    await browser.looksRight(page, "day-code-hosts");
    await change.click();
    await page.getByLabel("Alias").waitFor();
    expect(await page.getByLabel("Alias").inputValue()).toBe("git");
    await browser.looksRight(page, "day-change-code-host");
  });

  test("I delete it only after its id is typed", async () => {
    const { page } = tab;
    await page.goto(`${slipway.runtime.url}/console/operations/listCodeHosts`);
    await page
      .getByRole("row", { name: /git\.example\.com/ })
      .getByRole("link", { name: "Delete" })
      .click();
    const confirm = page.getByRole("button", { name: "Delete" });
    expect(await confirm.isDisabled()).toBe(true);
    const field = page.getByLabel(/^Type .* to confirm/);
    const [, id = ""] =
      /^Type (.*) to confirm/.exec((await page.getByText(/^Type .* to confirm/).textContent()) ?? "") ?? [];
    await field.fill(id);
    await confirm.click();
    await page.getByText("Done: Delete a code host that nothing refers to").waitFor();
    await page.goto(`${slipway.runtime.url}/console/operations/listCodeHosts`);
    await page.getByText("There is nothing yet.").waitFor();
  });

  test("Ctrl-K finds the project, an operation and a person, and the keyboard alone opens them", async () => {
    const { page } = tab;
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Search everything" }).fill("web shop");
    await page.getByRole("button", { name: /Web shop/ }).waitFor();
    await browser.looksRight(page, "day-palette");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Web shop/ }).waitFor();
    expect(await page.title()).toBe("shop · Projects · Slipway");
    await page.getByRole("textbox", { name: "Search everything" }).waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await browser.looksRight(page, "day-shortcuts");
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "Administration" }).waitFor();
  });

  test("the operation log has what I did, and no page did what it must not", async () => {
    const { page, faults } = tab;
    const log = page.getByRole("list", { name: "Operation log" });
    await log
      .getByText(/Add|Create|Delete/i)
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  });
});
