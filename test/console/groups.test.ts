import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtConsole } from "../../infra/builtConsole.ts";
import { chromium } from "../harness/chromium.ts";
import { type ConsoleBrowser, looks, openBrowser, password } from "../harness/consoleBrowser.ts";
import { type Slipway, startSlipway } from "../harness/slipway.ts";

const page = (query = ""): string => `administration/groups${query}`;
let slipway: Slipway;
let browser: ConsoleBrowser;

async function send<T extends object>(method: string, path: string, body?: object): Promise<T> {
  const answer = await slipway.call<T>(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json;
}

interface Group {
  id: string;
  name: string;
  description: string;
  uids: string[];
}
const named = async (name: string): Promise<Group | undefined> => {
  const { group_list } = await send<{ group_list: Group[] }>("GET", `/openapi/user-groups?name=${name}`);
  const found = group_list.find((group) => group.name === name);
  return found && send<Group>("GET", `/api/v1/user-group/${found.id}`);
};
const rolesOf = async (id: string, namespace: string): Promise<string[]> => {
  const query = `namespace=${encodeURIComponent(namespace)}&gid=${id}`;
  const bindings = await send<{ roles: string[] }[]>("GET", `/openapi/policy/role-bindings?${query}`);
  return bindings.flatMap(({ roles }) => roles);
};

describe.skipIf(chromium === undefined)("groups of users, in the console", () => {
  beforeAll(async () => {
    builtConsole();
    slipway = await startSlipway({ withConsole: true, adminPassword: password });
    await send("POST", "/openapi/projects/project", {
      project_name: "Shop",
      project_key: "shop",
      project_type: "yaml",
    });
    for (const [account, name] of [
      ["dora", "Dora Meyer"],
      ["omar", "Omar Said"],
    ])
      await send("POST", "/api/v1/users", { account, name, password });
    for (let number = 1; number <= 51; number++) await send("POST", "/api/v1/user-group", { name: `team ${number}` });
    browser = await openBrowser(slipway);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  test.each(looks)("are made, described, filled, given roles, and deleted by name: %s", async (look, options) => {
    const { page: tab, faults } = await browser.opened(options);
    const name = `testers ${look}`;
    await browser.signIn(tab, "administration");
    await tab.getByRole("link", { name: "Groups" }).click();
    await tab.getByLabel("Name of a new group").fill(name);
    await tab.getByRole("button", { name: "Create" }).click();
    const group = tab.getByRole("region", { name: "Group", exact: true });
    await group.getByRole("heading", { name }).waitFor();
    await group.getByLabel("What it is for").fill("they try things");
    await group.getByRole("button", { name: "Save", exact: true }).click();
    await tab.getByRole("list", { name: "Groups" }).getByText("they try things").waitFor();
    const people = group.getByLabel("Account or part of a name, then Enter");
    await people.fill("dora");
    await people.press("Enter");
    await group.getByRole("button", { name: "Add dora" }).click();
    await group.getByRole("list", { name: "Members" }).getByText("Dora Meyer").waitFor();
    await people.fill("Said");
    await people.press("Enter");
    await group.getByRole("button", { name: "Add omar" }).click();
    await group.getByRole("button", { name: "Remove omar" }).click();
    await group.getByRole("button", { name: "Remove omar" }).waitFor({ state: "detached" });
    await group.getByLabel("Roles in").selectOption("shop");
    await group.getByRole("checkbox", { name: "read-only" }).check();
    await group.getByRole("button", { name: "Save the roles" }).click();
    await group.getByRole("button", { name: "Save the roles" }).waitFor({ state: "detached" });
    await group.getByLabel("Roles in").selectOption("the installation");
    await group.getByRole("checkbox", { name: "admin", exact: true }).check();
    await browser.looksRight(tab, `groups-${look}`);
    await group.getByRole("button", { name: "Save the roles" }).click();
    const dialog = tab.getByRole("dialog");
    await dialog.getByText("Everybody in it gets: admin. They lose: –.").waitFor();
    await browser.looksRight(tab, `group-roles-${look}`);
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const made = await named(name);
    expect(made).toMatchObject({ description: "they try things", uids: [expect.any(String)] });
    expect(await rolesOf(made?.id ?? "", "shop")).toEqual(["read-only"]);
    expect(await rolesOf(made?.id ?? "", "*")).toEqual(["admin"]);
    await tab.reload();
    await group.getByRole("button", { name: `Delete ${name}` }).click();
    await dialog.getByText("Its members (1) lose the roles that they have by it.").waitFor();
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await group.waitFor({ state: "detached" });
    expect(await named(name)).toBeUndefined();
    expect(faults).toEqual([]);
  });

  test("are renamed, and a name that is taken is refused in words", async () => {
    const { page: tab, faults } = await browser.opened();
    const { group_id } = await send<{ group_id: string }>("POST", "/api/v1/user-group", { name: "old name" });
    await browser.signIn(tab, page(`?group=${group_id}`));
    const group = tab.getByRole("region", { name: "Group", exact: true });
    const name = group.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("team 1");
    await group.getByRole("button", { name: "Save", exact: true }).click();
    await group.getByRole("alert").waitFor();
    await name.fill("new name");
    await group.getByRole("button", { name: "Save", exact: true }).click();
    await group.getByRole("heading", { name: "new name" }).waitFor();
    expect((await named("new name"))?.id).toBe(group_id);
    expect(faults).toEqual([]);
  });

  test("come page by page and by a part of their names; that of all users is given roles alone", async () => {
    const { page: tab, faults } = await browser.opened();
    await browser.signIn(tab, page());
    const list = tab.getByRole("list", { name: "Groups" });
    await list.getByRole("listitem").nth(49).waitFor();
    await tab.getByRole("link", { name: "Older" }).click();
    await list.getByRole("link", { name: "all-users" }).click();
    const group = tab.getByRole("region", { name: "Group", exact: true });
    await group.getByText("Every user is in it, and it cannot be changed.").waitFor();
    expect(await group.getByRole("button", { name: /^Delete/ }).count()).toBe(0);
    await group.getByLabel("Roles in").selectOption("shop");
    await group.getByRole("checkbox", { name: "read-only" }).check();
    await group.getByRole("button", { name: "Save the roles" }).click();
    await tab.getByRole("dialog").getByLabel("Type all-users to confirm").waitFor();
    await tab.keyboard.press("Escape");
    // Closing gives the focus back to the button.
    await tab.getByRole("dialog").waitFor({ state: "hidden" });
    const part = tab.getByRole("searchbox", { name: "Part of a name, then Enter" });
    await part.fill("team 4");
    await part.press("Enter");
    await list.getByRole("link", { name: "team 44" }).waitFor();
    // team 4, and team 40 to team 49
    await list.getByRole("listitem").nth(11).waitFor({ state: "detached" });
    expect(await list.getByRole("listitem").count()).toBe(11);
    await tab.goto(`${slipway.runtime.url}/console/${page("?name=nothing")}`);
    await tab.getByText("No group matches “nothing”.").waitFor();
    expect(faults).toEqual([]);
  });

  test("are not shown to who is no administrator", async () => {
    const { page: tab } = await browser.opened();
    await browser.signIn(tab, page(), "omar");
    await tab.getByText("Only administrators see something here.").waitFor();
    expect(await tab.getByLabel("Name of a new group").count()).toBe(0);
  });
});
