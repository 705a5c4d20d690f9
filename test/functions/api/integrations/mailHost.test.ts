import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { unseal } from "../../../../shared/base/aws/secrets/sealedSecret.ts";
import { keys } from "../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../shared/base/store/table.ts";
import type { Slipway } from "../../../harness/slipway.ts";
import { type RecordCalls, startForRecords, storedTexts, use } from "./recordCalls.ts";

const path = "/api/aslan/system/email/host";
const sample = {
  name: "smtp.example.com",
  port: 465,
  username: "ci",
  password: "PASSWORD-4711",
  from: "ci@example.com",
};
const shown = { name: "smtp.example.com", port: 465, username: "ci", is_tls: false, from: "ci@example.com" };
let slipway: Slipway & RecordCalls<{ id: string }>;

beforeAll(async () => {
  slipway = await startForRecords(path, sample);
});

afterAll(() => slipway.close());

beforeEach(async () => {
  expect((await slipway.ask("DELETE", path)).json).toEqual({ message: "success" });
});

async function password(): Promise<string | undefined> {
  const key = keys.integrationSecret("mail-host", "mail-host", "password");
  const item = await table().get<{ secret: Parameters<typeof unseal>[0] }>(key);
  return item && unseal(item.secret, { record: "mail-host:mail-host", field: "password" });
}

describe("the mail host", () => {
  test("is 404 until it is set, is replaced by a second POST, changed by PUT and deleted", async () => {
    expect((await slipway.ask("GET")).json).toMatchObject({ code: 404 });
    expect((await slipway.ask("PUT", path, sample)).json).toMatchObject({ code: 404 });
    expect((await slipway.ask("POST", path, sample)).json).toEqual({ message: "success" });
    expect((await slipway.ask("GET")).json).toEqual(shown);
    const open = { name: "10.0.0.3", port: 25, from: "Slipway <slipway@example.com>" };
    expect((await slipway.ask("POST", path, open)).status).toBe(200);
    expect((await slipway.ask("GET")).json).toEqual({ ...open, username: "", is_tls: false });
    expect(await password()).toBeUndefined();
    expect((await slipway.ask("PUT", path, { ...open, name: "::1", is_tls: true })).status).toBe(200);
    expect((await slipway.ask("GET")).json).toMatchObject({ name: "::1", is_tls: true });
    await slipway.ask("DELETE");
    expect((await slipway.ask("GET")).status).toBe(404);
  });

  test("is set by ten at once without one of them failing", async () => {
    const ports = Array.from({ length: 10 }, (_, at) => at + 1);
    const answers = await Promise.all(ports.map((port) => slipway.ask("POST", path, { ...sample, port })));
    expect(answers.map(({ status }) => status)).toEqual(ports.map(() => 200));
    expect((await slipway.ask("GET")).json).toMatchObject({ name: sample.name });
  });

  test("keeps its password sealed, and when none is sent with the same user", async () => {
    await slipway.ask("POST", path, sample);
    const { password: secret, ...rest } = sample;
    expect((await slipway.ask("PUT", path, { ...rest, port: 587 })).status).toBe(200);
    expect(await password()).toBe(secret);
    const logs = await slipway.ask("GET", "/openapi/system/operation?searchType=all&perPage=20&page=1");
    expect(`${await storedTexts("mail-host", "mail-host")}${logs.text}`).not.toContain(secret);
    await slipway.ask("PUT", path, { ...rest, password: "second" });
    expect(await password()).toBe("second");
    expect((await slipway.ask("PUT", path, { ...rest, username: "" })).status).toBe(200);
    expect(await password()).toBeUndefined();
    expect(await slipway.problemsOf(rest, "PUT")).toEqual(["password"]);
  });

  test("is not deleted while a workflow sends through it", async () => {
    await slipway.ask("POST", path, sample);
    const key = keys.integration("mail-host", "mail-host");
    await use({ key }, { kind: "workflow", projectKey: "shop", name: "release" });
    const refused = await slipway.ask("DELETE");
    expect([refused.status, refused.json.description]).toEqual([
      400,
      expect.stringContaining("workflow release of project shop"),
    ]);
    await table().write({ kind: "remove", key: keys.use(key, "", "workflow#shop#release") });
  });

  test("without its fields is refused, all named at once", async () => {
    expect(await slipway.problemsOf({})).toEqual(["from", "name", "port"]);
    expect(await slipway.problemsOf({ ...sample, password: "" })).toEqual(["password"]);
    expect(await slipway.problemsOf({ ...sample, username: "" })).toEqual(["username"]);
  });

  test.each([
    ["name", ""],
    ["name", "smtp://smtp.example.com"],
    ["name", "smtp.example.com:25"],
    ["name", "smtp example"],
    ["name", "-smtp"],
    ["name", "a".repeat(254)],
    ["name", 7],
    ["port", 0],
    ["port", 65_536],
    ["port", 1.5],
    ["port", "25"],
    ["username", "a\nb"],
    ["username", 7],
    ["password", "a\r\nb"],
    ["is_tls", "yes"],
    ["from", ""],
    ["from", "nobody"],
    ["from", "a@b\r\nBcc: c@d"],
    ["from", "A <a@b> <c@d>"],
    ["from", 7],
  ])("with %s %j is refused", async (field, value) => {
    expect(await slipway.problemsOf({ ...sample, [field]: value })).toEqual([field]);
    expect((await slipway.ask("GET")).status).toBe(404);
  });
});
