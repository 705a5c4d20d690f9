import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../../../harness/identityProvider.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

interface Session {
  uid: string;
  token: string;
  account: string;
  name: string;
  identityType: string;
  group_ids: string[];
}

let slipway: Slipway;
let provider: IdentityProvider;

beforeAll(async () => {
  slipway = await startSlipway();
  provider = await startIdentityProvider();
});

afterAll(async () => {
  await provider.close();
  await slipway.close();
});

async function begin(): Promise<{ url: string; cookie: string; attributes: string }> {
  const answer = await slipway.call<{ authorization_url: string }>("GET", "/api/v1/sso/login", { token: null });
  expect(answer.status, answer.text).toBe(200);
  const attributes = answer.headers.get("set-cookie") ?? "";
  return { url: answer.json.authorization_url, cookie: attributes.split(";")[0] ?? "", attributes };
}

const comeBack = (search: string, cookie: string) =>
  slipway.call<Session & { code: number; description: string }>("GET", `/api/v1/sso/callback${search}`, {
    token: null,
    headers: { cookie },
  });

async function signOn(login: string): Promise<Session> {
  const { url, cookie } = await begin();
  const answer = await comeBack(await provider.signIn(url, login), cookie);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function group(name: string): Promise<string> {
  const made = await slipway.call<{ group_id: string }>("POST", "/api/v1/user-group", { body: { name } });
  return made.json.group_id;
}

describe("signing in by an identity provider", () => {
  test("is offered when one is configured", async () => {
    const offered = await slipway.call("GET", "/api/v1/login-enabled", { token: null });
    expect(offered.json).toEqual({ enabled: true });
  });

  test("makes the user at the first time and finds the same one later, with what the claims say then", async () => {
    provider.claims.set("ada", { preferred_username: "ada", name: "Ada L.", email: "ada@example.com" });
    const first = await signOn("ada");
    expect(first).toMatchObject({ account: "ada", name: "Ada L.", identityType: "oauth", group_ids: [] });
    expect(first.token).toMatch(/^sls_/);
    const own = await slipway.call("GET", `/openapi/users/${first.uid}`, { token: first.token });
    expect(own.json).toMatchObject({ email: "ada@example.com", identity_type: "oauth" });
    provider.claims.set("ada", { preferred_username: "ada.new", name: "Ada Lovelace" });
    const second = await signOn("ada");
    expect(second).toMatchObject({ uid: first.uid, account: "ada", name: "Ada Lovelace", email: "ada@example.com" });
    expect((await slipway.call("GET", `/openapi/users/${first.uid}`, { token: first.token })).status).toBe(200);
    const listed = await slipway.call<{ total_count: number }>(
      "GET",
      "/openapi/users?identity_type=oauth&name=Lovelace",
    );
    expect(listed.json.total_count).toBe(1);
  });

  test("is asked for no second factor here, whatever the settings demand", async () => {
    const demand = (mfa_required_for: string) =>
      slipway.call("POST", "/api/aslan/system/security", { body: { token_expiration_time: 24, mfa_required_for } });
    await demand("everybody");
    provider.claims.set("grace", { preferred_username: "grace" });
    const session = await signOn("grace");
    await demand("nobody");
    expect(session).toMatchObject({ mfa_required: false });
    const { uid, token } = session;
    expect((await slipway.call("GET", "/openapi/projects/project", { token })).status).toBe(200);
    const body = { password: "any" };
    const refused = await slipway.call("POST", `/openapi/users/${uid}/mfa`, { token, body });
    expect(refused.json).toMatchObject({ code: 6001, description: expect.stringContaining("identity provider") });
  });

  test("gives nobody the account of somebody else, nor a local one", async () => {
    const body = { account: "shared", name: "Local", password: "Passw0rd-1" };
    const local = await slipway.call<{ uid: string }>("POST", "/api/v1/users", { body });
    provider.claims.set("one", { preferred_username: "shared" });
    provider.claims.set("two", { preferred_username: "Shared" });
    const one = await signOn("one");
    expect(one.uid).not.toBe(local.json.uid);
    const { url, cookie } = await begin();
    const two = await comeBack(await provider.signIn(url, "two"), cookie);
    expect(two.json).toMatchObject({ code: 6003, description: expect.stringContaining("belongs to somebody else") });
    const wrong = await slipway.call("POST", "/api/v1/login", {
      token: null,
      body: { account: "shared", password: "x" },
    });
    expect(wrong.status).toBe(401);
  });

  test("lets memberships follow the claim, and leaves alone what an administrator gave", async () => {
    const [developers, reviewers, by] = [await group("developers"), await group("reviewers"), await group("by hand")];
    provider.claims.set("grace", { preferred_username: "grace", groups: ["Developers", "unknown here", 7] });
    const { uid, group_ids } = await signOn("grace");
    expect(group_ids).toEqual([developers]);
    await slipway.call("POST", `/api/v1/user-group/${by}/bulk-create-users`, { body: { uids: [uid] } });
    provider.claims.set("grace", { preferred_username: "grace", groups: ["reviewers", "by hand"] });
    expect((await signOn("grace")).group_ids).toEqual([reviewers, by].sort());
    provider.claims.set("grace", { preferred_username: "grace", groups: [] });
    expect((await signOn("grace")).group_ids).toEqual([by]);
    provider.claims.set("grace", { preferred_username: "grace" });
    expect((await signOn("grace")).group_ids).toEqual([by]);
    expect((await slipway.call("GET", "/openapi/user-groups?name=unknown")).json).toEqual({ group_list: [], total: 0 });
  });

  test("makes a deleted user anew, without what the one before held", async () => {
    provider.claims.set("again", { preferred_username: "again" });
    const first = await signOn("again");
    expect((await slipway.call("DELETE", `/openapi/users/${first.uid}`)).status).toBe(200);
    const second = await signOn("again");
    expect(second.uid).not.toBe(first.uid);
    expect((await slipway.call("GET", "/openapi/system/cluster", { token: second.token })).status).toBe(403);
  });

  test("at the same moment twice makes one user", async () => {
    provider.claims.set("twin", { preferred_username: "twin" });
    const begun = await Promise.all([begin(), begin()]);
    const queries = await Promise.all(begun.map(({ url }) => provider.signIn(url, "twin")));
    const answers = await Promise.all(queries.map((query, at) => comeBack(query, begun[at]?.cookie ?? "")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.json.uid).toBe(answers[1]?.json.uid);
  });
});

describe("a callback", () => {
  test("is accepted once, and only from the browser that began it", async () => {
    provider.claims.set("careful", { preferred_username: "careful" });
    const { url, cookie, attributes } = await begin();
    expect(attributes).toMatch(/; Path=\/api\/v1\/sso; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
    expect(new URL(url).searchParams.get("code_challenge_method")).toBe("S256");
    const search = await provider.signIn(url, "careful");
    const refused = async (by: string) => {
      const answer = await comeBack(search, by);
      expect(answer.json, answer.text).toMatchObject({ code: 6003 });
      expect(answer.status).toBe(400);
    };
    await refused("");
    await refused((await begin()).cookie);
    await refused("slipway_sign_on=made-up");
    const accepted = await comeBack(search, cookie);
    expect(accepted.status, accepted.text).toBe(200);
    expect(accepted.headers.get("set-cookie")).toContain("Max-Age=0");
    await refused(cookie);
  });

  test("with another state, or with an error of the provider, signs nobody in and says why", async () => {
    const { url, cookie } = await begin();
    const search = new URLSearchParams(await provider.signIn(url, "careful"));
    search.set("state", "another");
    expect((await comeBack(`?${search}`, cookie)).json.code).toBe(6003);
    const state = new URL(url).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ error: "access_denied", state, iss: provider.issuer });
    const denied = await comeBack(`?${query}`, cookie);
    expect(denied.json.description).toBe("the identity provider refused: access_denied");
  });

  test("of somebody whom no claim gives an account is refused", async () => {
    provider.claims.set("x".repeat(40), { preferred_username: "a/b" });
    const { url, cookie } = await begin();
    const answer = await comeBack(await provider.signIn(url, "x".repeat(40)), cookie);
    expect(answer.json).toMatchObject({ code: 6003, description: expect.stringContaining("can be an account") });
  });
});

describe("behind a stage", () => {
  test("the cookie goes to the API there, whichever of its two places browsers come back to", async () => {
    const stage = "https://slipway.example.com/stage";
    for (const path of ["/console/signed-on", "/api/v1/sso/callback"]) {
      await provider.close();
      provider = await startIdentityProvider(stage + path);
      const login = path.slice(1).replaceAll("/", "-");
      provider.claims.set(login, { preferred_username: login });
      const { url, cookie, attributes } = await begin();
      expect(attributes).toContain("; Path=/stage/api/v1/sso;");
      const accepted = await comeBack(await provider.signIn(url, login), cookie);
      expect(accepted.status, accepted.text).toBe(200);
      expect(accepted.headers.get("set-cookie")).toMatch(/=; Path=\/stage\/api\/v1\/sso; Max-Age=0;/);
    }
  });
});

describe("without a provider", () => {
  test("nothing is offered, and asking for it says so", async () => {
    await provider.close();
    expect((await slipway.call("GET", "/api/v1/login-enabled", { token: null })).json).toEqual({ enabled: false });
    const answer = await slipway.call("GET", "/api/v1/sso/login", { token: null });
    expect(answer.json).toMatchObject({ code: 6003, description: expect.stringContaining("not configured") });
    provider = await startIdentityProvider();
  });
});
