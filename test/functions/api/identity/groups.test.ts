import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allUsersGroupId } from "../../../../shared/access/identity/rules/actions.ts";
import { membersOf } from "../../../../shared/access/identity/store/groups.ts";
import { findUser } from "../../../../shared/access/identity/store/users.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { storedPerson } from "../../../security/storedPerson.ts";

const path = "/api/v1/user-group";
const absent = "00000000-0000-4000-8000-00000000dead";
let slipway: Slipway;

interface Listed {
  group_list: { id: string; name: string; type: string; user_total: number; system_role_names: string[] }[];
  total: number;
}

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

async function made(name: string, uids: readonly string[] = []): Promise<string> {
  const answer = await slipway.call<{ group_id: string }>("POST", path, { body: { name, description: "made", uids } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.group_id;
}

async function listed(query = ""): Promise<Listed> {
  const answer = await slipway.call<Listed>("GET", `/openapi/user-groups${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const members = (groupId: string, how: "create" | "delete", uids: readonly string[]) =>
  slipway.call("POST", `${path}/${groupId}/bulk-${how}-users`, { body: { uids } });

describe("the list of groups", () => {
  test("always ends with all-users, which counts everybody", async () => {
    const users = await slipway.call<{ total_count: number }>("GET", "/openapi/users");
    expect(await listed("?name=all-us")).toEqual({
      group_list: [
        {
          id: allUsersGroupId,
          name: "all-users",
          description: "all users in the system",
          type: "system",
          user_total: users.json.total_count,
          system_role_names: [],
        },
      ],
      total: 1,
    });
  });

  test("shows the one changed last first, page by page", async () => {
    const before = (await listed()).total;
    const first = await made("page-a");
    await made("page-b");
    await slipway.call("PUT", `${path}/${first}`, { body: { description: "changed" } });
    const all = await listed("?pageSize=200");
    expect(all.total).toBe(before + 2);
    expect(
      all.group_list
        .map(({ name }) => name)
        .slice(0, 2)
        .sort(),
    ).toEqual(["page-a", "page-b"]);
    expect(all.group_list.at(-1)?.name).toBe("all-users");
    const paged = [];
    for (let page = 1; page <= all.total; page++)
      paged.push(...(await listed(`?pageNum=${page}&pageSize=1`)).group_list);
    expect(paged).toEqual(all.group_list);
    expect((await listed(`?pageNum=${all.total + 1}&pageSize=1`)).group_list).toEqual([]);
  });

  test("finds by a part of the name and by a member, and names roles of the installation", async () => {
    const { uid } = await storedPerson("Member");
    const groupId = await made("finders", [uid]);
    const role = { name: "auditor", actions: ["get_log_operation"] };
    expect((await slipway.call("POST", "/openapi/policy/roles?namespace=*", { body: role })).status).toBe(200);
    const binding = { role: "auditor", identities: [{ identity_type: "group", gid: groupId }] };
    const bound = await slipway.call("POST", "/openapi/policy/role-bindings?namespace=*", { body: binding });
    expect(bound.status, bound.text).toBe(200);
    expect((await listed("?name=finder")).group_list).toMatchObject([
      { id: groupId, type: "custom", user_total: 1, system_role_names: ["auditor"] },
    ]);
    const ofUser = await slipway.call<Listed>("GET", `${path}?uid=${uid}`);
    expect(ofUser.json.group_list.map(({ name }) => name)).toEqual(["finders", "all-users"]);
    const ofNobody = await slipway.call<Listed>("GET", `${path}?uid=${absent}`);
    expect(ofNobody.json).toEqual({ group_list: [], total: 0 });
    const info = await slipway.call("GET", `/api/v1/users/${uid}`);
    expect(info.json).toMatchObject({
      user_groups: [{ name: "finders", system_role_names: ["auditor"] }],
      admin: false,
    });
  });
});

describe("a group", () => {
  test("has a name of its own, whatever its case", async () => {
    const groupId = await made("Unique");
    const again = await slipway.call("POST", path, { body: { name: "unique" } });
    expect(again.json).toMatchObject({ code: 400, description: expect.stringContaining("exists") });
    expect((await slipway.call("POST", path, { body: { name: "All-Users" } })).status).toBe(400);
    const other = await made("other");
    expect((await slipway.call("PUT", `${path}/${other}`, { body: { name: "UNIQUE" } })).status).toBe(400);
    expect((await slipway.call("PUT", `${path}/${groupId}`, { body: { name: "UNIQUE" } })).status).toBe(200);
    expect((await slipway.call("PUT", `${path}/${groupId}`, { body: { name: "renamed" } })).status).toBe(200);
    await made("unique");
    expect((await slipway.call("GET", `${path}/${groupId}`)).json).toMatchObject({
      name: "renamed",
      description: "made",
    });
  });

  test("is not made with a member whom nobody knows", async () => {
    const { uid } = await storedPerson("Known");
    const answer = await slipway.call("POST", path, { body: { name: "with-unknown", uids: [uid, absent] } });
    expect(answer.json).toMatchObject({ code: 400, description: expect.stringContaining("uids[1]") });
    expect((await listed("?name=with-unknown")).total).toBe(0);
  });

  test("takes members in and lets them go, as often as it is asked", async () => {
    const [one, two] = [await storedPerson("One"), await storedPerson("Two")];
    const groupId = await made("members", [one.uid]);
    for (let round = 0; round < 2; round++)
      expect((await members(groupId, "create", [one.uid, two.uid, two.uid])).status).toBe(200);
    const read = await slipway.call<{ uids: string[] }>("GET", `${path}/${groupId}`);
    expect(read.json.uids).toEqual([one.uid, two.uid].sort());
    for (let round = 0; round < 2; round++)
      expect((await members(groupId, "delete", [two.uid, absent])).status).toBe(200);
    expect((await listed("?name=members")).group_list[0]?.user_total).toBe(1);
    expect((await members(groupId, "create", [absent])).status).toBe(400);
    for (const how of ["create", "delete"] as const) expect((await members(absent, how, [one.uid])).status).toBe(404);
  });

  test("takes in more members than one transaction holds, and everybody at the same moment once", async () => {
    const people = await Promise.all(Array.from({ length: 50 }, (_, at) => storedPerson(`Many ${at}`)));
    const uids = people.map(({ uid }) => uid);
    const groupId = await made("many");
    const answers = await Promise.all([uids, uids, uids.slice(10)].map((some) => members(groupId, "create", some)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await membersOf(groupId)).toEqual([...uids].sort());
    expect((await listed("?name=many")).group_list[0]?.user_total).toBe(50);
  });

  test("gives what it holds to its members at once, and takes it when they leave or it is deleted", async () => {
    const [one, two] = [await storedPerson("Holder"), await storedPerson("Leaver")];
    const project = { project_name: "grouped", project_key: "grouped", project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body: project })).status).toBe(200);
    const groupId = await made("holders", [one.uid, two.uid]);
    const services = async (token: string) =>
      (await slipway.call("GET", "/openapi/service/yaml/services?projectKey=grouped", { token })).status;
    expect([await services(one.token), await services(two.token)]).toEqual([403, 403]);
    const binding = { role: "read-only", identities: [{ identity_type: "group", gid: groupId }] };
    await slipway.call("POST", "/openapi/policy/role-bindings?namespace=grouped", { body: binding });
    expect([await services(one.token), await services(two.token)]).toEqual([200, 200]);
    await members(groupId, "delete", [two.uid]);
    expect([await services(one.token), await services(two.token)]).toEqual([200, 403]);
    expect((await slipway.call("DELETE", `${path}/${groupId}`)).json).toEqual({ message: "success" });
    expect(await services(one.token)).toBe(403);
    expect((await findUser(one.uid))?.groups ?? new Set()).toEqual(new Set());
    expect((await slipway.call("GET", `${path}/${groupId}`)).status).toBe(404);
    const left = await slipway.call("GET", "/openapi/policy/role-bindings?namespace=grouped");
    expect(left.text).not.toContain(groupId);
    await made("holders");
  });

  test("that is gone is deleted again without an error, and all-users is changed by nobody", async () => {
    expect((await slipway.call("DELETE", `${path}/${randomUUID()}`)).json).toEqual({ message: "success" });
    for (const [method, suffix, body] of [
      ["PUT", "", { name: "everybody" }],
      ["DELETE", "", undefined],
      ["POST", "/bulk-create-users", { uids: [absent] }],
      ["POST", "/bulk-delete-users", { uids: [absent] }],
    ] as const)
      expect((await slipway.call(method, `${path}/${allUsersGroupId}${suffix}`, { body })).status, method).toBe(400);
    const all = await slipway.call<{ uids: string[]; type: string }>("GET", `${path}/${allUsersGroupId}`);
    const users = await slipway.call<{ total_count: number }>("GET", "/openapi/users");
    expect(all.json).toMatchObject({ type: "system", name: "all-users" });
    expect(all.json.uids).toHaveLength(users.json.total_count);
  });
});
