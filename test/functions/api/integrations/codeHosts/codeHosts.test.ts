import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unseal } from "../../../../../shared/base/aws/secrets/sealedSecret.ts";
import { keys } from "../../../../../shared/base/store/keys/keys.ts";
import { table } from "../../../../../shared/base/store/table.ts";
import { endUse } from "../../../../../shared/base/store/uses.ts";
import { newPerson } from "../../../../harness/people.ts";
import type { Slipway } from "../../../../harness/slipway.ts";
import { type RecordCalls, startForRecords, storedTexts, use } from "../recordCalls.ts";

interface Shown {
  id: number;
  alias: string;
  address: string;
  auth_type: string;
}

const path = "/api/aslan/system/codehosts";
const sample = {
  type: "gitlab",
  address: "https://gitlab.example.com",
  alias: "gitlab",
  auth_type: "token",
  access_token: "glpat-4711",
};
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const lockedPem = privateKey
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
  .toString();
/** The beginning of a key as ssh-keygen writes it, under the named cipher. */
const openSsh = (cipher: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(cipher.length);
  const content = Buffer.concat([Buffer.from("openssh-key-v1\0"), length, Buffer.from(cipher), Buffer.alloc(64)]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${content.toString("base64")}\n-----END OPENSSH PRIVATE KEY-----\n`;
};
let slipway: Slipway & RecordCalls<Shown>;

beforeAll(async () => {
  slipway = await startForRecords<Shown>(path, sample);
});

afterAll(() => slipway.close());

async function secretOf(id: number, field: string): Promise<string | undefined> {
  const item = await table().get<{ secret: Parameters<typeof unseal>[0] }>(
    keys.integrationSecret("code-host", String(id), field),
  );
  return item && unseal(item.secret, { record: `code-host:${id}`, field });
}

describe("code hosts", () => {
  test("are added under rising numbers, listed by alias, read, changed and deleted", async () => {
    const first = await slipway.add({ alias: "zoo" });
    const second = await slipway.add({
      alias: "ark",
      type: "other",
      address: "ssh://git@git.example.com:2222",
      auth_type: "ssh",
      access_token: "",
      ssh_key: pem,
    });
    expect(second.id).toBeGreaterThan(first.id);
    expect(first).toEqual({
      id: first.id,
      type: "gitlab",
      address: "https://gitlab.example.com",
      alias: "zoo",
      auth_type: "token",
      username: "",
      disable_ssl: false,
    });
    expect(await slipway.list()).toEqual([second, first]);
    const body = { ...sample, alias: "aaa", type: "gitea", address: "http://10.0.0.7:3000/git", disable_ssl: true };
    expect((await slipway.ask("PUT", `${path}/${first.id}`, body)).json).toEqual({ message: "success" });
    expect((await slipway.list())[0]).toMatchObject({ id: first.id, alias: "aaa", type: "gitea", disable_ssl: true });
    for (const { id } of [first, second])
      for (let times = 0; times < 2; times++)
        expect((await slipway.ask("DELETE", `${path}/${id}`)).json).toEqual({ message: "success" });
    expect(await slipway.list()).toEqual([]);
    expect((await slipway.ask("GET", `${path}/${first.id}`)).json).toMatchObject({ code: 404 });
    expect((await slipway.ask("PUT", `${path}/${first.id}`, body)).json).toMatchObject({ code: 404 });
    const third = await slipway.add({ alias: "zoo" });
    expect(third.id).toBeGreaterThan(second.id);
    await slipway.ask("DELETE", `${path}/${third.id}`);
  });

  test.each(["github", "gitlab", "gitee", "gitea", "gerrit", "other"])("of type %s are taken", async (type) => {
    expect(await slipway.add({ type, alias: `of-type-${type}` })).toMatchObject({ type });
  });

  test("have aliases of their own, also when 20 of one alias are added at once", async () => {
    const body = { ...sample, alias: "raced" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => slipway.ask("POST", path, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    const other = await slipway.add({ alias: "renamed" });
    expect(await slipway.problemsOf({ ...sample, alias: "raced" }, "PUT", `${path}/${other.id}`)).toEqual(["alias"]);
    expect((await slipway.list()).filter(({ alias }) => alias === "renamed")).toEqual([other]);
    await slipway.ask("DELETE", `${path}/${other.id}`);
    await slipway.add({ alias: "renamed" });
  });
});

describe("what is refused", () => {
  test("what is missing is named at once", async () => {
    expect(await slipway.problemsOf({})).toEqual(["address", "alias", "auth_type", "type"]);
    expect(await slipway.problemsOf({ ...sample, access_token: "" })).toEqual(["access_token"]);
    const ofPassword = { ...sample, auth_type: "password", access_token: "" };
    expect(await slipway.problemsOf(ofPassword)).toEqual(["password", "username"]);
    expect(await slipway.problemsOf({ ...sample, auth_type: "ssh", access_token: "" })).toEqual(["ssh_key"]);
  });

  test("what belongs to another way to sign in is not dropped silently", async () => {
    expect(await slipway.problemsOf({ ...sample, password: "x", ssh_key: pem })).toEqual(["password", "ssh_key"]);
  });

  test.each([
    ["type", "svn"],
    ["type", 7],
    ["auth_type", "kerberos"],
    ["alias", ""],
    ["alias", "a/b"],
    ["alias", " a"],
    ["alias", "a".repeat(65)],
    ["access_token", "two\nlines"],
    ["access_token", 7],
    ["access_token", "t".repeat(4097)],
    ["username", "a\u0000b"],
    ["disable_ssl", "yes"],
    ["address", ""],
    ["address", 7],
    ["address", "git.example.com"],
    ["address", "ftp://git.example.com"],
    ["address", "ssh://git@git.example.com"],
    ["address", "https://user:pass@git.example.com"],
    ["address", "https://token@git.example.com"],
    ["address", "https://git.example.com?x=1"],
    ["address", "https://git.example.com/#x"],
    ["address", "https://git example.com"],
    ["address", "https://"],
    ["address", "javascript:alert(1)"],
    ["address", `https://${"a".repeat(512)}.com`],
  ])("%s %j", async (field, value) => {
    const before = await slipway.list();
    expect(await slipway.problemsOf({ ...sample, alias: "refused", [field]: value })).toEqual([field]);
    expect(await slipway.list()).toEqual(before);
  });

  test.each([
    ["no key", "hello"],
    ["a public key", "ssh-ed25519 AAAA me@example.com"],
    ["a key under a passphrase", lockedPem],
    ["an OpenSSH key under a passphrase", openSsh("aes256-ctr")],
    ["a key that is too long", `${pem}${" ".repeat(16_384)}`],
  ])("%s as ssh_key", async (_, ssh_key) => {
    const body = { ...sample, alias: "keyless", auth_type: "ssh", access_token: "", ssh_key };
    expect(await slipway.problemsOf(body)).toEqual(["ssh_key"]);
  });

  test("an OpenSSH key and one with CRLF are taken", async () => {
    const ssh = { auth_type: "ssh", access_token: "", address: "ssh://git@git.example.com" };
    await slipway.add({ ...ssh, alias: "openssh", ssh_key: openSsh("none") });
    const { id } = await slipway.add({ ...ssh, alias: "crlf", ssh_key: pem.replaceAll("\n", "\r\n") });
    expect(await secretOf(id, "ssh_key")).toBe(pem.replaceAll("\n", "\r\n"));
  });

  test("an id of another form is no path", async () => {
    expect((await slipway.ask("GET", `${path}/abc`)).json).toMatchObject({ code: 404 });
    expect((await slipway.ask("PUT", `${path}/999999`, sample)).json).toMatchObject({ code: 404 });
    expect((await slipway.ask("DELETE", `${path}/999999`)).status).toBe(200);
  });
});

