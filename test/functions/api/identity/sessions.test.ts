import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bootstrapAdministrator } from "../../../../shared/access/identity/session/bootstrapAdministrator.ts";
import { startSession } from "../../../../shared/access/identity/session/startSession.ts";
import { hashToken, newToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { changeUser, findUserByAccount } from "../../../../shared/access/identity/store/users.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { create, remove, update } from "../../../../shared/base/store/writes.ts";
import { newPerson } from "../../../harness/people.ts";
import { adminToken, type Slipway, startSlipway } from "../../../harness/slipway.ts";

interface Session {
  id: string;
  created_at: number;
  last_used_at: number;
  address: string;
  user_agent: string;
  current: boolean;
}

const password = "Passw0rd-1";
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const now = (): number => Math.floor(Date.now() / 1000);
const pathOf = (uid: string): string => `/openapi/users/${uid}/sessions`;

/** Without the hash, which is slow on purpose; the password's own sign-in is what some tests are about. */
async function begin(uid: string, userAgent = "test"): Promise<string> {
  const session = await startSession(uid, { address: "192.0.2.1", userAgent });
  return session?.token ?? "";
}

async function listed(uid: string, token: string): Promise<Session[]> {
  const answer = await slipway.call<Session[]>("GET", pathOf(uid), { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const works = async (token: string): Promise<boolean> =>
  (await slipway.call("GET", "/openapi/projects/project", { token })).status === 200;

describe("sessions of a user", () => {
  test("go on beside each other, and say from where and by what they were begun", async () => {
    const { uid, token } = await newPerson("beside");
    const headers = { "user-agent": `Browser ${"x".repeat(300)}` };
    const body = { account: "beside", password };
    const startedAt = now();
    const answer = await slipway.call<{ token: string }>("POST", "/api/v1/login", { token: null, body, headers });
    expect(answer.status, answer.text).toBe(200);
    expect([await works(token), await works(answer.json.token)]).toEqual([true, true]);
    const sessions = await listed(uid, answer.json.token);
    expect(sessions).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        created_at: expect.any(Number),
        last_used_at: expect.any(Number),
        address: "127.0.0.1",
        user_agent: headers["user-agent"].slice(0, 200),
        current: true,
      },
      expect.objectContaining({ address: "192.0.2.1", user_agent: "test", current: false }),
    ]);
    expect(sessions[0]?.created_at).toBeGreaterThanOrEqual(startedAt);
    expect(sessions[0]?.last_used_at).toBeGreaterThanOrEqual(startedAt);
    expect((await listed(uid, token)).map(({ current }) => current)).toEqual([false, true]);
  });

  test("are twenty, of more the oldest ends, also of those that begin at the same moment", async () => {
    const { uid, token: first } = await newPerson("many");
    const second = await begin(uid, "second");
    const others = await Promise.all(Array.from({ length: 18 }, () => begin(uid)));
    expect([await works(first), await works(second)]).toEqual([true, true]);
    const last = await begin(uid, "last");
    expect([await works(first), await works(second), await works(last)]).toEqual([false, true, true]);
    await Promise.all(others.map(async (token) => expect(await works(token)).toBe(true)));
    const sessions = await listed(uid, last);
    expect(sessions).toHaveLength(20);
    expect([sessions[0]?.user_agent, sessions[19]?.user_agent]).toEqual(["last", "second"]);
  });

  test("end by their own sign-out, and by none that an API token asks for", async () => {
    const { uid, token } = await newPerson("out");
    const other = await begin(uid);
    const api = await slipway.call<{ token: string }>("POST", `/api/v1/users/${uid}/token`, { token });
    expect((await slipway.call("POST", "/api/v1/logout", { token: api.json.token })).status).toBe(200);
    expect([await works(token), await works(other), await works(api.json.token)]).toEqual([true, true, true]);
    expect((await slipway.call("POST", "/api/v1/logout", { token })).status).toBe(200);
    expect([await works(token), await works(other)]).toEqual([false, true]);
    expect(await listed(uid, other)).toHaveLength(1);
  });

  test("are ended by the user and by a system administrator, again without an error, and by nobody else", async () => {
    const { uid, token } = await newPerson("ended");
    const stranger = await newPerson("stranger");
    for (const by of [token, undefined]) {
      const other = await begin(uid);
      const id = (await listed(uid, other)).find(({ current }) => current)?.id ?? "";
      const refused = await slipway.call("DELETE", `${pathOf(uid)}/${id}`, { token: stranger.token });
      expect([refused.status, await works(other)]).toEqual([403, true]);
      for (let round = 0; round < 2; round++) {
        const path = `${pathOf(uid)}/${id}`;
        const answer = await slipway.call("DELETE", path, by === undefined ? {} : { token: by });
        expect(answer.json).toEqual({ message: "success" });
        expect(await works(other)).toBe(false);
      }
    }
    expect(await works(token)).toBe(true);
    expect((await slipway.call("GET", pathOf(uid), { token: stranger.token })).status).toBe(403);
    expect((await slipway.call("GET", pathOf(uid))).json).toHaveLength(1);
    const log = await slipway.call<{ operation_logs: object[] }>(
      "GET",
      "/openapi/system/operation?searchType=all&perPage=1",
    );
    expect(log.json.operation_logs).toMatchObject([
      { method: "Sign Out", function: "User", detail: expect.stringContaining(`${uid}:`), status: 200 },
    ]);
  });

  test("end by a new password, but the one that set it, and by the deletion of the user", async () => {
    const { uid, token } = await newPerson("changing");
    const others = [await begin(uid), await begin(uid)];
    const body = { oldPassword: password, newPassword: "Passw0rd-2" };
    expect((await slipway.call("PUT", `/api/v1/users/${uid}/password`, { token, body })).status).toBe(200);
    expect([await works(token), ...(await Promise.all(others.map(works)))]).toEqual([true, false, false]);
    const last = await begin(uid);
    expect((await slipway.call("DELETE", `/openapi/users/${uid}`)).status).toBe(200);
    expect([await works(token), await works(last)]).toEqual([false, false]);
    expect(await table().query({ pk: keys.session(uid, "").pk })).toEqual([]);
    expect(await table().get(keys.token(hashToken(last)))).toBeUndefined();
  });

  test("end by a new password that the operator sets", async () => {
    const admin = await findUserByAccount("system", "admin");
    const token = await begin(admin?.uid ?? "");
    await bootstrapAdministrator({ adminToken, adminPassword: password });
    expect(await works(token)).toBe(false);
    const next = await begin(admin?.uid ?? "");
    await bootstrapAdministrator({ adminToken, adminPassword: password });
    expect(await works(next)).toBe(true);
  });

  test("leave the list at their end", async () => {
    const { uid, token } = await newPerson("over");
    const other = await begin(uid);
    const id = (await listed(uid, other)).find(({ current }) => current)?.id ?? "";
    await table().write(update(keys.session(uid, id), { set: { expiresAt: now() } }, mustExist));
    expect(await listed(uid, token)).toHaveLength(1);
  });

  test("say when they were last used, which is written at most once an hour", async () => {
    const { uid, token } = await newPerson("used");
    const key = keys.token(hashToken(token));
    const versionOf = async () => (await table().get(key))?.version;
    const before = await versionOf();
    await Promise.all([1, 2, 3, 4, 5].map(() => works(token)));
    expect(await versionOf()).toBe(before);
    await table().write(update(key, { set: { lastUsedAt: now() - 3601 } }, mustExist));
    const [{ id = "" } = {}] = await listed(uid, token);
    await table().write(update(key, { set: { lastUsedAt: now() - 3601 } }, mustExist));
    await table().write(update(keys.session(uid, id), { set: { lastUsedAt: 1 } }, mustExist));
    const version = (await versionOf()) ?? 0;
    await Promise.all([1, 2, 3, 4, 5].map(() => works(token)));
    expect(await versionOf()).toBe(version + 1);
    expect((await listed(uid, token))[0]?.last_used_at).toBeGreaterThan(now() - 60);
  });
});

describe("the one session that an earlier version began", () => {
  /** As that version stored it: the hash in the user's record, and a token that has no session. */
  async function earlierSession(account: string): Promise<{ uid: string; token: string }> {
    const { uid, token: ownToken } = await newPerson(account);
    const own = hashToken(ownToken);
    const token = newToken("login");
    const hash = hashToken(token);
    await changeUser(uid, (user) => ({
      user: { ...user, loginTokenHash: hash, lastLoginTime: now() - 600 },
      writes: [
        remove(keys.token(own)),
        remove(keys.session(uid, own.slice(0, 24))),
        create({ ...keys.token(hash), type: "token", uid, kind: "login", expiresAt: now() + 3600, ttl: now() + 3600 }),
      ],
    }));
    return { uid, token };
  }

  test("goes on, is listed, and goes on beside the next one", async () => {
    const { uid, token } = await earlierSession("earlier");
    const known = { created_at: expect.any(Number), address: "", user_agent: "" };
    expect(await listed(uid, token)).toMatchObject([{ ...known, current: true }]);
    const next = await begin(uid);
    expect([await works(token), await works(next)]).toEqual([true, true]);
    expect(await listed(uid, next)).toMatchObject([{ current: true }, { ...known, current: false }]);
    expect((await slipway.call("POST", "/api/v1/logout", { token })).status).toBe(200);
    expect([await works(token), await works(next)]).toEqual([false, true]);
  });

  test("ends by its sign-out, an administrator, and a new password that another token sets", async () => {
    const out = await earlierSession("earlier-out");
    expect((await slipway.call("POST", "/api/v1/logout", { token: out.token })).status).toBe(200);
    expect(await works(out.token)).toBe(false);
    const ended = await earlierSession("earlier-ended");
    const [{ id = "" } = {}] = await listed(ended.uid, ended.token);
    expect((await slipway.call("DELETE", `${pathOf(ended.uid)}/${id}`)).status).toBe(200);
    expect(await works(ended.token)).toBe(false);
    const changed = await earlierSession("earlier-changed");
    const api = await slipway.call<{ token: string }>("POST", `/api/v1/users/${changed.uid}/token`, {
      token: changed.token,
    });
    const body = { oldPassword: password, newPassword: "Passw0rd-2" };
    const path = `/api/v1/users/${changed.uid}/password`;
    expect((await slipway.call("PUT", path, { token: api.json.token, body })).status).toBe(200);
    expect(await works(changed.token)).toBe(false);
  });
});
