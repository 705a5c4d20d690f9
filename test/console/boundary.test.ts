import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { endElsewhere, meetsTheEnd } from "../harness/endedSession.ts";
import { newPerson } from "../harness/people.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

/** Of `newPerson`. */
const ofPerson = "Passw0rd-1";
let slipway: Slipway;
let browser: ConsoleBrowser;

const boundaryOf = (key: string): string => `/openapi/system/projects/${key}/boundary`;
const page = (key: string): string => `v1/projects/detail/${key}/boundary`;

async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await slipway.call(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
}
const stored = async (key: string): Promise<unknown> => (await slipway.call("GET", boundaryOf(key))).json;

describe.skipIf(chromium === undefined)("the boundary of a project, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    for (const key of ["other", "shop", "kept", ...looks.map(([name]) => `shop-${name}`)])
      await send("POST", "/openapi/projects/project", { project_name: key, project_key: key, project_type: "yaml" });
    await send("PUT", boundaryOf("other"), { namespaces: ["theirs-*"] });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)(
    "is set by system administrators, who are told what is refused and what is wide: %s",
    async (name, look) => {
      const key = `shop-${name}`;
      const { page: tab, faults } = await browser.opened(look);
      await browser.signIn(tab, `v1/projects/detail/${key}`);
      await browser.goTo(tab, "Boundary");
      const namespaces = tab.getByLabel("Namespaces that Slipway did not make");
      const kinds = tab.getByLabel("Cluster-scoped kinds");
      const save = tab.getByRole("button", { name: "Save" });
      expect(await tab.getByRole("radio", { name: /^baseline/ }).isChecked()).toBe(true);
      expect(await namespaces.inputValue()).toBe("");
      await namespaces.fill(`theirs-1\n${key}-*, kube-system`);
      await kinds.fill("Pod");
      await tab.getByRole("radio", { name: /^restricted/ }).check();
      await tab.getByLabel("Jobs may run privileged").check();
      await save.click();
      const refusal = tab.getByRole("alert").getByRole("listitem");
      await refusal.filter({ hasText: /"Pod" is no cluster-scoped kind/ }).waitFor();
      await refusal.filter({ hasText: /"kube-system" covers kube-system/ }).waitFor();
      await browser.looksRight(tab, `boundary-refused-${name}`);
      expect(await namespaces.inputValue()).toBe(`theirs-1\n${key}-*, kube-system`);
      expect(await tab.getByRole("radio", { name: /^restricted/ }).isChecked()).toBe(true);
      await namespaces.fill(`theirs-1\n${key}-*`);
      await kinds.fill("ClusterRole, StorageClass");
      await save.click();
      await refusal.filter({ hasText: /"theirs-1" overlaps "theirs-\*" in the boundary of project other/ }).waitFor();
      await namespaces.fill(`${key}-*,\n  own-${name}\n`);
      await save.click();
      await tab.getByText("Saved.").waitFor();
      expect(await refusal.count()).toBe(0);
      expect(await stored(key)).toEqual({
        namespaces: [`${key}-*`, `own-${name}`],
        cluster_scoped_kinds: ["ClusterRole", "StorageClass"],
        pod_security: "restricted",
        privileged_jobs: true,
      });
      await namespaces.fill("*");
      // What is typed now is not saved.
      await tab.getByText("Saved.").waitFor({ state: "detached" });
      await kinds.fill("*");
      await tab.getByRole("radio", { name: /^privileged/ }).check();
      await tab.getByLabel("Jobs may run privileged").uncheck();
      await save.click();
      const warnings = tab.getByRole("list", { name: "Warnings" });
      await warnings.getByText("the project may use every namespace that belongs to no other project").waitFor();
      await warnings
        .getByText("the project may deploy every cluster-scoped kind that the installation allows")
        .waitFor();
      await browser.looksRight(tab, `boundary-${name}`);
      await tab.reload();
      expect(await namespaces.inputValue()).toBe("*");
      expect(await kinds.inputValue()).toBe("*");
      expect(await tab.getByRole("radio", { name: /^privileged/ }).isChecked()).toBe(true);
      expect(await tab.getByLabel("Jobs may run privileged").isChecked()).toBe(false);
      await tab.getByRole("button", { name: "中文" }).click();
      await tab.getByRole("heading", { name: `${key} 的边界` }).waitFor();
      await browser.looksRight(tab, `boundary-chinese-${name}`);
      expect(faults).toEqual([]);
    },
  );

  test("keeps what was typed when the session ends before it is saved", async () => {
    const person = await newPerson("ended", [{ namespace: "*", roles: { admin: [] } }]);
    const { page: tab } = await browser.opened();
    await browser.signIn(tab, page("kept"), "ended", ofPerson);
    await tab.getByLabel("Namespaces that Slipway did not make").fill("kept-*");
    await tab.getByRole("radio", { name: /^restricted/ }).check();
    await endElsewhere(slipway, person);
    await meetsTheEnd(tab, tab.getByRole("button", { name: "Save" }));
    const dialog = tab.getByRole("dialog");
    await dialog.getByLabel("Password").fill(ofPerson);
    await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await tab.getByLabel("Namespaces that Slipway did not make").inputValue()).toBe("kept-*");
    await tab.getByRole("button", { name: "Save" }).click();
    await tab.getByText("Saved.").waitFor();
    expect(await stored("kept")).toMatchObject({ namespaces: ["kept-*"], pod_security: "restricted" });
  });

  test.each(looks)("is read by administrators of the project, and by no other member: %s", async (name, look) => {
    const grant = (role: string) => [{ namespace: "shop", roles: { [role]: ["get_environment"] } }];
    await newPerson(`keeper-${name}`, grant("project-admin"));
    await newPerson(`member-${name}`, grant("looks"));
    await send("PUT", boundaryOf("shop"), {
      namespaces: ["shop-*", "billing"],
      cluster_scoped_kinds: ["*"],
      pod_security: "restricted",
    });
    const { page: tab, faults } = await browser.opened(look);
    await browser.signIn(tab, "v1/projects/detail/shop", `keeper-${name}`, ofPerson);
    await browser.goTo(tab, "Boundary");
    for (const fact of ["shop-*", "billing", "all that the installation allows", "restricted", "not allowed"])
      await tab.getByRole("definition").filter({ hasText: fact }).waitFor();
    await tab.getByText("Only system administrators can change it.").waitFor();
    expect(await tab.getByRole("main").locator("input, textarea, button").count()).toBe(0);
    await browser.looksRight(tab, `boundary-read-${name}`);
    await send("PUT", boundaryOf("shop"), { namespaces: ["*"], privileged_jobs: true });
    await tab.reload();
    for (const fact of ["every one that belongs to no other project", "none", "baseline", "allowed"])
      await tab
        .getByRole("definition")
        .filter({ hasText: new RegExp(`^${fact}`) })
        .waitFor();
    const { page: other } = await browser.opened(look);
    await browser.signIn(other, "v1/projects/detail/shop", `member-${name}`, ofPerson);
    await other.getByRole("heading", { name: "shop", level: 1 }).waitFor();
    await browser.settled(other);
    expect(await other.getByRole("link", { name: "Boundary" }).count()).toBe(0);
    await other.goto(`${slipway.runtime.url}/console/${page("shop")}`);
    await other.getByText("Only administrators of the project can see this page.").waitFor();
    expect(faults).toEqual([]);
  });
});
