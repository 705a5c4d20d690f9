import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import { realHashes } from "../../../harness/cheapHashes.ts";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const password = "Passw0rd-1";
let slipway: Slipway;

beforeAll(async () => {
  realHashes();
  slipway = await startSlipway({ adminPassword: password });
});

afterAll(() => slipway.close());

const signIn = (account: string) => slipway.call("POST", "/api/v1/login", { token: null, body: { account, password } });
const megabytes = (): number => process.memoryUsage().rss / 1e6;

/** As a client that heeds `Retry-After` signs in. */
async function patientSignIn(account: string) {
  for (;;) {
    const answer = await signIn(account);
    if (answer.status !== 429) return answer;
    await sleep(Number(answer.headers.get("retry-after")) * 1000);
  }
}

test("forty sign-ins of strangers leave room for reads and for the right password, and give the memory back", async () => {
  const before = megabytes();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, megabytes());
  }, 50);
  const strangers = Promise.all(Array.from({ length: 40 }, (_, at) => signIn(`stranger-${at}`)));
  const read = slipway.call("GET", "/openapi/projects/project");
  const administrator = patientSignIn("admin");
  expect((await read).status).toBe(200);
  const answers = await strangers;
  expect((await administrator).status).toBe(200);
  clearInterval(watch);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(4);
  for (const { headers, text } of refused) {
    expect(headers.get("retry-after")).toBe("10");
    expect(headers.get("x-require-captcha")).toBe("false");
    expect(text).toContain("too many passwords are being checked; try again in 10 seconds");
  }
  // What was refused before its password was looked at is no failure, and neither is a success.
  const address = await table().get<{ value: number }>(keys.loginFailures("address", "127.0.0.1"));
  expect(address?.value).toBe(answers.length - refused.length);
  // Two hashes hold 256 MiB; the four that the thread pool would run hold twice as much.
  expect(most - before).toBeLessThan(420);
  expect(megabytes() - before).toBeLessThan(128);
}, 90_000);
