import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { update } from "../../../../shared/base/store/writes.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { type Person, storedPerson } from "../../../security/storedPerson.ts";

interface Token {
  id: string;
  name: string;
  scope: string;
  projects: string[];
  expires_at: number;
  last_used_at: number;
  token: string;
}

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
  for (const project_key of ["mine", "other"]) {
    const body = { project_name: project_key, project_key, project_type: "yaml" };
    expect((await slipway.call("POST", "/openapi/projects/project", { body })).status).toBe(200);
  }
});

afterAll(() => slipway.close());

const now = (): number => Math.floor(Date.now() / 1000);
const pathOf = ({ uid }: Pick<Person, "uid">): string => `/openapi/users/${uid}/tokens`;
const administrator = () => storedPerson("Administrator", { namespace: "*", roles: { admin: [] } });

async function made(person: Person, body: object): Promise<Token> {
  const answer = await slipway.call<Token>("POST", pathOf(person), { token: person.token, body });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function listed(person: Person, token = person.token): Promise<Token[]> {
  const answer = await slipway.call<Token[]>("GET", pathOf(person), { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const statusOf = async (token: string, path = "/openapi/projects/project", method = "GET", body?: unknown) =>
  (await slipway.call(method, path, { token, body })).status;

describe("API tokens", () => {
  test("are several, each with its name, scope, projects and expiry, and no list shows their text", async () => {
    const person = await storedPerson("Owner");
    const expires_at = now() + 1000;
    const one = await made(person, { name: "ci", scope: "read", projects: ["mine", "mine"], expires_at });
    expect(one.token).toMatch(/^slw_[0-9A-Za-z]{46}$/);
    const two = await made(person, { name: "etc" });
    const list = await listed(person);
    expect(list).toMatchObject([
      { id: one.id, name: "ci", scope: "read", projects: ["mine"], expires_at, last_used_at: 0 },
      { name: "default", scope: "write", projects: [], expires_at: 0 },
      { id: two.id, name: "etc", scope: "write", projects: [], expires_at: two.expires_at, last_used_at: 0 },
    ]);
    expect(JSON.stringify(list)).not.toContain(one.token);
    expect(list.every((token) => token.token === undefined)).toBe(true);
    expect(await Promise.all([one.token, two.token, person.token].map((token) => statusOf(token)))).toEqual([
      200, 200, 200,
    ]);
  });

  test("have names of their own, an end in the future and projects that can be named", async () => {
    const person = await storedPerson("Owner");
    await made(person, { name: "twice" });
    const refused = async (body: object) => {
      const answer = await slipway.call<{ description: string }>("POST", pathOf(person), { token: person.token, body });
      expect(answer.status, answer.text).toBe(400);
      return answer.json.description;
    };
    expect(await refused({ name: "twice" })).toContain("body name: a token with the name twice exists");
    expect(await refused({ name: "default" })).toContain("body name");
    expect(await refused({ name: "late", expires_at: now() - 1 })).toContain("body expires_at");
    expect(await refused({ name: "scope", scope: "admin" })).toContain("body scope");
    expect(await refused({ name: "project", projects: ["No Project"] })).toContain("body projects[0]");
    expect(await refused({})).toContain("body name");
    expect(await refused({ name: "meant to end", expires_in_days: 1 })).toBe(
      "body: does not take expires_in_days; known are name, scope, projects, expires_at",
    );
    expect((await listed(person)).map(({ name }) => name)).toEqual(["default", "twice"]);
  });

  test("end after 90 days, or when they say so, or never", async () => {
    const person = await storedPerson("Owner");
    const quarter = now() + 90 * 24 * 3600;
    const usual = await made(person, { name: "usual" });
    expect(usual.expires_at).toBeGreaterThanOrEqual(quarter);
    expect(usual.expires_at).toBeLessThan(quarter + 60);
    expect((await made(person, { name: "lasting", expires_at: 0 })).expires_at).toBe(0);
    const stored = await table().get<{ expiresAt: number }>(keys.token(hashToken(usual.token)));
    expect(stored?.expiresAt).toBe(usual.expires_at);
  });

  test("of which two with one name are asked for at once are one", async () => {
    const person = await storedPerson("Owner");
    const ask = () => slipway.call("POST", pathOf(person), { token: person.token, body: { name: "same" } });
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400, 400]);
    expect((await listed(person)).map(({ name }) => name)).toEqual(["default", "same"]);
  });

  test("are at most 50", async () => {
    const person = await storedPerson("Collector");
    for (let at = 0; at < 49; at++) await made(person, { name: `token ${at}` });
    const answer = await slipway.call("POST", pathOf(person), { token: person.token, body: { name: "one more" } });
    expect(answer.status).toBe(400);
  });

  test("stop at their end", async () => {
    const person = await storedPerson("Owner");
    const { token } = await made(person, { name: "short", expires_at: now() + 1000 });
    expect(await statusOf(token)).toBe(200);
    await table().write(update(keys.token(hashToken(token)), { set: { expiresAt: now() } }, mustExist));
    const answer = await slipway.call<{ description: string }>("GET", "/openapi/projects/project", { token });
    expect(answer.status).toBe(401);
    expect(answer.json.description).toBe("invalid token: token validation failed");
  });

  test("are given another text, after which only that one works and everything else stays", async () => {
    const person = await storedPerson("Owner");
    const before = await made(person, { name: "rotated", scope: "read", projects: ["mine"] });
    const path = `${pathOf(person)}/${before.id}/rotate`;
    const after = await slipway.call<Token>("POST", path, { token: person.token });
    expect(after.json).toEqual({ ...before, token: after.json.token });
    expect(after.json.token).not.toBe(before.token);
    expect([await statusOf(before.token), await statusOf(after.json.token)]).toEqual([401, 200]);
    const parallel = await Promise.all([1, 2, 3].map(() => slipway.call<Token>("POST", path, { token: person.token })));
    const working = await Promise.all(parallel.map(({ json }) => statusOf(json.token)));
    expect(working.filter((status) => status === 200)).toHaveLength(1);
    const unknown = await slipway.call("POST", `${pathOf(person)}/${"f".repeat(24)}/rotate`, { token: person.token });
    expect(unknown.status).toBe(404);
  });

  test("are revoked by their owner and by an administrator, at once, and again without an error", async () => {
    const person = await storedPerson("Owner");
    const one = await made(person, { name: "one" });
    const two = await made(person, { name: "two" });
    for (const [{ id, token }, by] of [
      [one, person.token],
      [two, (await administrator()).token],
    ] as const)
      for (let round = 0; round < 2; round++) {
        const answer = await slipway.call("DELETE", `${pathOf(person)}/${id}`, { token: by });
        expect(answer.json).toEqual({ message: "success" });
        expect(await statusOf(token)).toBe(401);
      }
    expect((await listed(person)).map(({ name }) => name)).toEqual(["default"]);
    await made(person, { name: "one" });
  });

  test("include the default one, which revoked is made anew at the next view of the own record", async () => {
    const person = await storedPerson("Owner");
    const [own] = await listed(person);
    expect(own?.name).toBe("default");
    expect((await slipway.call("DELETE", `${pathOf(person)}/${own?.id}`, { token: person.token })).status).toBe(200);
    expect(await statusOf(person.token)).toBe(401);
    const info = await slipway.call("GET", `/api/v1/users/${person.uid}`);
    expect(info.json).toMatchObject({ has_api_token: false });
  });

  test("of another user are seen by administrators and by nobody else, and made by the user alone", async () => {
    const [person, stranger, admin] = [
      await storedPerson("Owner"),
      await storedPerson("Stranger"),
      await administrator(),
    ];
    expect(await listed(person, admin.token)).toHaveLength(1);
    expect(await statusOf(stranger.token, pathOf(person))).toBe(403);
    expect(await statusOf(admin.token, pathOf(person), "POST", { name: "x" })).toBe(403);
    const [own] = await listed(person);
    expect(await statusOf(admin.token, `${pathOf(person)}/${own?.id}/rotate`, "POST")).toBe(403);
    expect(await statusOf(stranger.token, `${pathOf(person)}/${own?.id}`, "DELETE")).toBe(403);
  });

  test("tell when they were last used, which is written at most once a minute", async () => {
    const person = await storedPerson("Owner");
    const { token, id } = await made(person, { name: "used" });
    const startedAt = now();
    await Promise.all([1, 2, 3, 4, 5].map(() => statusOf(token)));
    const used = (await listed(person)).find((one) => one.id === id)?.last_used_at ?? 0;
    expect(used).toBeGreaterThanOrEqual(startedAt);
    const versionOf = async () => (await table().get(keys.token(hashToken(token))))?.version;
    const version = await versionOf();
    await statusOf(token);
    expect(await versionOf()).toBe(version);
    await table().write(update(keys.token(hashToken(token)), { set: { lastUsedAt: now() - 61 } }, mustExist));
    await statusOf(token);
    expect(await versionOf()).toBe((version ?? 0) + 2);
  });
});

describe("what a token may do less than its user", () => {
  const services = (project: string): string => `/openapi/service/yaml/services?projectKey=${project}`;
  const project = (project_key: string) => ({ project_name: project_key, project_key, project_type: "yaml" });

  test("one that reads changes nothing, not even by GET, and reads everything, also by POST", async () => {
    const admin = await administrator();
    const { token } = await made(admin, { name: "reader", scope: "read" });
    expect(await statusOf(token, services("mine"))).toBe(200);
    expect(await statusOf(token, "/api/v1/users/search", "POST", {})).toBe(200);
    const refused = await slipway.call("POST", "/openapi/projects/project", { token, body: project("new") });
    expect(refused.json).toMatchObject({ code: 403, description: "this token may only read" });
    expect(await statusOf(token, "/api/v1/logout")).toBe(403);
    expect(await statusOf(token, pathOf(admin), "POST", { name: "wider" })).toBe(403);
  });

  test("one of a project sees and changes that project only, and makes no other token", async () => {
    const admin = await administrator();
    const { token } = await made(admin, { name: "of mine", projects: ["mine"] });
    expect([await statusOf(token, services("mine")), await statusOf(token, services("other"))]).toEqual([200, 403]);
    const list = await slipway.call<{ projects: { project_key: string }[]; total: number }>(
      "GET",
      "/openapi/projects/project",
      { token },
    );
    expect(list.json).toMatchObject({ projects: [{ project_key: "mine" }], total: 1 });
    const refused = await slipway.call<{ description: string }>("GET", services("other"), { token });
    expect(refused.json.description).toBe("this token is limited to mine");
    expect(await statusOf(token, "/openapi/projects/project", "POST", project("new"))).toBe(403);
    expect(await statusOf(token, "/openapi/users")).toBe(403);
    expect(await statusOf(token, pathOf(admin), "POST", { name: "wider" })).toBe(403);
    expect(await statusOf(token, `/api/v1/users/${admin.uid}/token`, "POST")).toBe(403);
    const raw = `/openapi/service/yaml/raw?projectKey=`;
    const service = { service_name: "config", yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\n" };
    expect(await statusOf(token, `${raw}mine`, "POST", service)).toBe(200);
    expect(await statusOf(token, `${raw}other`, "POST", service)).toBe(403);
  });

  test("one of a project that the user cannot reach reaches it neither", async () => {
    const person = await storedPerson("Reader", { namespace: "other", roles: { "read-only": [] } });
    const { token } = await made(person, { name: "of mine", projects: ["mine"] });
    expect([await statusOf(token, services("mine")), await statusOf(token, services("other"))]).toEqual([403, 403]);
    expect(await statusOf(person.token, services("other"))).toBe(200);
  });
});

describe("switching API tokens off for a user", () => {
  const allow = (uid: string, api_token_enabled: boolean) =>
    slipway.call("PUT", `/api/v1/users/${uid}`, { body: { api_token_enabled } });

  test("revokes all of them at once and lets the user make none", async () => {
    const person = await storedPerson("Owner");
    const { token } = await made(person, { name: "ci" });
    expect((await allow(person.uid, false)).status).toBe(200);
    expect([await statusOf(token), await statusOf(person.token)]).toEqual([401, 401]);
    const info = await slipway.call("GET", `/api/v1/users/${person.uid}`);
    expect(info.json).toMatchObject({ api_token_enabled: false, has_api_token: false });
    expect((await allow(person.uid, true)).status).toBe(200);
    expect([await statusOf(token), await statusOf(person.token)]).toEqual([401, 401]);
  });

  test("is refused for a system administrator", async () => {
    const admin = await administrator();
    expect((await allow(admin.uid, false)).json).toMatchObject({ code: 6001 });
    expect(await statusOf(admin.token)).toBe(200);
  });
});
