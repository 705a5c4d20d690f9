import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allUsersGroupId } from "../../../../shared/access/identity/rules/actions.ts";
import { userMustStand } from "../../../../shared/access/identity/store/users.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create, remove, update } from "../../../../shared/base/store/writes.ts";
import { newPerson } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { expectError } from "../../../security/expectError.ts";
import { storedPerson } from "../../../security/storedPerson.ts";
import { policyCalls } from "./policyCalls.ts";

let slipway: Slipway;
let api: ReturnType<typeof policyCalls>;
const group = "11111111-2222-4333-8444-555555555555";
const absent = "99999999-2222-4333-8444-555555555555";

beforeAll(async () => {
  slipway = await startSlipway();
  api = policyCalls(slipway);
  for (const key of ["shop", "other"]) expect((await api.createProject(key)).status).toBe(200);
  for (const name of ["reader", "writer"])
    expect((await api.createRole("shop", name, name === "reader" ? ["get_service"] : ["edit_service"])).status).toBe(
      200,
    );
  await table().write(
    create({ ...keys.group(group), type: "group", groupId: group, name: "crew", description: "", userTotal: 0 }),
  );
});

afterAll(() => slipway.close());

const success = { message: "success" };
const rolesOf = async (uid: string) => (await api.bindings("shop", `&uid=${uid}`)).json[0]?.roles;

async function join(uid: string): Promise<void> {
  await table().write(
    update(keys.user(uid), { add: { groups: new Set([group]) } }, mustExist),
    create({ ...keys.groupMember(group, uid), type: "group-member" }),
  );
}

