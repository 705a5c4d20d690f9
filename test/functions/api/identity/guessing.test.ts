import { scryptSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashToken } from "../../../../shared/access/identity/session/tokenText.ts";
import { changeUser, findUser } from "../../../../shared/access/identity/store/users.ts";
import { mustExist } from "../../../../shared/base/store/conditions.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { update } from "../../../../shared/base/store/writes.ts";
import type { Person } from "../../../harness/people.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";
import { storeCallsOf } from "../../../harness/storeCallsOf.ts";
import { storedPerson } from "../../../security/storedPerson.ts";

let slipway: Slipway;

beforeAll(async () => {
  slipway = await startSlipway();
});

afterAll(() => slipway.close());

const now = (): number => Math.floor(Date.now() / 1000);
const signIn = (account: string, password: string) =>
  slipway.call<Person>("POST", "/api/v1/login", { token: null, body: { account, password } });

/** Statuses of wrong sign-ins at the same moment, sorted. */
async function guesses(account: string, amount: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: amount }, () => signIn(account, "wrong")));
  return answers.map(({ status }) => status).sort();
}

/** A cheap hash, as an earlier installation may have made it. */
function weakHash(password: string) {
  const salt = Buffer.alloc(16, 1);
  const work = { cost: 2 ** 12, blockSize: 8, parallelization: 1 };
  const hash = scryptSync(password, salt, 32, { N: work.cost, r: work.blockSize, p: work.parallelization });
  return { algorithm: "scrypt", ...work, salt: salt.toString("base64"), hash: hash.toString("base64") } as const;
}

/** A user with a cheap hash, for tests that guess often. */
async function weakAccount(): Promise<string> {
  const { uid } = await storedPerson("Guessed At");
  const user = await changeUser(uid, (before) => ({ user: { ...before, password: weakHash("Passw0rd-1") } }));
  return user?.account ?? "";
}

const from = (address: string, account: string, password: string) =>
  storeCallsOf("POST", "/api/v1/login", { body: { account, password }, address });

/** Statuses of wrong passwords one after another. */
async function tries(account: string, address: string, amount: number): Promise<number[]> {
  const statuses = [];
  for (let at = 0; at < amount; at++) statuses.push((await from(address, account, "wrong")).status);
  return statuses;
}

const lockedAfter = (allowed: number, amount = allowed + 1): number[] =>
  Array.from({ length: amount }, (_, at) => (at < allowed ? 401 : 429));

