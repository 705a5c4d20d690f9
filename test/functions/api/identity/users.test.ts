import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findAnyUser } from "../../../../shared/access/identity/store/users.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
import { adminToken, type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { absentUid } from "../../../security/requests.ts";
import { storedPerson } from "../../../security/storedPerson.ts";

let slipway: Slipway;
let adminUid: string;

interface Listed {
  users: { uid: string; account: string; name: string; identity_type: string; last_login_time: number }[];
  total_count: number;
}

beforeAll(async () => {
  slipway = await startSlipway();
  adminUid = (await listed("/openapi/users?account=admin")).users[0]?.uid ?? "";
});

afterAll(() => slipway.close());

async function listed(path: string): Promise<Listed> {
  const answer = await slipway.call<Listed>("GET", path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function created(account: string, name = account): Promise<string> {
  const body = { account, name, password: "Passw0rd-1", email: `${account}@example.com`, phone: "0123" };
  const answer = await slipway.call<{ uid: string }>("POST", "/api/v1/users", { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.uid;
}

const signIn = (account: string, password = "Passw0rd-1") =>
  slipway.call<Person>("POST", "/api/v1/login", { token: null, body: { account, password } });

describe("the list of users", () => {
  test("is sorted by account, paged, and tells how many there are", async () => {
    for (const account of ["list-b", "list-a", "List-C"]) await created(account, `Name of ${account}`);
    const all = await listed("/openapi/users");
    const accounts = all.users.map(({ account }) => account);
    expect(accounts).toEqual([...accounts].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    expect(all.total_count).toBe(accounts.length);
    const second = await listed("/openapi/users?pageNum=2&pageSize=1");
    expect(second.users).toEqual([all.users[1]]);
    expect(await listed("/openapi/users?pageNum=99")).toEqual({ users: [], total_count: all.total_count });
    expect((await slipway.call("GET", "/openapi/users?pageSize=many")).status).toBe(400);
  });

  test("finds an account as a whole, in any case, and nobody for one that does not exist", async () => {
    const uid = await created("Exact");
    expect((await listed("/openapi/users?account=eXaCt&pageNum=7")).users.map((user) => user.uid)).toEqual([uid]);
    expect(await listed("/openapi/users?account=exac")).toEqual({ users: [], total_count: 0 });
    expect((await listed("/openapi/users?account=exact&identity_type=ldap")).total_count).toBe(0);
    expect((await listed("/openapi/users?account=exact&identity_type=*")).total_count).toBe(1);
  });

  test("finds names by a part and users by roles they are bound to directly", async () => {
    await created("part", "Somebody Searchable");
    expect((await listed("/openapi/users?name=Searchable")).users.map(({ account }) => account)).toEqual(["part"]);
    const { uid } = await storedPerson("Reader", { namespace: "found", roles: { "read-only": [] } });
    const found = await listed("/openapi/users?roles=read-only&roles=other&projectName=found");
    expect(found.users.map((user) => user.uid)).toEqual([uid]);
    expect((await listed("/openapi/users?roles=admin")).users.map(({ account }) => account)).toEqual(["admin"]);
  });

  test("is searched by the console with more, and its answer describes each", async () => {
    const uid = await created("searched");
    await storedPerson("Another");
    const search = (body: object) =>
      slipway.call<Listed>("POST", "/api/v1/users/search", { body }).then((answer) => answer.json);
    expect(await search({ email: "searched@example.com" })).toMatchObject({
      users: [{ uid, email: "searched@example.com", phone: "0123", admin: false, user_groups: [] }],
      total_count: 1,
    });
    expect((await search({ uids: [uid, absentUid] })).users.map((user) => user.uid)).toEqual([uid]);
    const newest = await search({ order_by: "account", order: "desc", per_page: 1 });
    const all = await listed("/openapi/users?pageSize=200");
    expect(newest.users[0]?.uid).toBe(all.users.at(-1)?.uid);
    expect(newest.total_count).toBe(all.total_count);
    const wrong = await slipway.call("POST", "/api/v1/users/search", { body: { order_by: "shoe size" } });
    expect(wrong.status).toBe(400);
    const brief = await slipway.call<Listed>("POST", "/api/v1/users/brief", { body: { uids: [uid] } });
    expect(Object.keys(brief.json.users[0] ?? {}).sort()).toEqual(
      ["account", "identity_type", "last_login_time", "name", "uid"].sort(),
    );
  });

  test("is counted by identity type and by who signed in", async () => {
    const count = async () =>
      (
        await slipway.call<{
          user_info: { identity_type: string; count: number }[];
          active_user: number;
          total_user: number;
        }>("GET", "/api/v1/users/count")
      ).json;
    const before = await count();
    await created("counted");
    await created("counted-too");
    expect((await signIn("counted")).status).toBe(200);
    expect((await signIn("counted")).status).toBe(200);
    const { total_count } = await listed("/openapi/users");
    expect(await count()).toEqual({
      user_info: [{ identity_type: "system", count: total_count }],
      active_user: before.active_user + 1,
      total_user: before.total_user + 2,
    });
  });

  test("says whether an account is free", async () => {
    await created("taken");
    const check = (username: string) => slipway.call("GET", `/api/v1/users/check/duplicate?username=${username}`);
    expect((await check("nobody-has-it")).json).toEqual({ message: "success" });
    expect((await check("TAKEN")).json).toMatchObject({ code: 6000, description: "user is duplicated" });
  });
});

describe("a user's record", () => {
  test("is read by the user and by administrators; 404 for an administrator when there is none", async () => {
    const uid = await created("record");
    const answer = await slipway.call("GET", `/openapi/users/${uid}`);
    expect(answer.json).toEqual({
      uid,
      account: "record",
      name: "record",
      email: "record@example.com",
      phone: "0123",
      identity_type: "system",
      last_login_time: 0,
    });
    expect((await slipway.call("GET", `/openapi/users/${absentUid}`)).status).toBe(404);
    expect((await slipway.call("GET", `/api/v1/users/${absentUid}`)).status).toBe(404);
  });

  test("names system roles and who is administrator", async () => {
    const answer = await slipway.call("GET", `/api/v1/users/${adminUid}`);
    expect(answer.json).toMatchObject({
      account: "admin",
      admin: true,
      has_api_token: true,
      token: "",
      system_role_bindings: [{ name: "admin", role: "admin", uid: adminUid, preset: true, type: "system" }],
    });
  });

  test("changes where something is given, and lists show it", async () => {
    const { uid, token } = await newPerson("changing");
    const put = (path: string, body: object, by?: string) =>
      slipway.call("PUT", `/api/v1/users/${uid}${path}`, { body, ...(by !== undefined && { token: by }) });
    expect((await put("", { name: "By the administrator", phone: "42" })).json).toEqual({ message: "success" });
    expect((await put("/personal", { email: "own@example.com", name: "" }, token)).status).toBe(200);
    const changed = { name: "By the administrator", phone: "42", email: "own@example.com" };
    expect((await slipway.call("GET", `/openapi/users/${uid}`)).json).toMatchObject(changed);
    expect((await listed("/openapi/users?account=changing")).users[0]?.name).toBe(changed.name);
    expect((await put("", { name: "x".repeat(33) })).status).toBe(400);
    const nobody = await slipway.call("PUT", `/api/v1/users/${absentUid}`, { body: { name: "x" } });
    expect(nobody.status).toBe(404);
  });
});

describe("a password", () => {
  const change = (uid: string, token: string, oldPassword: string, newPassword: string) =>
    slipway.call("PUT", `/api/v1/users/${uid}/password`, { token, body: { oldPassword, newPassword } });

  test("changes for who knows the old one; the session that asked goes on", async () => {
    const { uid, token } = await newPerson("pass");
    expect((await change(uid, token, "wrong", "Passw0rd-2")).json).toMatchObject({ code: 6001 });
    expect((await change(uid, token, "Passw0rd-1", "weak")).json).toMatchObject({ code: 6000 });
    expect((await change(uid, token, "Passw0rd-1", "Passw0rd-2")).json).toEqual({ message: "success" });
    expect((await slipway.call("GET", `/openapi/users/${uid}`, { token })).status).toBe(200);
    expect((await signIn("pass")).status).toBe(401);
    expect((await signIn("pass", "Passw0rd-2")).status).toBe(200);
  });

  test("that an API token changes ends the session", async () => {
    const { uid, token } = await newPerson("pass-by-token");
    const made = await slipway.call<{ token: string }>("POST", `/api/v1/users/${uid}/token`, { token });
    expect((await change(uid, made.json.token, "Passw0rd-1", "Passw0rd-2")).status).toBe(200);
    expect((await slipway.call("GET", `/openapi/users/${uid}`, { token })).status).toBe(401);
  });

  test("that was never set has an empty old one", async () => {
    expect((await change(adminUid, adminToken, "something", "Passw0rd-1")).json).toMatchObject({ code: 6001 });
    expect((await change(adminUid, adminToken, "", "Passw0rd-1")).status).toBe(200);
    expect((await signIn("admin")).status).toBe(200);
  });
});

describe("deleting a user", () => {
  const remove = (uid: string, token = adminToken) => slipway.call("DELETE", `/openapi/users/${uid}`, { token });

  test("ends session, tokens, memberships and bindings at once, and frees the account", async () => {
    const { uid, token } = await newPerson("leaving", [{ namespace: "left", roles: { "read-only": [] } }]);
    const path = `/openapi/users/${uid}/tokens`;
    const { json } = await slipway.call<{ token: string }>("POST", path, { token, body: { name: "ci" } });
    const group = await slipway.call<{ group_id: string }>("POST", "/api/v1/user-group", {
      body: { name: "leavers", uids: [uid] },
    });
    expect((await remove(uid)).json).toEqual({ message: "success" });
    for (const dead of [token, json.token])
      expect((await slipway.call("GET", "/openapi/projects/project", { token: dead })).status).toBe(401);
    const left = await slipway.call<{ uids: string[] }>("GET", `/api/v1/user-group/${group.json.group_id}`);
    expect(left.json.uids).toEqual([]);
    const groups = await slipway.call<{ group_list: { user_total: number }[] }>(
      "GET",
      "/openapi/user-groups?name=leavers",
    );
    expect(groups.json.group_list[0]?.user_total).toBe(0);
    expect((await listed("/openapi/users?roles=read-only&projectName=left")).total_count).toBe(0);
    expect((await listed("/openapi/users?account=leaving")).total_count).toBe(0);
    expect(await findAnyUser(uid)).toBeUndefined();
    expect((await signIn("leaving")).status).toBe(401);
    expect(await created("leaving")).not.toBe(uid);
  });

  test("that is gone already is success, oneself and the last administrator are refused", async () => {
    expect((await remove(absentUid)).json).toEqual({ message: "success" });
    expect((await remove(adminUid)).json).toMatchObject({
      code: 6001,
      description: expect.stringContaining("themselves"),
    });
  });

  test("at the same moment as the other administrator leaves one of the two", async () => {
    const other = await storedPerson("Second", { namespace: "*", roles: { admin: [] } });
    const [ofOther, ofAdmin] = await Promise.all([remove(other.uid), remove(adminUid, other.token)]);
    expect([ofOther.status, ofAdmin.status].filter((status) => status === 200)).toHaveLength(1);
    const token = ofOther.status === 200 ? adminToken : other.token;
    const left = await slipway.call<Listed>("GET", "/openapi/users?roles=admin", { token });
    expect(left.json.total_count).toBe(1);
    const last = left.json.users[0]?.uid ?? "";
    expect((await remove(last, token)).status).toBe(400);
  });
});
