import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requirePolicy } from "../../../../functions/api/policy/readRoles.ts";
import { replacePolicy, type StoredRole } from "../../../../shared/access/identity/store/policies.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { expectError } from "../../../security/expectError.ts";
import { policyCalls } from "./policyCalls.ts";

let slipway: Slipway;
let api: ReturnType<typeof policyCalls>;

beforeAll(async () => {
  slipway = await startSlipway();
  api = policyCalls(slipway);
  for (const key of ["shop", "other"]) expect((await api.createProject(key)).status).toBe(200);
});

afterAll(() => slipway.close());

const success = { message: "success" };
const predefined = ["project-admin", "read-only", "read-project-only"];

describe("the actions of roles", () => {
  const path = "/openapi/policy/resource-actions?projectName=shop";
  type Definitions = { resource: string; alias: string; rules: { action: string; alias: string }[] }[];
  const ask = async (more: string) => (await slipway.call<Definitions>("GET", path + more)).json;

  test("are those of the specification in their order, with English names", async () => {
    const definitions = await ask("&envType=k8s");
    expect(definitions.map(({ resource }) => resource)).toEqual([
      "Workflow",
      "Environment",
      "ProductionEnvironment",
      "Service",
      "ProductionService",
      "Build",
      "Test",
      "Scan",
      "Delivery",
    ]);
    expect(definitions[2]).toEqual({
      resource: "ProductionEnvironment",
      alias: "Production environment",
      rules: [
        { action: "get_production_environment", alias: "View" },
        { action: "create_production_environment", alias: "Create" },
        { action: "config_production_environment", alias: "Configure" },
        { action: "edit_production_environment", alias: "Manage service instances" },
        { action: "delete_production_environment", alias: "Delete" },
        { action: "production_debug_pod", alias: "Debug service" },
      ],
    });
    expect(definitions[0]?.rules.map(({ alias }) => alias)).toEqual([
      "View",
      "Create",
      "Edit",
      "Delete",
      "Execute",
      "Debug",
    ]);
  });

  test("of a free project have hosts and neither production nor pods; without a type nothing is left out", async () => {
    const free = await ask("&envType=pm");
    expect(free.map(({ resource }) => resource)).not.toContain("ProductionService");
    expect(free).toHaveLength(7);
    const environment = free.find(({ resource }) => resource === "Environment")?.rules.map(({ action }) => action);
    expect(environment?.at(-1)).toBe("ssh_pm");
    expect(environment).not.toContain("debug_pod");
    const all = JSON.stringify(await ask(""));
    for (const action of ["ssh_pm", "debug_pod", "production_debug_pod"]) expect(all).toContain(`"${action}"`);
    expect(JSON.stringify(await ask("&envType=k8s"))).not.toContain("ssh_pm");
  });

  test("of an unknown project are 404 to the administrator", async () => {
    const answer = await slipway.call("GET", "/openapi/policy/resource-actions?projectName=nowhere&envType=k8s");
    expectError(answer, 404, "an unknown project");
  });
});