describe("guessing a password", () => {
  test("is locked after five wrong ones, also when they come at the same moment", async () => {
    expect(await guesses("nobody-has-this", 8)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const locked = await signIn("NOBODY-has-this", "wrong");
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(800);
  });

  test("from elsewhere keeps nobody out, and one's own success clears no failures of others", async () => {
    const account = await weakAccount();
    for (const address of ["192.0.2.1", "192.0.2.2"]) expect(await tries(account, address, 6)).toEqual(lockedAfter(5));
    expect((await from("192.0.2.3", account, "Passw0rd-1")).status).toBe(200);
    expect((await from("192.0.2.1", account, "Passw0rd-1")).status).toBe(429);
  });

  test("from many addresses has two tries at each for an hour, and the right password goes through", async () => {
    const account = await weakAccount();
    for (let at = 1; at <= 4; at++) expect(await tries(account, `198.51.100.${at}`, 5)).toEqual(lockedAfter(5, 5));
    for (let at = 5; at <= 40; at++) {
      const statuses = await tries(account, `198.51.100.${at}`, 3);
      // The twenty-first failure is the first of the fifth address.
      expect(statuses, `address ${at}`).toEqual(lockedAfter(2, 3));
    }
    const waiting = await table().get<{ lockedUntil: number }>(keys.loginFailures("pair", `198.51.100.40#${account}`));
    expect(waiting?.lockedUntil).toBeGreaterThan(now() + 3500);
    for (let round = 0; round < 3; round++) expect((await from("203.0.113.9", account, "Passw0rd-1")).status).toBe(200);
    expect((await from("203.0.113.9", account, "wrong")).status).toBe(401);
    expect((await from("203.0.113.9", account, "Passw0rd-1")).status).toBe(200);
  });

  test("of many accounts from one address locks that address alone, which then leaves no records of accounts", async () => {
    const accounts = await Promise.all(Array.from({ length: 21 }, weakAccount));
    for (const account of accounts.slice(0, 20))
      expect(await tries(account, "192.0.2.77", 5)).toEqual(lockedAfter(5, 5));
    const [last = ""] = accounts.slice(20);
    expect((await from("192.0.2.77", last, "Passw0rd-1")).status).toBe(429);
    expect(await table().get(keys.loginFailures("pair", `192.0.2.77#${last}`))).toBeUndefined();
    expect(await table().get(keys.loginFailures("account", last))).toBeUndefined();
    expect((await from("192.0.2.78", last, "Passw0rd-1")).status).toBe(200);
  });

  test("from addresses of one IPv6 network counts together, and its records have an end", async () => {
    const account = await weakAccount();
    for (const end of ["1", "2", "ffff:1", "3", "4"])
      expect((await from(`2001:db8::${end}`, account, "wrong")).status).toBe(401);
    expect((await from("2001:db8:0:0:5:5:5:5", account, "Passw0rd-1")).status).toBe(429);
    expect((await from("2001:db8:0:1::1", account, "Passw0rd-1")).status).toBe(200);
    for (const [of, name] of [
      ["pair", `2001:db8:0:0::/64#${account}`],
      ["address", "2001:db8:0:0::/64"],
      ["account", account],
    ] as const) {
      const ttl = (await table().get<{ ttl: number }>(keys.loginFailures(of, name)))?.ttl ?? 0;
      expect(ttl, of).toBeGreaterThan(now());
      expect(ttl, of).toBeLessThanOrEqual(now() + 4500);
    }
  });

  test("is not free in the moment that the hour, or the lock, is over", async () => {
    for (const [account, over] of [
      ["hour", { value: 3, since: now() - 3601 }],
      ["lock", { value: 9, failed: 5, since: now() - 1000, lockedUntil: now() - 1 }],
    ] as const) {
      await signIn(account, "wrong");
      await table().write(update(keys.loginFailures("pair", `127.0.0.1#${account}`), { set: over }, mustExist));
      expect(await guesses(account, 7), account).toEqual([401, 401, 401, 401, 401, 429, 429]);
    }
  });

  test("asks the store the same for an unknown account as for a wrong password", async () => {
    const { uid } = await storedPerson("Somebody");
    const { account = "" } = (await findUser(uid)) ?? {};
    await changeUser(uid, (user) => ({ user: { ...user, password: weakHash("Passw0rd-1") } }));
    const costs = [];
    for (const name of [account, "unknown-account"]) {
      const body = { account: name, password: "wrong" };
      const { status, calls, body: text } = await storeCallsOf("POST", "/api/v1/login", { body });
      // Some run side by side and end in any order.
      const kinds = calls.map(({ kind }) => kind).sort();
      costs.push({ status, kinds, description: JSON.parse(text).description });
    }
    expect(costs[0]).toEqual(costs[1]);
    expect(costs[0]).toMatchObject({ status: 401, description: "invalid username or password" });
  });

  test("of the own old password counts too", async () => {
    const { uid, token } = await storedPerson("Changing");
    const { account = "" } = (await findUser(uid)) ?? {};
    await changeUser(uid, (user) => ({ user: { ...user, password: weakHash("Passw0rd-1") } }));
    const change = (oldPassword: string) =>
      slipway.call("PUT", `/api/v1/users/${uid}/password`, { token, body: { oldPassword, newPassword: "Passw0rd-2" } });
    for (let failure = 0; failure < 5; failure++) expect((await change("wrong")).status).toBe(400);
    const locked = await change("Passw0rd-1");
    expect(locked.status).toBe(429);
    expect(locked.headers.get("x-require-captcha")).toBe("true");
    expect((await signIn(account, "Passw0rd-1")).status).toBe(429);
  });
});

describe("a password that was hashed with less work", () => {
  test("is hashed with today's at the next sign-in, and goes on working", async () => {
    const { uid } = await storedPerson("Early");
    const { account = "" } = (await findUser(uid)) ?? {};
    await changeUser(uid, (user) => ({ user: { ...user, password: weakHash("Passw0rd-1") } }));
    expect((await signIn(account, "wrong")).status).toBe(401);
    expect((await findUser(uid))?.password?.cost).toBe(2 ** 12);
    expect((await signIn(account, "Passw0rd-1")).status).toBe(200);
    expect((await findUser(uid))?.password).toMatchObject({ algorithm: "scrypt", cost: 2 ** 17, blockSize: 8 });
    expect((await signIn(account, "Passw0rd-1")).status).toBe(200);
  });
});

describe("a session", () => {
  test("lives as long as the security settings say when it begins", async () => {
    const path = "/api/aslan/system/security";
    const first = {
      ...{ token_expiration_time: 24, improvement_plan: false },
      ...{ mfa_enabled: false, mfa_required_for: "nobody" },
    };
    expect((await slipway.call("GET", path)).json).toEqual(first);
    for (const wrong of [{ token_expiration_time: 0 }, { token_expiration_time: 8641 }])
      expect((await slipway.call("POST", path, { body: wrong })).status).toBe(400);
    const lasts = async (person: Person) =>
      ((await table().get<{ expiresAt: number }>(keys.token(hashToken(person.token))))?.expiresAt ?? 0) - now();
    const { uid } = await storedPerson("Lasting");
    const { account = "" } = (await findUser(uid)) ?? {};
    await changeUser(uid, (user) => ({ user: { ...user, password: weakHash("Passw0rd-1") } }));
    expect(await lasts((await signIn(account, "Passw0rd-1")).json)).toBeGreaterThan(24 * 3600 - 60);
    expect((await slipway.call("POST", path, { body: { ...first, token_expiration_time: 2 } })).status).toBe(200);
    expect((await slipway.call("GET", path)).json).toEqual({ ...first, token_expiration_time: 2 });
    expect(await lasts((await signIn(account, "Passw0rd-1")).json)).toBeLessThanOrEqual(2 * 3600);
  });
});
