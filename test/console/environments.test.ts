import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { detailOf, localClusterId, untilStatus } from "../harness/boutique.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const at = (page: string, query: string): string => `v1/projects/detail/shop/envs/${page}?${query}`;
let slipway: Slipway;
let browser: ConsoleBrowser;

async function send(method: string, path: string, body: unknown): Promise<void> {
  const answer = await slipway.call(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
}

const environments = "/openapi/environments";
const imageIn = async (env: string) => (await detailOf(slipway, "shop", env)).services[0]?.containers[0]?.image;
const settled = (env: string) => untilStatus(slipway, "shop", env, "running");

describe.skipIf(chromium === undefined)("what an environment is set to, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password, podDelayMilliseconds: 0 });
    await send("POST", "/openapi/projects/project", {
      project_name: "Shop",
      project_key: "shop",
      project_type: "yaml",
    });
    await send("PUT", "/api/aslan/project/products/shop/globalVariables", {
      global_variables: [{ key: "colour", value: "red", type: "string", options: [], desc: "of the shop" }],
    });
    const yaml = deploymentYaml("web", "nginx:1.27");
    await send("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "web", yaml });
    for (const env_key of ["dev", "next"])
      await send("POST", `${environments}?projectKey=shop`, {
        ...{ env_key, namespace: `shop-${env_key}`, cluster_id: localClusterId },
        services: [{ service_name: "web" }],
        global_variables: [{ key: "colour", value: "red" }],
      });
    for (const env of ["dev", "next"]) await settled(env);
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("changes an image and the number of pods after showing what that does", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, at("detail", "envName=dev&service=web"));
    const dialog = page.getByRole("dialog");
    await page.getByLabel("Image of main", { exact: true }).fill("nginx:1.28");
    await page.getByRole("button", { name: "Change: Image of main" }).click();
    await dialog.getByText(/\+.*nginx:1\.28/).waitFor();
    await dialog.getByRole("button", { name: "Change" }).click();
    await dialog.waitFor({ state: "hidden" });
    await waitFor("the new image", async () => (await imageIn("dev")) === "nginx:1.28");
    await settled("dev");
    await page.getByLabel("Pods of web", { exact: true }).fill("3");
    await page.getByRole("button", { name: "Scale: Pods of web" }).click();
    await dialog.getByText(/\+.*replicas: 3/).waitFor();
    await dialog.getByRole("button", { name: "Scale" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("Deployment, 3 pods").waitFor({ timeout: 15_000 });
    await page.getByLabel("Image of main", { exact: true }).fill("no image");
    await page.getByRole("button", { name: "Change: Image of main" }).click();
    await dialog.getByRole("alert").waitFor();
    expect(faults).toEqual([]);
  });

  test.each(looks)("shows settings, and what is different between two environments: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, at("detail", "envName=dev&service=web"));
    await page.getByLabel("Image of main", { exact: true }).waitFor();
    await browser.looksRight(page, `workloads-${name}`);
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByLabel("To", { exact: true }).selectOption("next");
    const difference = page.getByRole("region", { name: "Differences of web" });
    await difference.getByText("- nginx:1.28").waitFor();
    await difference.getByText("+ nginx:1.27").waitFor();
    await browser.looksRight(page, `comparison-${name}`);
    await page.getByLabel("To").selectOption("dev");
    await page.getByText("Their services, images and variables are the same.").waitFor();
    await page.goto(`${slipway.runtime.url}/console/${at("settings", "envName=dev")}`);
    await page.getByLabel("Value of colour").waitFor();
    await browser.looksRight(page, `settings-${name}`);
    expect(faults).toEqual([]);
  });

  test("saves a sleep schedule, and says what is wrong with another", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, at("settings", "envName=dev"));
    await page.getByLabel("Sleeps and wakes by itself").check();
    await page.getByLabel(/^Falls asleep/).fill("every evening");
    await page.getByRole("button", { name: "Save the schedule" }).click();
    await page.getByRole("alert").getByText("sleep_cron", { exact: true }).waitFor();
    await page.getByLabel(/^Falls asleep/).fill("0 20 * * 1-5");
    await page.getByLabel(/^Wakes, as/).fill("0 7 * * 1-5");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByRole("button", { name: "Save the schedule" }).click();
    await page.getByText("Saved.").waitFor();
    expect((await slipway.call("GET", `${environments}/dev/sleep/schedule?projectKey=shop`)).json).toEqual({
      ...{ enabled: true, sleep_cron: "0 20 * * 1-5", awake_cron: "0 7 * * 1-5", time_zone: "Europe/Berlin" },
    });
    expect(faults).toEqual([]);
  });

  test("changes variables, and puts an environment to sleep and wakes it, each by its name", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, at("settings", "envName=next"));
    const dialog = page.getByRole("dialog");
    await page.getByLabel("Value of colour").fill("blue");
    await page.getByRole("button", { name: "Save the variables" }).click();
    await dialog.getByLabel("Type next to confirm").fill("next");
    await dialog.getByRole("button", { name: "Change" }).click();
    await dialog.waitFor({ state: "hidden" });
    const variables = await slipway.call("GET", `${environments}/next/variable?projectKey=shop`);
    expect(variables.json).toMatchObject([{ key: "colour", value: "blue" }]);
    await settled("next");
    await page.getByRole("button", { name: "Put to sleep now" }).click();
    await dialog.getByText(/\+.*replicas: 0/).waitFor();
    await dialog.getByLabel("Type next to confirm").fill("next");
    await dialog.getByRole("button", { name: "Put to sleep now" }).click();
    await page.getByRole("button", { name: "Wake now" }).click({ timeout: 15_000 });
    await untilStatus(slipway, "shop", "next", "sleeping");
    await dialog.getByLabel("Type next to confirm").fill("next");
    await dialog.getByRole("button", { name: "Wake now" }).click();
    await dialog.waitFor({ state: "hidden" });
    await settled("next");
    expect(faults).toEqual([]);
  });

  test("makes, changes and deletes a configuration object", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, at("settings", "envName=dev"));
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "New object" }).click();
    await page.getByLabel("Name", { exact: true }).fill("flags");
    await page
      .getByLabel("YAML of ConfigMap flags")
      .fill("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: flags}\ndata: {mode: slow}\n");
    await page.getByRole("button", { name: "Create" }).click();
    await dialog.getByText(/\+.*mode: slow/).waitFor();
    await dialog.getByLabel("Type flags to confirm").fill("flags");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Show ConfigMap flags" }).click();
    const yaml = page.getByLabel("YAML of ConfigMap flags");
    await yaml.fill((await yaml.inputValue()).replace("slow", "fast"));
    await browser.looksRight(page, "config");
    await page.getByRole("button", { name: /^Save and restart/ }).click();
    await dialog.getByText(/\+.*mode: fast/).waitFor();
    await dialog.getByLabel("Type flags to confirm").fill("flags");
    await dialog.getByRole("button", { name: "Change" }).click();
    await dialog.waitFor({ state: "hidden" });
    const config = `${environments}/dev/envcfg/flags?projectKey=shop&type=ConfigMap`;
    expect((await slipway.call("GET", config)).json).toMatchObject({ configMap_detail: { cm_data: { mode: "fast" } } });
    await page.getByRole("button", { name: "Delete ConfigMap flags" }).click();
    await dialog.getByLabel("Type flags to confirm").fill("flags");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Show ConfigMap flags" }).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });
});
