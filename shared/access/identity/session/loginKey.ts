import { constants, createDecipheriv, generateKeyPair, privateDecrypt } from "node:crypto";
import { promisify } from "node:util";
import { type SealedSecret, seal, unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { badRequest } from "../../../base/errors/apiError.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { create } from "../../../base/store/writes.ts";

/** The key pair that passwords are sent under; one for the whole installation. */
interface LoginKey {
  /** SubjectPublicKeyInfo in PEM, with the label that clients of the older API expect. */
  publicKey: string;
  privateKey: SealedSecret;
}

/** What the rights of the function that signs people in are limited to, in AWS. */
export const loginKeyField = "login key";
const owner = { record: "installation", field: loginKeyField };
const bits = 2048;
const ivBytes = 16;
const aesKeyBytes = [16, 24, 32];

/** The public key for passwords of sign-ins; made when it is first asked for. */
export async function readLoginPublicKey(): Promise<string> {
  return ((await findLoginKey()) ?? (await createLoginKey())).publicKey;
}

function findLoginKey(): Promise<LoginKey | undefined> {
  return table().get<LoginKey>(keys.loginKey());
}

/** The key that another process made at the same moment wins. */
async function createLoginKey(): Promise<LoginKey> {
  const pair = await promisify(generateKeyPair)("rsa", {
    modulusLength: bits,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const publicKey = pair.publicKey.replaceAll(" PUBLIC KEY", " RSA PUBLIC KEY");
  const made: LoginKey = { publicKey, privateKey: await seal(pair.privateKey, owner) };
  if (await tryWrite(table().write(create({ ...made, ...keys.loginKey(), type: "login-key" })))) return made;
  return (await findLoginKey()) ?? made;
}

/**
 * The password of a sign-in that was encrypted as consoles of the older API do: a random AES key of 16, 24 or 32 characters
 * under the public key (PKCS #1 v1.5, base64), and the password under that key (CFB, hex, its first 16 bytes are the IV).
 * A padding that is wrong gives a random key, so nothing is learned from the answer.
 * @throws ApiError 400 naming the field
 */
export async function decryptPassword(encryptedKey: string, password: string): Promise<string> {
  const aesKey = await openAesKey(encryptedKey);
  const sent = /^(?:[0-9a-f]{2})+$/i.test(password) ? Buffer.from(password, "hex") : Buffer.alloc(0);
  if (sent.length <= ivBytes)
    throw wrong(
      "password",
      "must be hex digits, of an IV of 16 bytes and at least one byte, where encrypted_key is given",
    );
  const decipher = createDecipheriv(`aes-${aesKey.length * 8}-cfb`, aesKey, sent.subarray(0, ivBytes));
  return Buffer.concat([decipher.update(sent.subarray(ivBytes)), decipher.final()]).toString("utf8");
}

async function openAesKey(encryptedKey: string): Promise<Buffer> {
  const opened = await openByPrivateKey(Buffer.from(inBase64(encryptedKey), "base64"));
  if (opened !== undefined && aesKeyBytes.includes(opened.length)) return opened;
  const problem = "must be an AES key of 16, 24 or 32 bytes, encrypted by GET /api/aslan/system/rsaKey/publicKey";
  throw wrong("encrypted_key", `${problem} (PKCS #1 v1.5), in base64; leave it out to send the password as it is`);
}

/** Older clients escape it as in an address, some of them twice. */
function inBase64(text: string): string {
  return text.replace(/%2b/gi, "+").replace(/%2f/gi, "/").replace(/%3d/gi, "=").replaceAll(" ", "+");
}

async function openByPrivateKey(encrypted: Buffer): Promise<Buffer | undefined> {
  const stored = await findLoginKey();
  if (stored === undefined) return undefined;
  const key = await unseal(stored.privateKey, owner);
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, encrypted);
  } catch {
    return undefined;
  }
}

function wrong(path: string, problem: string) {
  return badRequest([{ in: "body", path, problem }]);
}
