import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
import { codeOf, enrol, forgetCodes } from "../../../harness/secondFactor.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { storeCallsOf } from "../../../harness/storeCallsOf.ts";

const password = "Passw0rd-1";
const needed = { mfa_required: true, required_action: "verify" };
let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const signIn = (account: string, more: object = {}) =>
  slipway.call<Person & { mfa_required: boolean; required_action?: string; extra: object; description: string }>(
    "POST",
    "/api/v1/login",
    { token: null, body: { account, password, ...more } },
  );
const from = async (address: string, account: string, mfa_code: string): Promise<number> =>
  (await storeCallsOf("POST", "/api/v1/login", { body: { account, password, mfa_code }, address })).status;
const statusOf = async (token: string, method = "GET", path = "/openapi/projects/project", body?: object) =>
  (await slipway.call(method, path, { token, ...(body && { body }) })).status;
const mfaOf = (uid: string, rest = ""): string => `/openapi/users/${uid}/mfa${rest}`;
const viewOf = async ({ uid, token }: Person): Promise<object> =>
  (await slipway.call("GET", mfaOf(uid), { token })).json;
const settings = (mfa: object) =>
  slipway.call("POST", "/api/aslan/system/security", { body: { token_expiration_time: 24, ...mfa } });

describe("a second factor", () => {
  test("is enrolled with the password and a code, and signing in asks for codes from then on", async () => {
    const person = await newPerson("enrolling");
    const { uid, token } = person;
    expect(await viewOf(person)).toEqual({ enabled: false, recovery_codes_left: 0 });
    for (const [body, problem] of [
      [{}, "body password: is needed"],
      [{ password: "wrong" }, "password is wrong"],
    ] as const) {
      const refused = await slipway.call("POST", mfaOf(uid), { token, body });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(problem);
    }
    const begun = await slipway.call<{ secret: string; uri: string }>("POST", mfaOf(uid), {
      token,
      body: { password },
    });
    const { secret, uri } = begun.json;
    expect(uri).toContain(`secret=${secret}`);
    // Nothing has changed yet, and a wrong code changes nothing.
    expect((await signIn("enrolling")).status).toBe(200);
    const confirm = (mfa_code: string) =>
      slipway.call<{ recovery_codes: string[] }>("POST", mfaOf(uid, "/confirm"), { token, body: { mfa_code } });
    expect((await confirm(codeOf(secret, 5))).status).toBe(400);
    const first = codeOf(secret);
    const confirmed = await confirm(first);
    expect(confirmed.json.recovery_codes).toHaveLength(10);
    expect((await confirm(first)).text).toContain("no enrolment was begun");
    expect(await viewOf(person)).toEqual({ enabled: true, recovery_codes_left: 10 });
    const user = await slipway.call<{ mfa_enabled: boolean }>("GET", `/api/v1/users/${uid}`);
    expect(user.json.mfa_enabled).toBe(true);

    const refused = await signIn("enrolling");
    expect([refused.status, refused.json.extra]).toEqual([401, needed]);
    expect(refused.json.token).toBeUndefined();
    // The code that confirmed counts once, as every other.
    expect((await signIn("enrolling", { mfa_code: first })).json).toMatchObject({ extra: needed });
    const answer = await signIn("enrolling", { mfa_code: codeOf(secret, 1) });
    expect([answer.status, answer.json.mfa_required]).toEqual([200, false]);
    expect(await statusOf(answer.json.token)).toBe(200);
    // Sessions of before go on.
    expect(await statusOf(token)).toBe(200);
  });

  test("takes a code once, of sign-ins at the same moment too, a step early or late, and none of a step before", async () => {
    const person = await newPerson("once");
    const { secret } = await enrol(slipway, person);
    const code = codeOf(secret);
    const answers = await Promise.all([1, 2, 3, 4].map(() => signIn("once", { mfa_code: code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    expect((await signIn("once", { mfa_code: codeOf(secret, -1) })).status).toBe(401);
    const spaced = codeOf(secret, 1).replace(/(...)/, "$1 ");
    expect((await signIn("once", { mfa_code: spaced })).status).toBe(200);
  });

  test("is proved by each recovery code once, at the same moment too", async () => {
    const person = await newPerson("recovering");
    const { codes } = await enrol(slipway, person);
    const [first = "", second = ""] = codes;
    const answers = await Promise.all([1, 2].map(() => signIn("recovering", { mfa_code: first })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(await viewOf(person)).toMatchObject({ recovery_codes_left: 9 });
    const { uid, token } = person;
    const renewed = await slipway.call<{ recovery_codes: string[] }>("POST", mfaOf(uid, "/recovery-codes"), {
      ...{ token, body: { mfa_code: second.toUpperCase() } },
    });
    expect(renewed.json.recovery_codes).toHaveLength(10);
    expect((await signIn("recovering", { mfa_code: codes[2] })).status).toBe(401);
    expect((await signIn("recovering", { mfa_code: renewed.json.recovery_codes[0] })).status).toBe(200);
  });

  test("is stored sealed, with recovery codes as hashes, and leaves no secret in the operation log", async () => {
    const person = await newPerson("sealed");
    const { secret, codes } = await enrol(slipway, person);
    const mfa_code = codeOf(secret);
    expect((await signIn("sealed", { mfa_code })).status).toBe(200);
    const stored = JSON.stringify([
      await table().query({ pk: keys.secondFactor(person.uid).pk }),
      await table().get(keys.user(person.uid)),
    ]);
    const { text } = await slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=20");
    for (const hidden of [secret, mfa_code, ...codes, ...codes.map((code) => code.replaceAll("-", ""))])
      for (const place of [stored, text]) expect(place).not.toContain(hidden);
    expect(text).toContain("********");
    const log = JSON.parse(text) as { operation_logs: { method: string; function: string; detail: string }[] };
    expect(log.operation_logs.slice(0, 3)).toMatchObject([
      { method: "Sign In", function: "User" },
      { method: "Enable", function: "Second Factor", detail: person.uid },
      { method: "Create", function: "Second Factor", detail: person.uid },
    ]);
  });

  test("is enrolled anew by a code, and not by the password alone; the one before goes on until then", async () => {
    const person = await newPerson("moving");
    const { uid, token } = person;
    const { secret } = await enrol(slipway, person);
    const begin = (body: object) => slipway.call<{ secret: string }>("POST", mfaOf(uid), { token, body });
    expect((await begin({ password })).text).toContain("body mfa_code: is needed");
    const next = (await begin({ mfa_code: codeOf(secret) })).json.secret;
    expect((await signIn("moving", { mfa_code: codeOf(secret, 1) })).status).toBe(200);
    await slipway.call("POST", mfaOf(uid, "/confirm"), { token, body: { mfa_code: codeOf(next) } });
    await forgetCodes(uid);
    expect((await signIn("moving", { mfa_code: codeOf(secret) })).status).toBe(401);
    expect((await signIn("moving", { mfa_code: codeOf(next) })).status).toBe(200);
  });

  test("is switched off with a code or the password, and by an administrator for somebody else", async () => {
    const person = await newPerson("leaving");
    const { uid, token } = person;
    const disable = (body: object) => slipway.call("POST", mfaOf(uid, "/disable"), { token, body });
    const { secret } = await enrol(slipway, person);
    expect((await disable({})).text).toContain("body mfa_code: is needed, or else password");
    expect((await disable({ mfa_code: "000000" })).text).toContain("mfa_code is wrong");
    expect((await disable({ password: "wrong" })).text).toContain("password is wrong");
    expect((await signIn("leaving")).status).toBe(401);
    expect((await disable({ mfa_code: codeOf(secret) })).json).toEqual({ message: "success" });
    expect((await disable({ password })).json).toEqual({ message: "success" });
    expect((await signIn("leaving")).status).toBe(200);
    await enrol(slipway, person);
    expect((await disable({ password })).status).toBe(200);
    await enrol(slipway, person);
    expect(await statusOf(token, "DELETE", mfaOf(uid))).toBe(403);
    const stranger = await newPerson("leaving-stranger");
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["POST", "/confirm"],
      ["POST", "/disable"],
      ["POST", "/recovery-codes"],
    ] as const)
      expect(await statusOf(stranger.token, method, mfaOf(uid, path), method === "POST" ? {} : undefined)).toBe(403);
    for (let round = 0; round < 2; round++)
      expect((await slipway.call("DELETE", mfaOf(uid))).json).toEqual({ message: "success" });
    expect((await signIn("leaving")).status).toBe(200);
    const admin = await newPerson("second-admin", [{ namespace: "*", roles: { admin: [] } }]);
    expect((await slipway.call("DELETE", mfaOf(admin.uid), { token: admin.token })).text).toContain("your own");
  });

  test("goes with its user", async () => {
    const person = await newPerson("deleted");
    await enrol(slipway, person);
    expect((await slipway.call("DELETE", `/openapi/users/${person.uid}`)).status).toBe(200);
    expect((await slipway.call("GET", mfaOf(person.uid))).status).toBe(404);
    expect(await table().get(keys.secondFactor(person.uid))).toBeUndefined();
  });
});

describe("wrong codes", () => {
  test("count as failed sign-ins where they come from, and a sign-in without a code does not", async () => {
    const person = await newPerson("guessed");
    const { secret } = await enrol(slipway, person);
    for (let round = 0; round < 7; round++) expect(await from("192.0.2.7", "guessed", "")).toBe(401);
    for (let round = 0; round < 5; round++) expect(await from("192.0.2.7", "guessed", "000000")).toBe(401);
    expect(await from("192.0.2.7", "guessed", codeOf(secret))).toBe(429);
    expect(await from("192.0.2.8", "guessed", codeOf(secret))).toBe(200);
  });

  test("lock the second factor after ten from anywhere within an hour, and the password alone locks nothing", async () => {
    const person = await newPerson("many-places");
    const { secret, codes } = await enrol(slipway, person);
    for (let at = 0; at < 10; at++) expect(await from(`198.51.100.${at}`, "many-places", "000000")).toBe(401);
    for (const code of [codeOf(secret), codes[0] ?? ""])
      expect(await from("198.51.100.99", "many-places", code)).toBe(429);
    for (let round = 0; round < 7; round++) expect(await from("198.51.100.99", "many-places", "")).toBe(401);
    const body = { password };
    expect(await statusOf(person.token, "POST", mfaOf(person.uid, "/disable"), body)).toBe(200);
  });
});

describe("the setting", () => {
  test("is for nobody at first, is kept by clients that do not know it, and refuses what contradicts itself", async () => {
    const read = async () => (await slipway.call("GET", "/api/aslan/system/security")).json;
    expect(await read()).toMatchObject({ mfa_enabled: false, mfa_required_for: "nobody" });
    for (const [given, kept] of [
      [{ mfa_required_for: "administrators" }, "administrators"],
      [{}, "administrators"],
      [{ mfa_enabled: true }, "administrators"],
      [{ mfa_enabled: false }, "nobody"],
      [{ mfa_enabled: true }, "everybody"],
      [{ mfa_enabled: true, mfa_required_for: "administrators" }, "administrators"],
      [{ mfa_enabled: false, mfa_required_for: "nobody" }, "nobody"],
    ] as const) {
      expect((await settings(given)).status).toBe(200);
      expect(await read()).toMatchObject({ mfa_enabled: kept !== "nobody", mfa_required_for: kept });
    }
    for (const wrong of [{ mfa_required_for: "all" }, { mfa_enabled: false, mfa_required_for: "everybody" }])
      expect((await settings(wrong)).status).toBe(400);
    expect(await read()).toMatchObject({ mfa_required_for: "nobody" });
  });

  test("lets who has none do nothing but enrol and sign out, from the next sign-in on", async () => {
    const person = await newPerson("demanded", [{ namespace: "*", roles: { admin: [] } }]);
    const plain = await newPerson("not-demanded");
    const api = await slipway.call<{ token: string }>("POST", `/api/v1/users/${person.uid}/token`, person);
    await settings({ mfa_required_for: "administrators" });
    expect((await signIn("not-demanded")).json.mfa_required).toBe(false);
    await settings({ mfa_required_for: "everybody" });
    expect((await signIn("not-demanded")).json.mfa_required).toBe(true);
    await settings({ mfa_required_for: "administrators" });
    const answer = await signIn("demanded");
    expect(answer.json).toMatchObject({ mfa_required: true, required_action: "enroll" });
    const session = { uid: person.uid, token: answer.json.token };
    const other = (await signIn("demanded")).json.token;
    // What goes on: sessions of before, and API tokens.
    for (const token of [person.token, plain.token, api.json.token]) expect(await statusOf(token)).toBe(200);
    const { uid } = person;
    for (const [method, path] of [
      ["GET", "/openapi/projects/project"],
      ["GET", "/api/v1/policy/permission"],
      ["GET", `/openapi/users/${uid}/sessions`],
      ["GET", `/api/v1/users/${uid}/personal`],
      ["PUT", `/api/v1/users/${uid}/password`],
      ["POST", `/openapi/users/${uid}/tokens`],
      ["POST", mfaOf(uid, "/disable")],
      ["POST", mfaOf(uid, "/recovery-codes")],
      ["GET", "/openapi/events/stream"],
    ] as const) {
      const refused = await slipway.call<{ extra: object; description: string }>(method, path, {
        ...{ token: session.token, ...(method !== "GET" && { body: {} }) },
      });
      expect([refused.status, refused.json.extra], path).toEqual([
        403,
        { mfa_required: true, required_action: "enroll" },
      ]);
      expect(refused.json.description).toContain("demands a second factor");
    }
    expect(await viewOf(session)).toMatchObject({ enabled: false });
    const { secret } = await enrol(slipway, session);
    expect(await statusOf(session.token)).toBe(200);
    // Another session from before has not proved it.
    expect(await statusOf(other)).toBe(403);
    expect(await statusOf(other, "POST", mfaOf(uid), { password })).toBe(400);
    expect(await statusOf(other, "POST", "/api/v1/logout")).toBe(200);
    expect(await statusOf(other)).toBe(401);
    expect(await statusOf(session.token, "POST", mfaOf(uid, "/disable"), { password })).toBe(403);
    const next = await signIn("demanded", { mfa_code: codeOf(secret) });
    expect([next.json.mfa_required, await statusOf(next.json.token)]).toEqual([false, 200]);
    await settings({ mfa_required_for: "nobody" });
  });
});
