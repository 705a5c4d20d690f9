import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password, retype } from "../harness/consoleBrowser.ts";
import { giveRoles } from "../harness/giveRoles.ts";
import { passing } from "../harness/passingApprovals.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

let slipway: Slipway;
let browser: ConsoleBrowser;

interface Stored {
  stages: { name: string; jobs: { name: string; type: string; spec: { script?: string } }[] }[];
}
const stored = async (workflow: string) =>
  (await slipway.call<Stored>("GET", `/api/aslan/workflow/v4/name/${workflow}?projectKey=shop`)).json;

describe.skipIf(chromium === undefined)("the definition of a workflow, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    const body = { project_name: "Shop", project_key: "shop", project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)("is put together in the graph and in the text, checked and saved: %s", async (name, look) => {
    const { page, faults } = await browser.opened(look);
    await browser.signIn(page, "v1/projects/detail/shop");
    await page.getByRole("link", { name: "New workflow" }).click();
    const text = page.getByRole("textbox", { name: "YAML of New workflow" });
    await text.getByText("my-workflow").waitFor();
    await page.getByLabel("Add a job to first").selectOption("freestyle");
    await page.getByRole("button", { name: "Add a stage" }).click();
    await page.getByLabel("Add a job to stage-2").selectOption("approval");
    await page.getByText("It can be saved.").waitFor();
    await browser.looksRight(page, `workflow-new-${name}`);
    await page.getByLabel("Add a job to stage-2").selectOption("k8s-canary-release");
    await page.getByRole("list", { name: "stage-2" }).locator(".problem").first().waitFor();
    await page.locator(".cm-lint-marker-error").first().waitFor();
    const save = page.getByRole("button", { name: "Save" });
    expect(await save.isDisabled()).toBe(true);
    await browser.looksRight(page, `workflow-refused-${name}`);
    await page.getByRole("button", { name: "Remove job-3" }).click();
    const typed = (await text.locator(".cm-line").allTextContents()).join("\n");
    await retype(text, typed.replace("my-workflow", `ship-${name}`));
    await page.getByText("It can be saved.").waitFor();
    await save.click();
    await page.getByRole("heading", { name: `ship-${name}` }).waitFor();
    const { stages } = await stored(`ship-${name}`);
    expect(stages.map(({ jobs }) => jobs.map(({ type }) => type))).toEqual([["freestyle"], ["approval"]]);
    expect(stages[0]?.jobs[0]?.spec.script).toBe("set -eu\necho hello\n");
    expect(faults).toEqual([]);
  });

  test("is changed where it stands, from either side", async () => {
    const body = {
      ...{ name: "release", project: "shop" },
      stages: ["one", "two"].map((name) => ({ name, jobs: [{ name: `ask-${name}`, type: "approval", spec: {} }] })),
    };
    for (const stage of body.stages) for (const job of stage.jobs) job.spec = passing;
    expect((await slipway.call("POST", "/openapi/workflows/custom", { body })).status).toBe(200);
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "v1/projects/detail/shop/pipelines/custom/release");
    await page.getByRole("link", { name: "Edit" }).click();
    const text = page.getByRole("textbox", { name: "YAML of release" });
    await text.getByText("ask-one").waitFor();
    await page.getByRole("button", { name: /^ask-two/ }).click();
    await page.keyboard.press("End");
    await page.keyboard.type("-renamed");
    await page.getByRole("button", { name: /^ask-two-renamed/ }).waitFor();
    await page.getByRole("button", { name: "Move two to the front by one" }).click();
    await page.getByText("It can be saved.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "release", exact: true }).waitFor();
    expect((await stored("release")).stages.map(({ name, jobs }) => [name, jobs[0]?.name])).toEqual([
      ["two", "ask-two-renamed"],
      ["one", "ask-one"],
    ]);
    expect(faults).toEqual([]);
  });

  test("says where a text is no YAML, and is offered to nobody who may not change it", async () => {
    const made = await slipway.call<{ uid: string }>("POST", "/api/v1/users", {
      body: { account: "rita", name: "Rita", password },
    });
    await giveRoles(made.json.uid, [{ namespace: "shop", roles: { reader: ["get_workflow"] } }]);
    const { page, faults } = await browser.opened();
    await browser.signIn(page, "v1/projects/detail/shop/pipelines/new");
    await retype(page.getByRole("textbox", { name: "YAML of New workflow" }), "name: [x\nstages: 1");
    await page
      .getByText(/^Line \d+: /)
      .first()
      .waitFor();
    await page.getByText("The graph comes back").waitFor();
    const other = await browser.opened();
    await browser.signIn(other.page, "v1/projects/detail/shop", "rita");
    await other.page.getByRole("heading", { name: "Workflows" }).waitFor();
    expect(await other.page.getByRole("link", { name: "New workflow" }).count()).toBe(0);
    expect([...faults, ...other.faults]).toEqual([]);
  });
});
