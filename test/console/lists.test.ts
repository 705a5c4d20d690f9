import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;
let browser: ConsoleBrowser;

async function send(path: string, body: object): Promise<void> {
  const answer = await slipway.call("POST", path, { body });
  expect(answer.status, `${path}: ${answer.text}`).toBe(200);
}

describe.skipIf(chromium === undefined)("long lists, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    await send("/openapi/projects/project", { project_name: "Shop", project_key: "shop", project_type: "yaml" });
    const add = (service_name: string, kind = "") =>
      send(`/openapi/service/yaml${kind}/raw?projectKey=shop`, {
        ...{ service_name, yaml: deploymentYaml(service_name, "nginx:1") },
      });
    for (let number = 101; number <= 152; number++) await add(`part-${number}`);
    await add("part-live", "/production");
    for (const account of ["dora", "omar"]) await send("/api/v1/users", { account, name: `The ${account}`, password });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)("show services page by page, and find them anywhere: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, "v1/projects/detail/shop/services");
    const list = page.getByRole("list", { name: "Services" });
    await page.getByText("Services: 52").waitFor();
    expect(await list.getByRole("listitem").count()).toBe(50);
    await page.getByRole("link", { name: "Next" }).click();
    await list.getByRole("link", { name: "part-152" }).click();
    await page.getByRole("heading", { name: "part-152" }).waitFor();
    expect(await list.getByRole("listitem").count()).toBe(2);
    await page.getByLabel("Search services").fill("RT-10");
    await list.getByRole("listitem").nth(8).waitFor();
    expect(new URL(page.url()).search).toBe("?service=part-152&text=RT-10");
    await browser.looksRight(page, `services-found-${name}`);
    await page.reload();
    await list.getByRole("listitem").nth(8).waitFor();
    await page.getByLabel("Search services").fill("no such");
    await page.getByText("No service matches “no such”.").waitFor();
    await page.getByRole("link", { name: "For production environments" }).click();
    await list.getByRole("link", { name: "part-live" }).waitFor();
    expect(await list.getByRole("listitem").count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("show users by a part of their names", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "administration");
    const users = page.getByRole("list", { name: "Users" });
    await users.getByText("The omar").waitFor();
    await page.getByRole("searchbox", { name: "Part of a name, then Enter" }).fill("do");
    await page.keyboard.press("Enter");
    await users.getByText("The omar").waitFor({ state: "detached" });
    await users.getByText("The dora").waitFor();
    await page.getByRole("list", { name: "Operation log" }).getByRole("listitem").nth(49).waitFor();
    await page.getByRole("searchbox", { name: "Part of a name, then Enter" }).fill("nobody");
    await page.keyboard.press("Enter");
    await page.getByText("Nobody matches “nobody”.").waitFor();
    expect(faults).toEqual([]);
  });
});
