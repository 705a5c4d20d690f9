import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../../infra/builtConsole.ts";
import { chromium } from "../../harness/chromium.ts";
import { type ConsoleBrowser, openBrowser, password } from "../../harness/consoleBrowser.ts";
import { type Slipway, startSlipway } from "../../harness/slipway.ts";

const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.27"}]}
`;
let slipway: Slipway;
let browser: ConsoleBrowser;
let tab: Awaited<ReturnType<ConsoleBrowser["opened"]>>;

describe.skipIf(chromium === undefined)("a developer's day in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    const body = { project_name: "Web shop", project_key: "shop", project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    browser = await openBrowser(slipway);
    tab = await browser.opened();
    await browser.signIn(tab.page, "v1/projects/detail/shop");
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("I make a service from its manifest, by the actions of the page of services", async () => {
    const { page } = tab;
    await browser.goTo(page, "Services");
    await page.getByRole("button", { name: "More actions" }).click();
    const drawer = page.getByRole("dialog", { name: "What can be done here" });
    await drawer.getByLabel("Search operations").fill("create a test service");
    await drawer.getByRole("link", { name: "Create a test service from YAML text" }).click();
    await page.getByRole("heading", { name: "Create a test service from YAML text" }).waitFor();
    expect(await page.getByLabel("Project key").inputValue()).toBe("shop");
    await page.getByLabel("Service name").fill("web");
    await page.getByLabel("Yaml", { exact: false }).first().fill(manifest);
    await browser.looksRight(page, "day-new-service");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Done: Create a test service from YAML text").waitFor();
  });

  test("I make an environment with it, and choose cluster and service from lists instead of typing ids", async () => {
    const { page } = tab;
    await page.goto(`${slipway.runtime.url}/console/v1/projects/detail/shop`);
    await page.getByRole("button", { name: "New environment" }).click();
    const form = page.getByRole("dialog", { name: "New environment" });
    await form.getByLabel("Env key").fill("dev");
    await form.getByLabel("Namespace").fill("shop-dev");
    await form
      .getByText(/more fields/)
      .last()
      .click();
    await form.getByLabel("Cluster id").selectOption({ index: 1 });
    await form.getByRole("button", { name: "Add to Services" }).click();
    await form.getByLabel("Service name").selectOption("web");
    await browser.looksRight(page, "day-new-environment");
    await form.getByRole("button", { name: "Send" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByRole("list", { name: "Environments" }).getByRole("link", { name: "dev" }).click();
    await page.getByRole("heading", { name: /^dev running/ }).waitFor({ timeout: 60_000 });
  });

  test("I restart the service of the test environment: it asks once, shows what changes, and says that it is done", async () => {
    const { page } = tab;
    await page.getByRole("list", { name: "Services" }).getByRole("link", { name: "web" }).click();
    await page.getByRole("button", { name: "Restart" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This would change:").waitFor();
    await dialog.getByRole("button", { name: "Restart" }).click();
    await page.getByText("Done: Restart web").waitFor();
    await browser.looksRight(page, "day-environment");
  });

  test("without a network the page says how old it is, and goes on by itself when the network is back", async () => {
    const { page, faults } = tab;
    await page.context().setOffline(true);
    await page.getByText(/^Slipway does not answer/).waitFor({ timeout: 90_000 });
    await page.context().setOffline(false);
    await page.getByText(/^Slipway does not answer/).waitFor({ state: "detached", timeout: 90_000 });
    expect(faults).toEqual([]);
  });
});