describe("roles", () => {
  test("that come with a project are its three system roles; people's come before them", async () => {
    expect((await api.createRole("shop", "zeta", ["get_service"])).json).toEqual(success);
    expect((await api.createRole("shop", "alpha", ["get_service"])).json).toEqual(success);
    const { json } = await api.roles("shop");
    expect(json.map(({ name, type }) => [name, type])).toEqual([
      ["zeta", "custom"],
      ["alpha", "custom"],
      ...predefined.map((name) => [name, "system"]),
    ]);
    for (const role of json) expect(Object.keys(role).sort()).toEqual(["desc", "id", "name", "namespace", "type"]);
    expect(new Set(json.map(({ id }) => id)).size).toBe(5);
    expect((await api.roles("*")).json.map(({ name }) => name)).toEqual(["admin", "global-read-only"]);
  });

  test("show their actions by resource, in the order of the resources", async () => {
    const actions = ["scale_environment", "run_workflow", "get_workflow", "get_environment", "get_workflow"];
    await api.createRole("shop", "shown", actions);
    const { json } = await api.role("shop", "shown");
    expect(json).toMatchObject({ name: "shown", namespace: "shop", desc: "", type: "custom" });
    expect(json.rules).toEqual([
      { resource: "Workflow", verbs: ["get_workflow", "run_workflow"] },
      { resource: "Environment", verbs: ["get_environment", "scale_environment"] },
    ]);
    expect((await api.role("shop", "project-admin")).json.rules).toEqual([]);
    expect((await api.role("shop", "read-only")).json.rules).toHaveLength(9);
  });

  test("may have any name without / \\ ? # %, and one name once whatever its case", async () => {
    for (const name of ["release crew", "Ünïcode", "__proto__", "constructor", "x".repeat(32)]) {
      expect((await api.createRole("shop", name, [])).json, name).toEqual(success);
      expect((await api.role("shop", name)).json.name).toBe(name);
      const again = expectError(await api.createRole("shop", name.toUpperCase(), []), 400, name);
      expect(again.description).toContain(`role ${name} already exists`);
    }
    expect((await api.createRole("other", "release crew", [])).json).toEqual(success);
  });

  test.each(["", "x".repeat(33), "a/b", " a", "a?", "..", ...predefined, "Project-Admin", "admin", "global-read-only"])(
    "are refused the name '%s'",
    async (name) => {
      const { extra } = expectError(await api.createRole("shop", name, ["get_service"]), 400, name);
      expect(extra.problems?.map((problem) => problem.path)).toContain("name");
    },
  );

  test("are refused actions that do not exist or are of the other kind of namespace, all named at once", async () => {
    const wrong = expectError(
      await api.createRole("shop", "wrong", ["fly", "get_service", "get_log_operation"]),
      400,
      "",
    );
    expect(wrong.extra.problems).toEqual([
      { in: "body", path: "actions[0]", problem: "unknown action fly" },
      { in: "body", path: "actions[2]", problem: "unknown action get_log_operation" },
    ]);
    const system = expectError(await api.createRole("*", "wrong", ["get_service"]), 400, "");
    expect(system.description).toContain("unknown action get_service");
    await api.createRole("shop", "right", ["get_service"]);
    expectError(await api.updateRole("shop", "right", ["fly"]), 400, "an update");
    expect((await api.role("shop", "right")).json.rules).toEqual([{ resource: "Service", verbs: ["get_service"] }]);
  });

  test("are refused a body whose namespace is another than the query's", async () => {
    const body = { name: "stray", namespace: "other", actions: [] };
    const answer = await slipway.call("POST", "/openapi/policy/roles?namespace=shop", { body });
    expect(expectError(answer, 400, "two namespaces").extra.problems).toMatchObject([{ path: "namespace" }]);
  });

  test("take the namespace as projectKey, too, as a public client sends it", async () => {
    const body = { name: "by-alias", actions: ["get_service"] };
    const made = await slipway.call("POST", "/openapi/policy/roles?projectKey=shop", { body });
    expect(made.json).toEqual(success);
    const read = await slipway.call("GET", "/openapi/policy/roles/by-alias?projectKey=shop");
    expect(read.json).toMatchObject({ namespace: "shop" });
  });

  test("get other actions and keep their description unless another is sent", async () => {
    const path = "/openapi/policy/roles";
    const body = { name: "described", actions: ["get_service"], desc: "first" };
    await slipway.call("POST", `${path}?namespace=shop`, { body });
    await api.updateRole("shop", "described", ["edit_service"]);
    expect((await api.role("shop", "described")).json).toMatchObject({
      desc: "first",
      rules: [{ resource: "Service", verbs: ["edit_service"] }],
    });
    const other = { actions: [], desc: "second" };
    await slipway.call("PUT", `${path}/described?namespace=shop`, { body: other });
    expect((await api.role("shop", "described")).json).toMatchObject({ desc: "second", rules: [] });
  });

  test("of the system never change and never go", async () => {
    for (const [namespace, name] of [...predefined.map((role) => ["shop", role] as const), ["*", "admin"] as const]) {
      const changed = expectError(
        await api.updateRole(namespace, name, ["get_service"].slice(0, namespace === "*" ? 0 : 1)),
        400,
        name,
      );
      expect(changed.description).toContain(`can't update system role: ${name}`);
      const gone = expectError(await api.deleteRole(namespace, name), 400, name);
      expect(gone.description).toContain(`can't delete system role: ${name}`);
    }
  });

  test("that are unknown are 404 to read and to change, and a success to delete", async () => {
    const { description } = expectError(await api.role("shop", "ghost"), 404, "reading");
    expect(description).toBe("role ghost not found in namespace shop");
    expectError(await api.updateRole("shop", "ghost", []), 404, "changing");
    expect((await api.deleteRole("shop", "ghost")).json).toEqual(success);
    expectError(await api.createRole("nowhere", "any", []), 404, "an unknown project");
    expectError(await api.roles("nowhere"), 404, "an unknown project");
  });

  test("made under one name by 20 requests at once have one winner, and different ones all stand", async () => {
    const same = await Promise.all(Array.from({ length: 20 }, () => api.createRole("other", "contended", [])));
    expect(same.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    const names = Array.from({ length: 12 }, (_, at) => `role-${at}`);
    const each = await Promise.all(names.map((name) => api.createRole("other", name, [])));
    expect(each.map(({ status }) => status)).toEqual(names.map(() => 200));
    const listed = (await api.roles("other")).json.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining([...names, "contended"]));
    expect(listed.filter((name) => name === "contended")).toHaveLength(1);
  });

  test("are at most 100 in a project", async () => {
    await api.createProject("many");
    const policy = await requirePolicy("many");
    const role = (at: number): StoredRole => ({ name: `role-${at}`, description: "", kind: "custom", verbs: [] });
    const added = Array.from({ length: 99 }, (_, at) => [1_000_000 + at, role(at)]);
    await table().write(replacePolicy(policy, { roles: { ...policy.roles, ...Object.fromEntries(added) } }));
    expect((await api.createRole("many", "the-100th", [])).json).toEqual(success);
    expect((await api.roles("many")).json).toHaveLength(103);
    expect(expectError(await api.createRole("many", "one-more", []), 400, "the 101st").description).toContain("100");
  });

  test("bound to a user directly are listed by uid", async () => {
    const person = await newPerson("listed", [{ namespace: "shop", roles: { "read-only": [] } }]);
    expect((await api.roles("shop", `&uid=${person.uid}`)).json.map(({ name }) => name)).toEqual(["read-only"]);
    expect((await api.roles("other", `&uid=${person.uid}`)).json).toEqual([]);
  });

  test("are in the hands of the project's administrator, and of nobody in another project", async () => {
    const { token } = await newPerson("keeper", [{ namespace: "shop", roles: { "project-admin": [] } }]);
    expect((await api.createRole("shop", "kept", ["get_service"], { token })).json).toEqual(success);
    expect((await api.deleteRole("shop", "kept", { token })).json).toEqual(success);
    for (const namespace of ["other", "nowhere", "*"])
      expectError(await api.createRole(namespace, "kept", [], { token }), 403, namespace);
  });
});