describe("binding", () => {
  test("adds a role, keeps the others, holds at the next request and may be repeated", async () => {
    const person = await storedPerson("adds");
    expect(await api.mayRead("shop", person)).toBe(403);
    for (let turn = 0; turn < 2; turn++)
      expect((await api.bind("shop", "reader", { uid: person.uid })).json).toEqual(success);
    expect(await api.mayRead("shop", person)).toBe(200);
    await api.bind("shop", "read-project-only", { uid: person.uid });
    expect(await rolesOf(person.uid)).toEqual(["read-project-only", "reader"]);
    expect(await api.mayRead("other", person)).toBe(403);
  });

  test("binds all identities of a request or none, naming every unknown one", async () => {
    const people = await Promise.all(["a", "b"].map((name) => storedPerson(name)));
    const path = "/openapi/policy/role-bindings?namespace=shop";
    const identities = people.map(({ uid }) => ({ identity_type: "user", uid }));
    const wrong = [...identities, { identity_type: "user", uid: absent }, { identity_type: "group", gid: absent }];
    const refused = await slipway.call("POST", path, { body: { role: "reader", identities: wrong } });
    expect(expectError(refused, 400, "two unknown").extra.problems?.map((problem) => problem.path)).toEqual([
      "identities[2].uid",
      "identities[3].gid",
    ]);
    for (const person of people) expect(await api.mayRead("shop", person)).toBe(403);
    const right = [...identities, ...identities, { identity_type: "group", gid: group }];
    expect((await slipway.call("POST", path, { body: { role: "reader", identities: right } })).json).toEqual(success);
    for (const person of people) expect(await api.mayRead("shop", person)).toBe(200);
    await api.unbind("shop", "group", group);
  });

  test.each([
    ["no identity", { role: "reader" }, "identities"],
    ["an empty list", { role: "reader", identities: [] }, "identities"],
    [
      "another type",
      { role: "reader", identities: [{ identity_type: "robot", uid: "x" }] },
      "identities[0].identity_type",
    ],
    ["a user without uid", { role: "reader", identities: [{ identity_type: "user", gid: "x" }] }, "identities[0].uid"],
    ["a group without gid", { role: "reader", identities: [{ identity_type: "group" }] }, "identities[0].gid"],
    ["no role", { identities: [{ identity_type: "user", uid: "x" }] }, "role"],
  ])("refuses %s", async (_, body, field) => {
    const answer = await slipway.call("POST", "/openapi/policy/role-bindings?namespace=shop", { body });
    expect(expectError(answer, 400, field).extra.problems?.map(({ path }) => path)).toContain(field);
  });

  test("knows no role of another project, and none that does not exist", async () => {
    const person = await storedPerson("foreign role");
    await api.createRole("other", "elsewhere", ["get_service"]);
    for (const name of ["elsewhere", "ghost"]) {
      const { description } = expectError(await api.bind("shop", name, { uid: person.uid }), 404, name);
      expect(description).toBe(`role ${name} not found in namespace shop`);
      expectError(await api.setRoles("shop", "user", person.uid, ["reader", name]), 404, name);
    }
    expect(await rolesOf(person.uid)).toEqual([]);
  });

  test("replaces the roles of a user; an empty list takes all of them", async () => {
    const person = await storedPerson("replaced");
    await api.bind("shop", "reader", { uid: person.uid });
    expect((await api.setRoles("shop", "user", person.uid, ["writer", "read-project-only"])).json).toEqual(success);
    expect(await rolesOf(person.uid)).toEqual(["read-project-only", "writer"]);
    expect(await api.mayRead("shop", person)).toBe(403);
    expect((await api.setRoles("shop", "user", person.uid, [])).json).toEqual(success);
    expect(await rolesOf(person.uid)).toEqual([]);
    expectError(await api.setRoles("shop", "user", absent, ["reader"]), 404, "an unknown user");
    expectError(await api.setRoles("shop", "group", absent, ["reader"]), 404, "an unknown group");
  });

  test("is taken away for one namespace, as often as it is asked for", async () => {
    const person = await storedPerson("unbound", { namespace: "other", roles: { "read-only": [] } });
    await api.bind("shop", "reader", { uid: person.uid });
    for (const uid of [person.uid, person.uid, absent])
      expect((await api.unbind("shop", "user", uid)).json).toEqual(success);
    expect((await api.unbind("shop", "group", absent)).json).toEqual(success);
    expect(await api.mayRead("shop", person)).toBe(403);
    expect(await api.mayRead("other", person)).toBe(200);
  });

  test("of a group holds for its members at once, and ends with the membership or the binding", async () => {
    const person = await storedPerson("of the crew");
    await api.bind("shop", "reader", { gid: group });
    expect(await api.mayRead("shop", person)).toBe(403);
    await join(person.uid);
    expect(await api.mayRead("shop", person)).toBe(200);
    const list = (token: string) => slipway.call<{ total: number }>("GET", "/openapi/projects/project", { token });
    expect((await list(person.token)).json.total).toBe(1);
    await api.unbind("shop", "group", group);
    expect(await api.mayRead("shop", person)).toBe(403);
    expect((await list(person.token)).json.total).toBe(0);
  });

  test("of a role that changes or goes, changes or goes for everybody who holds it, whoever comes by its name later", async () => {
    await api.createRole("shop", "brief", ["get_service"]);
    const person = await storedPerson("brief");
    const member = await storedPerson("brief member");
    await join(member.uid);
    await api.bind("shop", "brief", { uid: person.uid });
    await api.bind("shop", "brief", { gid: group });
    const both = () => Promise.all([api.mayRead("shop", person), api.mayRead("shop", member)]);
    expect(await both()).toEqual([200, 200]);
    await api.updateRole("shop", "brief", ["edit_service"]);
    expect(await both()).toEqual([403, 403]);
    await api.updateRole("shop", "brief", ["get_service"]);
    expect(await both()).toEqual([200, 200]);
    await api.deleteRole("shop", "brief");
    expect(await both()).toEqual([403, 403]);
    await api.createRole("shop", "brief", ["get_service"]);
    expect(await both()).toEqual([403, 403]);
    expect(await rolesOf(person.uid)).toEqual([]);
    const list = await slipway.call("GET", "/openapi/projects/project", { token: person.token });
    expect(list.json).toEqual({ projects: [], total: 0 });
  });

  test("in a project that was deleted gives nothing in one of the same key", async () => {
    await api.createProject("again");
    const person = await storedPerson("left over");
    await api.bind("again", "project-admin", { uid: person.uid });
    const gone = "/openapi/projects/project?projectKey=again&isDelete=true";
    expect((await slipway.call("DELETE", gone)).status).toBe(200);
    expect((await api.createProject("again")).status).toBe(200);
    expect(await api.mayRead("again", person)).toBe(403);
    expect((await api.bindings("again")).json.map(({ user_info }) => user_info?.account)).toEqual(["admin"]);
  });
});