describe("secrets", () => {
  test("are sealed for their record and field and stand in no answer, item or operation log", async () => {
    const words = { access_token: "TOKEN-4711", password: "PASSWORD-4711", ssh_key: pem };
    const ways = { token: {}, password: { username: "robot" }, ssh: {} };
    const fieldOf = { token: "access_token", password: "password", ssh: "ssh_key" } as const;
    const texts: string[] = [];
    for (const [auth_type, more] of Object.entries(ways) as [keyof typeof ways, object][]) {
      const field = fieldOf[auth_type];
      const body = { ...sample, access_token: "", ...more, alias: `sealed-${auth_type}`, auth_type };
      const { id } = await slipway.add({ ...body, [field]: words[field] });
      expect(await secretOf(id, field)).toBe(words[field]);
      texts.push(await storedTexts("code-host", id), (await slipway.ask("GET", `${path}/${id}`)).text);
      texts.push((await slipway.ask("PUT", `${path}/${id}`, { ...body, [field]: words[field] })).text);
    }
    texts.push((await slipway.ask("GET", "/openapi/system/operation?searchType=all&perPage=20&page=1")).text);
    texts.push((await slipway.ask("GET", path)).text);
    const keyLine = pem.split("\n")[1] ?? "";
    for (const secret of ["TOKEN-4711", "PASSWORD-4711", keyLine])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  test("stay when they are not given, and go with the way to sign in", async () => {
    const { id } = await slipway.add({ alias: "keeps" });
    const { access_token, ...kept } = { ...sample, alias: "keeps" };
    expect((await slipway.ask("PUT", `${path}/${id}`, kept)).status).toBe(200);
    expect(await secretOf(id, "access_token")).toBe(access_token);
    await slipway.ask("PUT", `${path}/${id}`, { ...kept, access_token: "second" });
    expect(await secretOf(id, "access_token")).toBe("second");
    const other = { ...kept, auth_type: "password", username: "robot" };
    expect(await slipway.problemsOf(other, "PUT", `${path}/${id}`)).toEqual(["password"]);
    expect((await slipway.ask("PUT", `${path}/${id}`, { ...other, password: "third" })).status).toBe(200);
    expect([await secretOf(id, "access_token"), await secretOf(id, "password")]).toEqual([undefined, "third"]);
    await slipway.ask("DELETE", `${path}/${id}`);
    expect(await table().query({ pk: `integration#code-host#${id}` })).toEqual([]);
  });
});

describe("a code host that is used", () => {
  const build = { kind: "build", projectKey: "shop", name: "web" } as const;

  test("is not deleted and names who uses it, until nobody does", async () => {
    const { id } = await slipway.add({ alias: "used" });
    const record = { key: keys.integration("code-host", String(id)) };
    await use(record, build, build, { kind: "workflow", projectKey: "shop", name: "release" });
    const refused = await slipway.ask("DELETE", `${path}/${id}`);
    expect(refused.json).toMatchObject({
      code: 400,
      description:
        "the code host is used by build web of project shop, workflow release of project shop; delete them or give them another one first",
    });
    const many = Array.from({ length: 6 }, (_, at) => ({ ...build, name: `web-${at}` }));
    await use(record, ...many);
    expect((await slipway.ask("DELETE", `${path}/${id}`)).json.description).toContain(
      "web-3 of project shop and 3 more",
    );
    expect((await slipway.ask("PUT", `${path}/${id}`, { ...sample, alias: "used-still" })).status).toBe(200);
    await table().write(
      endUse(record, build),
      endUse(record, { kind: "workflow", projectKey: "shop", name: "release" }),
      ...many.map((user) => endUse(record, user)),
    );
    expect((await slipway.ask("DELETE", `${path}/${id}`)).status).toBe(200);
    await expect(use(record, build)).rejects.toThrow("condition");
  });

  test("is either used or deleted when both begin at once", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await slipway.add({ alias: `both-${round}` });
      const record = { key: keys.integration("code-host", String(id)) };
      const [deleted, used] = await Promise.all([
        slipway.ask("DELETE", `${path}/${id}`),
        use(record, build).then(
          () => true,
          () => false,
        ),
      ]);
      const stands = (await slipway.ask("GET", `${path}/${id}`)).status === 200;
      expect([deleted.status, used]).toEqual(stands ? [400, true] : [200, false]);
    }
  });
});

test("only system administrators see and change code hosts", async () => {
  const { id } = await slipway.add({ alias: "guarded" });
  const member = await newPerson("member", [{ namespace: "shop", roles: { "read-only": [] } }]);
  for (const [method, at] of [
    ["GET", path],
    ["POST", path],
    ["GET", `${path}/${id}`],
    ["PUT", `${path}/${id}`],
    ["DELETE", `${path}/${id}`],
  ] as const) {
    const body = method === "POST" || method === "PUT" ? { body: sample } : {};
    expect((await slipway.call(method, at, { ...body, token: member.token })).status).toBe(403);
    expect((await slipway.call(method, at, { ...body, token: null })).status).toBe(401);
  }
});
