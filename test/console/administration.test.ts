import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;
let browser: ConsoleBrowser;

async function send(method: string, path: string, body: unknown, status = 200): Promise<void> {
  const answer = await slipway.call(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status);
}

describe.skipIf(chromium === undefined)("the operation log and roles, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    for (const key of ["shop", "other"])
      await send("POST", "/openapi/projects/project", { project_name: key, project_key: key, project_type: "yaml" });
    await send("POST", "/openapi/projects/project", { project_name: "shop", project_key: "shop" }, 400);
    const actions = ["get_service", "rollback_workflow"];
    await send("POST", "/openapi/policy/roles?namespace=shop", { name: "tester", actions, desc: "tries things" });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("is searched by project and status, and given as a file", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "administration");
    const log = page.getByRole("list", { name: "Operation log" });
    await page.getByLabel("Search by").selectOption("project");
    await page.getByRole("searchbox", { name: "Project, then Enter" }).fill("other");
    await page.keyboard.press("Enter");
    await log.getByText(/^shop/).first().waitFor({ state: "detached" });
    await log
      .getByText(/^other/)
      .first()
      .waitFor();
    await page.getByLabel("Search by").selectOption("status");
    await page.getByRole("searchbox", { name: /^Status such as 403/ }).fill("400");
    await page.keyboard.press("Enter");
    await log.getByText("failed (400)").first().waitFor();
    expect(await log.getByText("success", { exact: true }).count()).toBe(0);
    await page.reload();
    await log.getByText("failed (400)").first().waitFor();
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const file = await coming;
    expect(file.suggestedFilename()).toBe("operations.ndjson");
    const records = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\n");
    const sequences = records.map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    expect(sequences.length).toBeGreaterThan(4);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(faults).toEqual([]);
  });

  test.each(looks)("shows what each role may do, and changes it: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, "administration");
    await page.getByRole("heading", { name: "Operation log" }).waitFor();
    await browser.looksRight(page, `operations-${name}`);
    await page.getByRole("main").getByRole("link", { name: "Roles" }).click();
    await page.getByRole("columnheader", { name: "admin" }).waitFor();
    await browser.looksRight(page, `roles-installation-${name}`);
    await page.goto(`${slipway.runtime.url}/console/v1/projects/detail/shop`);
    await browser.goTo(page, "Roles");
    const mayDebug = page.getByLabel("tester: debug_pod");
    await mayDebug.waitFor();
    expect(await page.getByLabel("tester: rollback_workflow").isChecked()).toBe(true);
    const before = await mayDebug.isChecked();
    await mayDebug.click();
    await browser.looksRight(page, `roles-${name}`);
    await page.getByRole("button", { name: "Save tester" }).click();
    await page.getByRole("button", { name: "Save tester" }).waitFor({ state: "detached" });
    const role = await slipway.call<{ rules: { verbs: string[] }[] }>(
      "GET",
      "/openapi/policy/roles/tester?namespace=shop",
    );
    const verbs = role.json.rules.flatMap((rule) => rule.verbs);
    expect(verbs.includes("debug_pod")).toBe(!before);
    expect(verbs).toEqual(expect.arrayContaining(["get_service", "rollback_workflow"]));
    await page.getByLabel("Name of a new role").fill(`made-${name}`);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByLabel(`made-${name}: get_build`).waitFor();
    expect(faults).toEqual([]);
  });
});
