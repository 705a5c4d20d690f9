import { scryptSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashToken } from "../../../../shared/identity/session/tokenText.ts";
import { changeUser, findUser } from "../../../../shared/identity/store/users.ts";
import { mustExist } from "../../../../shared/store/conditions.ts";
import { keys } from "../../../../shared/store/keys.ts";
import { table } from "../../../../shared/store/theTable.ts";
import { update } from "../../../../shared/store/writes.ts";
import { newPerson, type Person } from "../../../harness/people.ts";
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

describe("guessing a password", () => {
  test("is locked after five wrong ones, also when they come at the same moment", async () => {
    expect(await guesses("nobody-has-this", 8)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const locked = await signIn("NOBODY-has-this", "wrong");
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(800);
  });

  test("is not free in the moment that the hour, or the lock, is over", async () => {
    for (const [account, over] of [
      ["hour", { value: 3, since: now() - 3601 }],
      ["lock", { value: 9, since: now() - 1000, lockedUntil: now() - 1 }],
    ] as const) {
      await signIn(account, "wrong");
      await table().write(update(keys.loginFailures("account", account), { set: over }, mustExist));
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
    const first = { token_expiration_time: 24, mfa_enabled: false, improvement_plan: false };
    expect((await slipway.call("GET", path)).json).toEqual(first);
    for (const wrong of [
      { token_expiration_time: 0 },
      { token_expiration_time: 8641 },
      { ...first, mfa_enabled: true },
    ])
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

  test("ends at the next sign-in, and at a sign-out that an API token asks for, which itself goes on", async () => {
    const { uid, token } = await newPerson("sessions");
    const second = (await signIn("sessions", "Passw0rd-1")).json.token;
    const reads = async (by: string) => (await slipway.call("GET", `/openapi/users/${uid}`, { token: by })).status;
    expect([await reads(token), await reads(second)]).toEqual([401, 200]);
    const made = await slipway.call<{ token: string }>("POST", `/api/v1/users/${uid}/token`, { token: second });
    expect((await slipway.call("POST", "/api/v1/logout", { token: made.json.token })).status).toBe(200);
    expect([await reads(second), await reads(made.json.token)]).toEqual([401, 200]);
  });

  test("that many ask for at the same moment is one", async () => {
    const { uid } = await newPerson("crowd");
    const answers = await Promise.all([1, 2, 3, 4].map(() => signIn("crowd", "Passw0rd-1")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const working = await Promise.all(
      answers.map(({ json }) => slipway.call("GET", `/openapi/users/${uid}`, { token: json.token })),
    );
    expect(working.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
