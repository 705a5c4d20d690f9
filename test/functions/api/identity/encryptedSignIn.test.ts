import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Slipway, startSlipway } from "../../../harness/slipway.ts";

const account = "ada";
const plain = "Passw0rd-Größe 密";
let slipway: Slipway;
let publicKey: string;

beforeAll(async () => {
  slipway = await startSlipway();
  const body = { name: account, account, password: plain };
  expect((await slipway.call("POST", "/api/v1/users", { body })).status).toBe(200);
  const path = "/api/aslan/system/rsaKey/publicKey";
  const asked = await Promise.all(
    [1, 2, 3].map(() => slipway.call<{ publicKey: string }>("GET", path, { token: null })),
  );
  expect(asked.map(({ status, text }) => [status, text])).toEqual(asked.map(() => [200, asked[0]?.text]));
  publicKey = asked[0]?.json.publicKey ?? "";
});

afterAll(() => slipway.close());

/** As a browser does it: from the PEM without its label. */
const rsaKey = () =>
  createPublicKey({
    key: Buffer.from(publicKey.replaceAll(/-----.*?-----|\s/g, ""), "base64"),
    format: "der",
    type: "spki",
  });

const underRsa = (text: string | Buffer, padding = constants.RSA_PKCS1_PADDING) =>
  publicEncrypt({ key: rsaKey(), padding }, Buffer.from(text)).toString("base64");

function underAes(key: string, text: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv(`aes-${key.length * 8}-cfb`, key, iv);
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final()]).toString("hex");
}

const signIn = (password: string, encrypted_key: string | null, more: object = {}) =>
  slipway.call<{ token: string; description: string }>("POST", "/api/v1/login", {
    token: null,
    body: { account, password, encrypted_key, ...more },
  });

describe("a password that is sent encrypted", () => {
  test.each([16, 24, 32])("under an AES key of %i bytes signs in", async (bytes) => {
    const key = randomBytes(bytes).toString("hex").slice(0, bytes);
    const { status, text, json } = await signIn(underAes(key, plain), underRsa(key));
    expect(status, text).toBe(200);
    expect((await slipway.call("GET", "/openapi/projects/project", { token: json.token })).status).toBe(200);
  });

  test("signs in however the key's base64 was escaped", async () => {
    const key = "0123456789abcdef0123456789abcdef";
    for (const written of [encodeURIComponent, (text: string) => text.replaceAll("+", " ")]) {
      const { status, text } = await signIn(underAes(key, plain).toUpperCase(), written(underRsa(key)));
      expect(status, text).toBe(200);
    }
  });

  test("that is wrong is refused as any wrong password is", async () => {
    const key = "0123456789abcdef";
    const wrong = await signIn(underAes(key, "not it"), underRsa(key));
    expect([wrong.status, wrong.json.description]).toEqual([401, "invalid username or password"]);
  });

  test.each([
    ["a key that is no base64", "****", undefined, "encrypted_key"],
    ["a key of 15 bytes", () => underRsa("0123456789abcde"), undefined, "encrypted_key"],
    [
      "another padding",
      () => underRsa("0123456789abcdef", constants.RSA_PKCS1_OAEP_PADDING),
      undefined,
      "encrypted_key",
    ],
    ["a password as it is", () => underRsa("0123456789abcdef"), plain, "password"],
    ["a password of an IV alone", () => underRsa("0123456789abcdef"), "00".repeat(16), "password"],
  ] as const)("with %s says which field is wrong", async (_what, key, password, field) => {
    const sentKey = typeof key === "string" ? key : key();
    const { status, json } = await signIn(password ?? underAes("0123456789abcdef", plain), sentKey);
    expect([status, json.description]).toEqual([400, expect.stringContaining(`body ${field}: must be`)]);
  });

  test("is not needed: an empty key, or null, is none", async () => {
    for (const none of ["", null]) expect((await signIn(plain, none)).status).toBe(200);
  });
});