describe("the list of bindings", () => {
  test("has users by account and then groups by name, with what clients read of them", async () => {
    await api.createProject("listed");
    const zoe = await newPerson("zoe");
    const abe = await newPerson("abe");
    for (const { uid } of [zoe, abe]) await api.bind("listed", "read-only", { uid });
    await api.bind("listed", "read-only", { gid: group });
    await api.bind("listed", "project-admin", { gid: group });
    const { json } = await api.bindings("listed");
    expect(json.map(({ user_info, group_info }) => user_info?.account ?? group_info?.name)).toEqual([
      "abe",
      "admin",
      "zoe",
      "crew",
    ]);
    expect(json[0]).toEqual({
      binding_type: "user",
      user_info: { identity_type: "system", uid: abe.uid, account: "abe", username: "abe" },
      roles: ["read-only"],
    });
    expect(json[3]).toMatchObject({
      binding_type: "group",
      group_info: { group_id: group, name: "crew" },
      roles: ["project-admin", "read-only"],
    });
  });

  test("of one identity shows it without roles, too, and an unknown one not at all", async () => {
    const person = await storedPerson("without roles");
    expect((await api.bindings("shop", `&uid=${person.uid}`)).json).toMatchObject([{ roles: [] }]);
    expect((await api.bindings("other", `&gid=${group}`)).json).toMatchObject([{ roles: [] }]);
    for (const by of ["uid", "gid"]) expect((await api.bindings("shop", `&${by}=${absent}`)).json).toEqual([]);
    expectError(await api.bindings("shop", `&uid=${person.uid}&gid=${group}`), 400, "both");
  });
});

