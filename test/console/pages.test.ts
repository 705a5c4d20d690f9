import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { table } from "../../shared/base/store/table.ts";
import { addCost } from "../../shared/reports/costs/store/costDays.ts";
import { shifted } from "../../shared/reports/statistics/rules/days.ts";
import { addJob } from "../functions/api/statistics/addJobs.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";

const environmentPage = "v1/projects/detail/shop/envs/detail?envName=dev";
let slipway: Slipway;
let browser: ConsoleBrowser;

const manifest = (tag: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:${tag}"}]}
`;

const script = (name: string, text: string) => ({
  ...{ name, type: "freestyle" },
  spec: { runtime: { infrastructure: "kubernetes", build_os: "ubuntu 20.04" }, script_type: "shell", script: text },
});

async function send(method: string, path: string, body: unknown): Promise<void> {
  const answer = await slipway.call(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
}

const running = () =>
  waitFor("the environment running", async () => {
    const { json } = await slipway.call<{ status: string; stored_status: string }>(
      "GET",
      "/openapi/environments/dev?projectKey=shop",
    );
    return json.status === "running" && json.stored_status === "success";
  });

describe.skipIf(chromium === undefined)("the console in Chromium", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    const clusters = await slipway.call<{ cluster_id: string }[]>("GET", "/openapi/system/cluster");
    const registries = await slipway.call<{ registry_id: string }[]>("GET", "/openapi/system/registry");
    await send("POST", "/openapi/projects/project", {
      project_name: "Shop",
      project_key: "shop",
      project_type: "yaml",
    });
    await send("POST", "/openapi/service/yaml/raw?projectKey=shop", { service_name: "web", yaml: manifest("1.27") });
    await send("POST", "/openapi/environments?projectKey=shop", {
      ...{ env_key: "dev", namespace: "shop-dev", services: [{ service_name: "web" }] },
      ...{ cluster_id: clusters.json[0]?.cluster_id, registry_id: registries.json[0]?.registry_id },
    });
    await running();
    await send("PUT", "/openapi/service/yaml/web?projectKey=shop", { type: "k8s", yaml: manifest("1.28") });
    await send("PUT", "/openapi/environments/dev/services?projectKey=shop", {
      service_list: [{ service_name: "web" }],
    });
    await running();
    await send("POST", "/api/v1/users", { account: "dora", name: "Dora", password });
    const me = await slipway.call<{ uid: string }>("POST", "/api/v1/login", { body: { account: "admin", password } });
    await send("POST", "/openapi/workflows/custom?projectKey=shop", {
      ...{ name: "release", display_name: "Release", project: "shop" },
      params: [{ name: "GREETING", type: "string", value: "hello", description: "what it says", source: "runtime" }],
      stages: [
        { name: "say", jobs: [script("say", 'echo "it says {{.workflow.params.GREETING}}"')] },
        {
          name: "ask",
          jobs: [
            {
              ...{ name: "consent", type: "approval" },
              spec: {
                ...{ type: "native", timeout: 10 },
                native_approval: {
                  approve_users: [{ type: "user", user_id: me.json.uid, user_name: "admin" }],
                  needed_approvers: 1,
                },
              },
            },
          ],
        },
      ],
    });
    const approve_users = [{ type: "user", user_id: me.json.uid, user_name: "admin" }];
    for (const name of ["light", "dark", "narrow"]) {
      const body = {
        ...{ name: `plan ${name}`, manager: "admin", manager_identity_type: "system" },
        approval: {
          enabled: true,
          type: "native",
          native_approval: { timeout: 60, needed_approvers: 1, approve_users },
        },
      };
      const made = await slipway.call<{ id: string }>("POST", "/openapi/release_plan/v1", { body });
      const jobs = [{ name: "tell", type: "text", spec: { content: "Tell everybody.", remark: "" } }];
      await send("PATCH", `/openapi/release_plan/v1/${made.json.id}`, { ...body, jobs });
    }
    const production = { production: true, envKey: "prod", service: "web" };
    for (let day = 1; day <= 12; day++) {
      const at = new Date(Date.now() - day * 24 * 3600 * 1000).toISOString();
      await addJob({ ...production, type: "zadig-deploy", status: day % 4 === 0 ? "failed" : "passed", at });
      await addJob({ type: "zadig-build", status: day % 5 === 0 ? "timeout" : "passed", at });
    }
    // A thousand hours of a processor, 60 days ago.
    const longAgo = shifted(new Date().toISOString().slice(0, 10), -60);
    const used = { cpuMilliSeconds: 3_600_000_000 };
    const counters = [
      { of: "shop", part: "ship" },
      { of: "*", part: "shop" },
    ];
    await table().write(...counters.map((counter) => addCost(counter, longAgo, used)));
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test("refuses a wrong password in words, and keeps the page that was asked for", async () => {
    const { page, faults } = await browser.opened();
    await page.goto(`${slipway.runtime.url}/console/${environmentPage}`);
    await page.getByLabel("Account").fill("admin");
    await page.getByLabel("Password").fill("Wrong12345");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Account or password is wrong.").waitFor();
    await browser.looksRight(page, "sign-in");
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^dev/ }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: /^dev/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test("finds a project, says when none matches, and speaks Chinese", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page);
    await page.getByRole("link", { name: "Shop" }).waitFor();
    await page.getByLabel("Search projects").fill("nothing of it");
    await page.getByText("No project matches “nothing of it”.").waitFor();
    await page.getByRole("button", { name: "中文" }).click();
    await page.getByRole("heading", { name: "项目" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("zh");
    await page.getByRole("button", { name: "退出登录" }).click();
    await page.getByLabel("账号").waitFor();
    expect(await page.evaluate("[sessionStorage.length, localStorage.getItem('slipway.session')]")).toEqual([0, null]);
    expect(faults).toEqual([]);
  });

  test.each(looks)("has no serious fault of access on any page: %s", async (name, options) => {
    const { page, faults } = await browser.opened(options);
    await browser.signIn(page);
    await page.getByRole("link", { name: "Shop" }).waitFor();
    await browser.looksRight(page, `projects-${name}`);
    await page.getByRole("link", { name: "Shop" }).click();
    await page.getByRole("link", { name: "dev" }).waitFor();
    await browser.looksRight(page, `project-${name}`);
    await page.getByRole("link", { name: "dev" }).click();
    await page.getByRole("link", { name: "web" }).click();
    await page.getByRole("button", { name: /^Log of/ }).click();
    await page.getByText("All objects in the cluster are as they were deployed.").waitFor();
    await page.getByRole("button", { name: /^Roll back web/ }).waitFor();
    await browser.looksRight(page, `environment-${name}`);
    await page.getByRole("button", { name: /^Roll back web/ }).click();
    await page.getByText("This would change:").waitFor();
    await browser.looksRight(page, `rollback-${name}`);
    await page.keyboard.press("Escape");
    await page.goto(`${slipway.runtime.url}/console/nothing/here`);
    await page.getByRole("heading", { name: "There is no such page." }).waitFor();
    expect(faults).toEqual([]);
  });

  test("rolls a service of a test environment back after showing what that changes, without asking for its name", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, `${environmentPage}&service=web`);
    await page.getByRole("button", { name: "Roll back web to version 1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("nginx:1.27").first().waitFor();
    const confirm = dialog.getByRole("button", { name: "Roll back" });
    await confirm.click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByLabel("Services").getByText("nginx:1.27").waitFor({ timeout: 15_000 });
    await running();
    expect(faults).toEqual([]);
  });

  test.each(looks)("starts a workflow, follows its log, and approves it: %s", async (name, options) => {
    const { page, faults } = await browser.opened(options);
    await browser.signIn(page, "v1/projects/detail/shop");
    await page.getByRole("link", { name: "Release", exact: true }).click();
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByLabel("GREETING").fill(`good day from ${name}`);
    await browser.looksRight(page, `workflow-${name}`);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "Log of say" }).click({ timeout: 30_000 });
    await page.getByText(`it says good day from ${name}`).waitFor({ timeout: 30_000 });
    await page.getByRole("button", { name: "Approve" }).waitFor({ timeout: 30_000 });
    await browser.looksRight(page, `task-${name}`);
    await page.getByLabel("Comment").fill("looks good");
    await page.getByRole("button", { name: "Approve" }).click();
    await page
      .getByRole("heading", { name: /passed/ })
      .first()
      .waitFor({ timeout: 30_000 });
    await page.getByRole("link", { name: "release", exact: true }).click();
    await page.getByRole("list", { name: "Runs" }).getByText("passed").first().waitFor();
    expect(faults).toEqual([]);
  });

  test("ends a run that is rejected, and runs it again", async () => {
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "v1/projects/detail/shop/pipelines/custom/release?display_name=Release");
    await page.getByRole("button", { name: "Start a run" }).click();
    await page.getByRole("checkbox", { name: "say" }).uncheck();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "Reject" }).click({ timeout: 30_000 });
    await page.getByRole("heading", { name: /^#\d+ reject/ }).waitFor({ timeout: 30_000 });
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("button", { name: "Cancel the run" }).click({ timeout: 30_000 });
    await page.getByRole("heading", { name: /^#\d+ cancelled/ }).waitFor({ timeout: 30_000 });
    expect(faults).toEqual([]);
  });

  test.each(looks)("moves a release plan from planning to its end: %s", async (name, options) => {
    const { page, faults } = await browser.opened(options);
    await browser.signIn(page);
    await browser.goTo(page, "Release plans");
    await page.getByRole("link", { name: new RegExp(`plan ${name}`) }).waitFor();
    await browser.looksRight(page, `plans-${name}`);
    await page.getByRole("link", { name: new RegExp(`plan ${name}`) }).click();
    await page.getByRole("button", { name: "Finish planning" }).click();
    await page.getByRole("button", { name: "Ask for approval" }).click();
    await page.getByLabel("Comment").fill("go");
    await browser.looksRight(page, `plan-${name}`);
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByLabel("What was done").fill("told everybody");
    await page.getByRole("button", { name: "It is done" }).click();
    await page.getByRole("heading", { name: /success/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test.each(looks)("makes a token that reads, shows it once, and revokes it: %s", async (name, options) => {
    const { page, faults } = await browser.opened(options);
    await browser.signIn(page, "account");
    await page.getByLabel("Name").fill(`robot-${name}`);
    await page.getByRole("button", { name: "Create" }).click();
    const token = (await page.locator("code.secret").textContent()) ?? "";
    await browser.looksRight(page, `account-${name}`);
    expect((await slipway.call("GET", "/openapi/projects/project", { token })).status).toBe(200);
    const refused = await slipway.call("POST", "/openapi/projects/project", { token, body: {} });
    expect(refused.status).toBe(403);
    await page.reload();
    await page.getByRole("button", { name: `Revoke robot-${name}` }).waitFor();
    expect(await page.getByText(token).count()).toBe(0);
    await page.getByRole("button", { name: `Revoke robot-${name}` }).click();
    await page.getByRole("button", { name: `Revoke robot-${name}` }).waitFor({ state: "detached" });
    expect((await slipway.call("GET", "/openapi/projects/project", { token })).status).toBe(401);
    expect(faults).toEqual([]);
  });

  test.each(looks)("shows statistics by range and project, and what was done by whom: %s", async (name, options) => {
    const { page, faults } = await browser.opened(options);
    await browser.signIn(page, "v1/statistics");
    await page.getByRole("link", { name: "90 days" }).click();
    await page.getByRole("link", { name: "Shop" }).click();
    await page.getByText("From commit to production").waitFor();
    await page.getByRole("img", { name: "9 passed, 3 failed" }).waitFor();
    await page.getByRole("img", { name: "10 passed, 2 failed" }).waitFor();
    await page.getByText("25 %").waitFor();
    const costs = page.getByRole("region", { name: "Cost" });
    await costs.getByText(/^\$40\.\d+ in all, at the prices of now\.$/).waitFor();
    await costs.getByRole("row", { name: /^ship shop \$40\.48$/ }).waitFor();
    await browser.looksRight(page, `statistics-${name}`);
    await page.getByRole("link", { name: "7 days" }).click();
    await costs.getByRole("row", { name: /^ship/ }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "90 days" }).click();
    await costs.getByRole("link", { name: "ship" }).waitFor();
    await browser.goTo(page, "Administration");
    await page.getByRole("list", { name: "Clusters" }).getByText("normal").first().waitFor();
    await page.getByRole("list", { name: "Users" }).getByText("Dora", { exact: true }).waitFor();
    const log = page.getByRole("list", { name: "Operation log" });
    await log
      .getByText(/^(Add|Create|Delete|Update) \w/)
      .first()
      .waitFor();
    await browser.looksRight(page, `administration-${name}`);
    await page.getByRole("searchbox", { name: "Account, then Enter" }).fill("nobody-of-that-name");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing was done.").waitFor();
    expect(faults).toEqual([]);
  });

  test("does not show a project to whom it is closed", async () => {
    const { page } = await browser.opened();
    await browser.signIn(page, "", "dora");
    await page.getByText(/^No projects yet/).waitFor();
    await page.goto(`${slipway.runtime.url}/console/${environmentPage}`);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("button", { name: /Restart|Roll/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Administration" }).count()).toBe(0);
    await page.goto(`${slipway.runtime.url}/console/administration`);
    await page.getByText("Only administrators see something here.").waitFor();
    await page.goto(`${slipway.runtime.url}/console/v1/statistics?project=shop`);
    await page.getByRole("heading", { name: "Statistics" }).waitFor();
    await browser.settled(page);
    expect(await page.getByRole("heading", { name: "Cost" }).count()).toBe(0);
  });
});
