import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { detailOf, untilStatus } from "../harness/boutique.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;
let browser: ConsoleBrowser;
let folder: string;

/** Drops a file or folder of this machine on the page, as a person does. */
async function drop(page: Page, path: string): Promise<void> {
  const box = await page.getByRole("region", { name: "Manifests" }).boundingBox();
  if (box === null) throw new Error("there is nothing to drop on");
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await devtools.send("Input.dispatchDragEvent", { type, x: box.x + 10, y: box.y + 10, data });
}

describe.skipIf(chromium === undefined)("projects from manifests, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password, podDelayMilliseconds: 0 });
    const made = await slipway.call("POST", "/api/v1/users", { body: { account: "dora", name: "Dora", password } });
    expect(made.status).toBe(200);
    folder = join(mkdtempSync(join(tmpdir(), "slipway-drop-")), "store");
    mkdirSync(join(folder, "more"), { recursive: true });
    writeFileSync(join(folder, "web.yaml"), deploymentYaml("web", "nginx:1.27"));
    writeFileSync(join(folder, "api.yml"), deploymentYaml("api", "nginx:1.27"));
    writeFileSync(join(folder, "README.md"), "not a manifest");
    writeFileSync(join(folder, "more", "deep.yaml"), deploymentYaml("deep", "nginx:1.27"));
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
    rmSync(join(folder, ".."), { recursive: true, force: true });
  });

  test("makes project, services and environment of a folder that is dropped", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page);
    await page.getByRole("link", { name: "Project from manifests" }).click();
    await drop(page, folder);
    await page.getByText("Services: api, web").waitFor();
    expect(await page.getByLabel("Project key").inputValue()).toBe("store");
    await page.getByRole("button", { name: "Show what that would do" }).click();
    const dialog = page.getByRole("dialog");
    for (const line of [
      "project store: would be made",
      "service web: would be made",
      "environment dev: would be created",
    ])
      await dialog.getByText(line).waitFor();
    expect((await slipway.call("GET", "/openapi/projects/project/detail?projectKey=store")).status).toBe(404);
    await browser.looksRight(page, "apply-dialog");
    await dialog.getByLabel("Type store to confirm").fill("store");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("heading", { name: /^dev/ }).waitFor();
    await untilStatus(slipway, "store", "dev", "running");
    const { services } = await detailOf(slipway, "store", "dev");
    expect(services.map(({ service_name }) => service_name).sort()).toEqual(["api", "web"]);
    expect(faults).toEqual([]);
  });

  test("changes what is different, and leaves the rest alone", async () => {
    writeFileSync(join(folder, "web.yaml"), deploymentYaml("web", "nginx:1.28"));
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "apply");
    await page.getByLabel("Choose files").setInputFiles([join(folder, "web.yaml"), join(folder, "api.yml")]);
    await page.getByLabel("Project key").fill("store");
    await page.getByRole("button", { name: "Show what that would do" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/\+.*nginx:1\.28/).waitFor();
    expect(await dialog.getByText("service api").count()).toBe(0);
    await dialog.getByLabel("Type store to confirm").fill("store");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await page.getByLabel("Services").getByText("nginx:1.28").waitFor({ timeout: 20_000 });
    await untilStatus(slipway, "store", "dev", "running");
    const { services } = await detailOf(slipway, "store", "dev");
    expect(services.flatMap(({ containers }) => containers.map(({ image }) => image)).sort()).toEqual([
      "nginx:1.27",
      "nginx:1.28",
    ]);
    expect(faults).toEqual([]);
  });

  test.each(looks)("says what is wrong with files: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, "apply");
    await page.getByLabel("Choose files").setInputFiles(join(folder, "README.md"));
    await page.getByRole("alert").getByText("README.md holds no .yaml or .yml file").waitFor();
    await page.getByLabel("Choose files").setInputFiles(join(folder, "web.yaml"));
    await page.getByText("Services: web").waitFor();
    await browser.looksRight(page, `apply-${name}`);
    expect(faults).toEqual([]);
  });

  test("is not offered to those who may not make projects", async () => {
    const { page } = await browser.opened();
    await browser.signIn(page, "", "dora");
    await page.getByText(/^No projects yet/).waitFor();
    await browser.settled(page);
    expect(await page.getByRole("link", { name: "Project from manifests" }).count()).toBe(0);
    await page.goto(`${slipway.runtime.url}/console/apply`);
    await page.getByText("Only administrators see something here.").waitFor();
  });
});