describe("nobody", () => {
  test("of a project binds anybody anywhere else", async () => {
    const admin = await storedPerson("of shop", { namespace: "shop", roles: { "project-admin": [] } });
    const { token } = admin;
    expect((await api.bind("shop", "project-admin", { uid: admin.uid }, { token })).json).toEqual(success);
    for (const namespace of ["other", "nowhere", "*"]) {
      const answers = [
        await api.bind(namespace, "project-admin", { uid: admin.uid }, { token }),
        await api.setRoles(namespace, "user", admin.uid, ["admin"], { token }),
        await api.unbind(namespace, "user", admin.uid, { token }),
      ];
      for (const answer of answers) expectError(answer, 403, namespace);
    }
  });

  test("takes the last system administrator away, also not of two at once", async () => {
    const uid = (await api.bindings("*")).json[0]?.user_info?.uid ?? "";
    for (const answer of [
      await api.unbind("*", "user", uid),
      await api.setRoles("*", "user", uid, ["global-read-only"]),
    ])
      expect(expectError(answer, 400, "the last").description).toContain("last system administrator");
    const second = await storedPerson("second");
    const ofCrew = await storedPerson("administrator by the crew");
    const { token } = ofCrew;
    await join(ofCrew.uid);
    await api.bind("*", "admin", { uid: second.uid });
    await api.bind("*", "admin", { gid: group });
    expect(await api.mayRead("shop", second)).toBe(200);
    const answers = await Promise.all([uid, second.uid].map((id) => api.unbind("*", "user", id, { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const left = answers[0]?.status === 400 ? uid : second.uid;
    expectError(await api.unbind("*", "user", left, { token }), 400, "the last one who is bound directly");
    await api.bind("*", "admin", { uid }, { token });
    await api.unbind("*", "user", second.uid);
    await api.unbind("*", "group", group);
    expect(await api.mayRead("shop", second)).toBe(403);
    expect(await api.mayRead("shop", ofCrew)).toBe(403);
  });

  test("makes everybody an administrator, or takes a public project's readers away but by its visibility", async () => {
    expectError(await api.bind("*", "admin", { gid: allUsersGroupId }), 400, "everybody");
    await api.createProject("open", true);
    const stranger = await storedPerson("passer-by");
    expect(await api.mayRead("open", stranger)).toBe(200);
    const everybody = (await api.bindings("open")).json.find(({ group_info }) => group_info !== undefined);
    expect(everybody).toMatchObject({
      group_info: { group_id: allUsersGroupId, name: "all-users" },
      roles: ["read-only"],
    });
    const accounts = everybody?.group_info?.user_infos.map(({ account }) => account) ?? [];
    expect(accounts).toEqual(expect.arrayContaining(["admin", stranger.uid.slice(0, 13)]));
    for (const answer of [
      await api.unbind("open", "group", allUsersGroupId),
      await api.setRoles("open", "group", allUsersGroupId, ["read-project-only"]),
    ])
      expect(expectError(answer, 400, "a public project").description).toContain("public");
    expect((await api.bind("open", "read-project-only", { gid: allUsersGroupId })).json).toEqual(success);
    expect(await api.mayRead("open", stranger)).toBe(200);
  });
});

describe("roles of the installation", () => {
  test("give system verbs and nothing in projects; global-read-only reads every project and changes none", async () => {
    await api.createRole("*", "auditor", ["get_log_operation"]);
    const auditor = await storedPerson("auditor");
    const path = "/openapi/system/operation?searchType=all&perPage=1&page=1";
    const mayAudit = async () => (await slipway.call("GET", path, { token: auditor.token })).status;
    expect(await mayAudit()).toBe(403);
    await api.bind("*", "auditor", { uid: auditor.uid });
    expect(await mayAudit()).toBe(200);
    expect(await api.mayRead("shop", auditor)).toBe(403);
    await api.setRoles("*", "user", auditor.uid, ["global-read-only"]);
    expect(await mayAudit()).toBe(403);
    expect(await api.mayRead("shop", auditor)).toBe(200);
    const { token } = auditor;
    const list = await slipway.call<{ total: number }>("GET", "/openapi/projects/project", { token });
    expect(list.json.total).toBeGreaterThan(1);
    const body = { service_name: "x", yaml: "kind: ConfigMap" };
    expectError(
      await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body, token }),
      403,
      "writing",
    );
    expectError(await api.createRole("shop", "mine", [], { token }), 403, "a role");
  });
});

describe("at the same moment", () => {
  test("20 bindings of one user and of one group all hold", async () => {
    await api.createProject("busy");
    const names = Array.from({ length: 10 }, (_, at) => `role-${at}`);
    await Promise.all(names.map((name) => api.createRole("busy", name, [])));
    const { uid } = await storedPerson("much wanted");
    const answers = await Promise.all(
      names.flatMap((name) => [api.bind("busy", name, { uid }), api.bind("busy", name, { gid: group })]),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await api.bindings("busy", `&uid=${uid}`)).json[0]?.roles).toEqual(names);
    expect((await api.bindings("busy", `&gid=${group}`)).json[0]?.roles).toEqual(names);
  });

  test("a role that is deleted while it is bound is held by nobody", async () => {
    for (let turn = 0; turn < 5; turn++) {
      await api.createRole("shop", `fleeting-${turn}`, ["get_service"]);
      const person = await storedPerson(`fleeting ${turn}`);
      const [, bound] = await Promise.all([
        api.deleteRole("shop", `fleeting-${turn}`),
        api.bind("shop", `fleeting-${turn}`, { uid: person.uid }),
      ]);
      expect([200, 404]).toContain(bound.status);
      expect(await rolesOf(person.uid)).toEqual([]);
      expect(await api.mayRead("shop", person)).toBe(403);
    }
  });

  test("a user who is deleted while being bound is bound to nothing afterwards, or was before", async () => {
    for (let turn = 0; turn < 5; turn++) {
      const person = await storedPerson(`leaving ${turn}`);
      const [bound] = await Promise.all([
        api.bind("shop", "reader", { uid: person.uid }),
        table().write(remove(keys.user(person.uid))),
      ]);
      expect([200, 400]).toContain(bound.status);
      expectError(await api.bind("shop", "reader", { uid: person.uid }), 400, "gone");
      await expect(table().write(userMustStand(person.uid))).rejects.toThrow();
      expect((await api.bindings("shop", `&uid=${person.uid}`)).json).toEqual([]);
    }
  });
});
