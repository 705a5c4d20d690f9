import { createHash, randomBytes } from "node:crypto";

const amount = 10;
/** Those of base32 (RFC 4648): no digit in them looks like a letter. */
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const characters = 16;

/** Ten codes of 80 random bits each, in four groups of four characters. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: amount }, () => {
    const text = Array.from(randomBytes(characters), (byte) => alphabet[byte % alphabet.length]).join("");
    return text.replace(/(.{4})(?=.)/g, "$1-");
  });
}

/**
 * What is stored of a recovery code, however it is typed: in capitals, with other spaces. With 80 random bits in it a plain
 * SHA-256 is as good as a slow hash, as it is for tokens.
 */
export function hashRecoveryCode(code: string): string {
  return createHash("sha256").update(code.toLowerCase().replace(/[\s-]/g, "")).digest("hex");
}
