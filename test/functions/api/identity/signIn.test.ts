import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

interface Session {
  uid: string;
  token: string;
}

async function newUser(account: string): Promise<Session> {
  const created = await slipway.call("POST", "/api/v1/users", {
    body: { name: account, account, password: "Passw0rd-1" },
  });
  expect(created.status).toBe(200);
  const login = await slipway.call<Session>("POST", "/api/v1/login", {
    token: null,
    body: { account, password: "Passw0rd-1" },
  });
  expect(login.status).toBe(200);
  return login.json;
}

describe("signing in", () => {
  test("an installation with an administrator is initialized and refuses to be initialized again", async () => {
    const status = await slipway.call("GET", "/api/aslan/system/initialization/status", { token: null });
    expect(status.json).toEqual({ initialized: true });
    const again = await slipway.call("POST", "/api/aslan/system/initialization/user", {
      token: null,
      body: { username: "a", password: "Passw0rd-1", company: "c", email: "e@x" },
    });
    expect(again.status).toBe(403);
  });

  test("a created user signs in, sees its API token once, and the token works", async () => {
    const { uid, token } = await newUser("ada");
    const first = await slipway.call<{ token: string; has_api_token: boolean }>(
      "GET",
      `/api/v1/users/${uid}/personal`,
      { token },
    );
    expect(first.json.token).toMatch(/^slw_[0-9A-Za-z]{46}$/);
    const second = await slipway.call("GET", `/api/v1/users/${uid}/personal`, { token: first.json.token });
    expect(second.json).toMatchObject({ token: "", has_api_token: true });
  });

  test("a new API token replaces the one before at once", async () => {
    const { uid, token } = await newUser("grace");
    const one = await slipway.call<{ token: string }>("POST", `/api/v1/users/${uid}/token`, { token });
    const two = await slipway.call<{ token: string }>("POST", `/api/v1/users/${uid}/token`, { token: one.json.token });
    expect(two.status).toBe(200);
    expect((await slipway.call("GET", `/api/v1/users/${uid}/personal`, { token: one.json.token })).status).toBe(401);
    expect((await slipway.call("GET", `/api/v1/users/${uid}/personal`, { token: two.json.token })).status).toBe(200);
  });

  test("signing out ends the session", async () => {
    const { uid, token } = await newUser("edsger");
    expect((await slipway.call("GET", "/api/v1/logout", { token })).json).toEqual({
      enable_redirect: false,
      redirect_url: "",
    });
    expect((await slipway.call("GET", `/api/v1/users/${uid}/personal`, { token })).status).toBe(401);
  });

  test("five failures lock the account for where they come from, the right password included, and no other account", async () => {
    await newUser("barbara");
    const attempt = (account: string, password: string) =>
      slipway.call("POST", "/api/v1/login", { token: null, body: { account, password } });
    for (let failure = 0; failure < 5; failure++) expect((await attempt("barbara", "wrong")).status).toBe(401);
    const locked = await attempt("barbara", "Passw0rd-1");
    expect(locked.status).toBe(429);
    expect(locked.headers.get("x-require-captcha")).toBe("true");
    await newUser("leslie");
  });

  test("a stranger's token of the wrong checksum, another user's record and a foreign action are refused", async () => {
    const { token } = await newUser("alan");
    const other = await newUser("tony");
    expect((await slipway.call("GET", `/api/v1/users/${other.uid}/personal`, { token })).status).toBe(403);
    expect(
      (await slipway.call("GET", `/api/v1/users/${other.uid}/personal`, { token: `${token.slice(0, -1)}!` })).status,
    ).toBe(401);
    const created = await slipway.call("POST", "/api/v1/users", {
      token,
      body: { name: "x", account: "x", password: "Passw0rd-1" },
    });
    expect(created.json).toMatchObject({ type: "error", code: 403, message: "Forbidden", extra: {} });
  });

  test("every mutation, refused ones included, stands in the operation log with its secrets masked", async () => {
    await slipway.call("POST", "/api/v1/users", { body: { name: "Weak", account: "weak", password: "weak" } });
    const logs = await slipway.call<{ operation_logs: Record<string, unknown>[]; total: number }>(
      "GET",
      "/openapi/system/operation?searchType=all&perPage=1&page=1",
    );
    expect(logs.json.operation_logs).toEqual([
      expect.objectContaining({
        username: "admin",
        method: "Create",
        function: "User",
        detail: "weak",
        status: 400,
        request_body: '{"name":"Weak","account":"weak","password":"********"}',
      }),
    ]);
    expect(logs.json.total).toBeGreaterThan(5);
  });
});
