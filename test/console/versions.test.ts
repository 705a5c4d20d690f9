import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { detailOf, localClusterId, untilStatus } from "../harness/boutique.ts";
import { runChart, startForChartVersions } from "../harness/chartVersions.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { endOf, releases, type VersionSetting, versionBody, versionNamed } from "../harness/deliveryVersions.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import { keySigner, signImage } from "../harness/signatures.ts";
import { pusher } from "../harness/testRegistry.ts";

const versionsPage = "v1/projects/detail/shop/version";
let setting: VersionSetting;
let browser: ConsoleBrowser;
let digest: string;

describe.skipIf(chromium === undefined)("delivery versions in the console", () => {
  beforeAll(async () => {
    builtConsole();
    setting = await startForChartVersions({ withConsole: true, adminPassword: password });
    const { calls, slipway, source } = setting;
    ({ digest } = await pusher(source.address).image("dev/api", "1"));
    const yaml = deploymentYaml("api", `${source.address}/dev/api:1`);
    await calls.ok("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "api", yaml });
    for (const env_key of ["dev", "next"])
      await calls.ok("POST", "/openapi/environments?projectKey=shop", {
        ...{ env_key, cluster_id: localClusterId, namespace: `shop-${env_key}`, services: [{ service_name: "api" }] },
        registry_id: "0123456789abcdef12345679",
      });
    for (const env of ["dev", "next"]) await untilStatus(slipway, "shop", env, "running");
    await calls.ok("POST", "/api/v1/users", { account: "dora", name: "Dora", password });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await setting?.close();
  });

  test("makes a version of what an environment runs, with copies of its images and without", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "v1/projects/detail/shop");
    await browser.goTo(page, "Delivery versions");
    await page.getByText(/^No versions yet/).waitFor();
    await page.getByRole("button", { name: "New version" }).click();
    await page.getByLabel("Version name").fill("1.0");
    await page.getByLabel("Of what this environment runs").selectOption("dev");
    await page.getByLabel("Copy its images to").selectOption(setting.targetId);
    await page.getByLabel("What is new").fill("the first");
    await browser.looksRight(page, "version-new");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "1.0 success" }).waitFor({ timeout: 30_000 });
    const images = page.getByRole("list", { name: "Images" });
    await images.getByText(`${setting.target.address}/rel/api:1.0`, { exact: true }).waitFor();
    await images.getByText(digest, { exact: true }).waitFor();
    expect(await versionNamed(setting.slipway, "1.0")).toMatchObject({
      ...{ status: "success", desc: "the first", env_name: "dev" },
      services: [{ service_name: "api", images: [{ status: "passed", digest }] }],
    });
    await browser.goTo(page, "Delivery versions");
    await page.getByRole("button", { name: "New version" }).click();
    await page.getByLabel("Version name").fill("1.0");
    await page.getByRole("button", { name: "Create" }).click();
    await page
      .getByRole("alert")
      .getByText(/already exist/)
      .waitFor();
    await page.getByLabel("Version name").fill("1.1");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "1.1 success" }).waitFor({ timeout: 30_000 });
    expect(faults).toEqual([]);
  });

  test.each(looks)("shows versions, what is different, and the way of an image: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, versionsPage);
    await page.getByRole("link", { name: "1.1" }).waitFor();
    await browser.looksRight(page, `versions-${name}`);
    await page.getByRole("link", { name: "1.1" }).click();
    await page.getByText("stays where it is").waitFor();
    await page.getByText("The project demands no signatures.").waitFor();
    await page.getByText("Its signature was not checked.").waitFor();
    await page.getByLabel("What is different from").selectOption("1.0");
    const difference = page.getByRole("region", { name: "Differences of api" });
    await difference.getByText(`- ${setting.target.address}/rel/api:1.0 ${digest}`).waitFor();
    await difference.getByText(`+ ${setting.source.address}/dev/api:1 ${digest}`).waitFor();
    await browser.looksRight(page, `version-${name}`);
    await page.getByRole("link", { name: "Trace of main" }).click();
    await page.getByRole("list", { name: "Runs now in" }).getByRole("link", { name: "shop/dev" }).waitFor();
    await page.getByRole("list", { name: "Delivery versions" }).getByRole("link", { name: "shop 1.0" }).waitFor();
    await browser.looksRight(page, `trace-${name}`);
    await page.getByRole("searchbox", { name: "Image or digest, then Enter" }).fill("nobody/knows:it");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(faults).toEqual([]);
  });

  test("deploys a version after its difference was seen, and deletes it by its name", async () => {
    const { id } = await versionNamed(setting.slipway, "1.0");
    const { page, faults } = await browser.opened();
    await browser.signIn(page, `${versionsPage}/${id}`);
    await page.getByLabel("Deploy 1.0").selectOption("next");
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/\+.*rel\/api:1\.0@sha256/).waitFor();
    await dialog.getByLabel("Type next to confirm").fill("next");
    await browser.looksRight(page, "version-deploy");
    await dialog.getByRole("button", { name: "Deploy" }).click();
    await page.getByRole("heading", { name: /^next/ }).waitFor();
    await page.getByText(`${setting.target.address}/rel/api:1.0@${digest}`).waitFor();
    const { services } = await detailOf(setting.slipway, "shop", "next");
    expect(services[0]?.containers[0]?.image).toBe(`${setting.target.address}/rel/api:1.0@${digest}`);
    await page.goBack();
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText(/Its images stay in the registry/).waitFor();
    await dialog.getByLabel("Type 1.0 to confirm").fill("1.0");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("list", { name: "Delivery versions" }).waitFor();
    await page.getByRole("link", { name: "1.0", exact: true }).waitFor({ state: "detached" });
    expect((await setting.slipway.call("GET", `/openapi/delivery/releases/${id}`)).status).toBe(404);
    expect(faults).toEqual([]);
  });

  test("says why a version failed, and does it again", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, versionsPage);
    setting.target.trouble = ({ method }, response) => {
      if (method === "GET" || method === "HEAD") return false;
      response.writeHead(403).end();
      return true;
    };
    await page.getByRole("button", { name: "New version" }).click();
    await page.getByLabel("Version name").fill("2.0");
    await page.getByLabel("Copy its images to").selectOption(setting.targetId);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "2.0 failed" }).waitFor({ timeout: 30_000 });
    await browser.looksRight(page, "version-failed");
    setting.target.trouble = undefined;
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("heading", { name: "2.0 success" }).waitFor({ timeout: 30_000 });
    expect(faults).toEqual([]);
  });

  test("says by whose signature images came in, where the project demands one", async () => {
    const { calls, source, slipway } = setting;
    const push = pusher(source.address);
    const signer = keySigner();
    await signImage(push, { repository: "dev/api", image: await push.image("dev/api", "1"), signer }, "bundle");
    const verification = "/openapi/projects/project/verification?projectKey=shop";
    await calls.ok("PUT", verification, { enabled: true, public_key: signer.publicKey });
    await calls.ok("POST", `${releases}/k8s`, versionBody("3.0", setting.targetId, [setting.image("api")]));
    const { id, status, error } = await endOf(slipway, "3.0");
    expect([status, error]).toEqual(["success", ""]);
    const { page, faults } = await browser.opened();
    await browser.signIn(page, `${versionsPage}/${id}`);
    await page.getByText("Signed with the key of the project.").waitFor();
    await page.getByText(/The project demands signatures/).waitFor();
    await browser.looksRight(page, "version-signed");
    await calls.ok("PUT", verification, { enabled: false });
    expect(faults).toEqual([]);
  });

  test("makes a version of charts, which go to a chart repository", async () => {
    await runChart(setting);
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "v1/projects/detail/charts/version");
    await page.getByRole("button", { name: "New version" }).click();
    await page.getByLabel("Version name").fill("first");
    await page.getByLabel("Push its charts to this chart repository").fill("hub");
    await page.getByLabel("Copy its images to").selectOption(setting.targetId);
    await browser.looksRight(page, "version-new-charts");
    await page.getByRole("button", { name: "Create" }).click();
    await page
      .getByRole("alert")
      .getByText(/must be a version such as 1\.2\.3/)
      .first()
      .waitFor();
    await page.getByLabel("Version name").fill("1.3.0");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "1.3.0 success" }).waitFor({ timeout: 30_000 });
    const images = page.getByRole("list", { name: "Images" });
    await images.getByText("web 1.3.0", { exact: true }).waitFor();
    await images.getByText(`${setting.target.address}/rel/web:1.3.0`, { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  test("offers only what somebody may do", async () => {
    const { calls, slipway } = setting;
    const users = await calls.ok<{ users: { uid: string; account: string }[] }>("GET", "/openapi/users");
    const uid = users.users.find(({ account }) => account === "dora")?.uid;
    await calls.ok("POST", "/openapi/policy/role-bindings?namespace=shop", {
      ...{ role: "read-only", identities: [{ identity_type: "user", uid }] },
    });
    const { id } = await versionNamed(slipway, "2.0");
    const { page } = await browser.opened();
    await browser.signIn(page, versionsPage, "dora");
    await page.getByRole("link", { name: "2.0" }).waitFor();
    expect(await page.getByRole("button", { name: "New version" }).count()).toBe(0);
    await page.goto(`${slipway.runtime.url}/console/${versionsPage}/${id}`);
    await page.getByRole("list", { name: "Images" }).waitFor();
    await browser.settled(page);
    expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
    expect(await page.getByLabel("Deploy 2.0").count()).toBe(0);
  });
});
