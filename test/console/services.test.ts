import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password, retype } from "../harness/consoleBrowser.ts";
import { giveRoles } from "../harness/giveRoles.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

const page = (query: string): string => `v1/projects/detail/shop/services${query}`;
const manifest = (name: string, image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  selector:
    matchLabels: { app: ${name} }
  template:
    metadata:
      labels: { app: ${name} }
    spec:
      containers:
        - name: main
          image: "${image}"
`;
let slipway: Slipway;
let browser: ConsoleBrowser;

async function send(method: string, path: string, body: unknown): Promise<void> {
  const answer = await slipway.call(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
}

interface Detail {
  yaml: string;
  service_variable_kvs: { key: string; value: unknown }[];
}
const stored = async (service: string, prefix = "/openapi/service/yaml") =>
  (await slipway.call<Detail>("GET", `${prefix}/${service}?projectKey=shop`)).json;

describe.skipIf(chromium === undefined)("the definitions of services, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    await send("POST", "/openapi/projects/project", {
      project_name: "Shop",
      project_key: "shop",
      project_type: "yaml",
    });
    const variable_yaml = [{ key: "tag", value: "1.27", type: "string", desc: "of nginx" }];
    for (const service_name of ["web", "light", "dark", "narrow"]) {
      const body = { service_name, yaml: manifest(service_name, "nginx:{{.tag}}"), variable_yaml };
      await send("POST", "/openapi/service/yaml/raw?projectKey=shop", body);
    }
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)("are checked while they are typed, saved, and compared: %s", async (name, look) => {
    const { page: tab, faults } = await browser.opened(look);
    await browser.signIn(tab, "v1/projects/detail/shop");
    await browser.goTo(tab, "Services");
    await tab.getByRole("link", { name, exact: true }).click();
    const editor = tab.getByRole("textbox", { name: `YAML of ${name}` });
    const before = (await stored(name)).yaml;
    await retype(editor, before.replace("spec:\n  selector", "spec: {\n  selector"));
    await tab
      .getByRole("alert")
      .getByText(/line \d+/)
      .waitFor();
    await tab.locator(".cm-lint-marker-error").first().waitFor();
    const save = tab.getByRole("button", { name: "Save as a new revision" });
    expect(await save.isDisabled()).toBe(true);
    await browser.looksRight(tab, `service-refused-${name}`);
    await retype(
      editor,
      before.replace("image: ", "imagePullPolice: Always\n          image: ").replace("nginx:", "httpd:"),
    );
    await tab
      .getByRole("list", { name: "Warnings" })
      .getByText(/imagePullPolice/)
      .waitFor();
    await tab.locator(".cm-lint-marker-warning").first().waitFor();
    await tab.getByText("It can be saved.").click();
    await tab.getByText(/\+.*httpd:1\.27/).waitFor();
    await browser.looksRight(tab, `service-warned-${name}`);
    await save.click();
    await tab.getByText(/^Saved\. Environments/).waitFor();
    expect((await stored(name)).yaml).toContain("httpd:{{.tag}}");
    await tab.getByRole("link", { name: "Revision 2" }).click();
    await tab.getByText(/\+.*httpd:\{\{\.tag\}\}/).waitFor();
    await browser.looksRight(tab, `service-revision-${name}`);
    await tab.getByRole("link", { name: "Revision 1" }).click();
    await tab.getByRole("button", { name: "Edit this text" }).click();
    await save.click();
    await tab.getByRole("link", { name: "Revision 3" }).waitFor();
    expect((await stored(name)).yaml).toBe(before);
    expect(faults).toEqual([]);
  });

  test("keep what is typed until it is saved or thrown away, and take new defaults", async () => {
    const { page: tab, faults } = await browser.opened();
    await browser.signIn(tab, page("?service=web"));
    const editor = tab.getByRole("textbox", { name: "YAML of web" });
    await editor.click();
    await tab.keyboard.press("Control+End");
    await tab.keyboard.type("# by hand\n");
    await tab.getByText("It can be saved.").waitFor();
    tab.once("dialog", (dialog) => void dialog.dismiss());
    await tab.getByRole("link", { name: "light", exact: true }).click();
    await tab.getByRole("heading", { name: "web" }).waitFor();
    await tab.keyboard.press("Tab");
    expect(await editor.evaluate((content) => content.matches(":focus"))).toBe(false);
    await tab.getByRole("button", { name: "Discard" }).click();
    await tab.getByText("# by hand").waitFor({ state: "detached" });
    await tab.getByLabel("Value of tag").fill("1.28");
    await tab.getByRole("button", { name: "Save the defaults" }).click();
    await tab.getByRole("list", { name: "Revisions" }).getByText("nginx:1.28").waitFor();
    expect((await stored("web")).service_variable_kvs).toMatchObject([{ key: "tag", value: "1.28" }]);
    expect(faults).toEqual([]);
  });

  test("are made from what is typed, test and production each for itself", async () => {
    const { page: tab, faults } = await browser.opened();
    await browser.signIn(tab, page(""));
    await tab.getByRole("link", { name: "New service" }).click();
    await retype(tab.getByRole("textbox", { name: "Manifests" }), manifest("api", "caddy:2"));
    await tab.getByLabel("Name", { exact: true }).fill("web");
    await tab
      .getByRole("alert")
      .getByText(/already exists/)
      .waitFor();
    await tab.getByLabel("For production environments").check();
    await tab.getByText("It can be saved.").waitFor();
    await browser.looksRight(tab, "service-new");
    await tab.getByRole("button", { name: "Create" }).click();
    await tab.getByRole("heading", { name: "web" }).waitFor();
    expect(new URL(tab.url()).search).toBe("?service=web&production=true");
    expect((await stored("web", "/openapi/service/yaml/production")).yaml).toBe(manifest("api", "caddy:2"));
    await tab.getByRole("button", { name: "中文" }).click();
    await tab.getByRole("link", { name: "修订 1" }).waitFor();
    await browser.looksRight(tab, "service-chinese");
    expect(faults).toEqual([]);
  });

  test("are only read by whoever may not change them", async () => {
    const { uid } = (
      await slipway.call<{ uid: string }>("POST", "/api/v1/users", {
        body: { account: "rita", name: "Rita", password },
      })
    ).json;
    await giveRoles(uid, [{ namespace: "shop", roles: { reader: ["get_service"] } }]);
    const { page: tab, faults } = await browser.opened();
    await browser.signIn(tab, page("?service=web"), "rita");
    const editor = tab.getByRole("textbox", { name: "YAML of web" });
    await editor.waitFor();
    expect(await editor.getAttribute("aria-readonly")).toBe("true");
    expect(await tab.getByRole("button", { name: /^Save/ }).count()).toBe(0);
    expect(await tab.getByRole("link", { name: "New service" }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
