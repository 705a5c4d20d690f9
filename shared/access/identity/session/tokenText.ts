import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const form = /^(slw_|sls_)([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/;

/** A new opaque token (decisions 3.2): prefix, 40 random base62 characters, 6 of their CRC-32. */
export function newToken(kind: "api" | "login"): string {
  const prefix = kind === "api" ? "slw_" : "sls_";
  const random = Array.from({ length: 40 }, () => alphabet[randomInt(62)]).join("");
  return prefix + random + checksum(prefix + random);
}

/** What is stored of a token. */
export function hashToken(token: string): string {
  return hash("sha256", token);
}

/** False for a text that has a token's prefix and not its form: it needs no look-up. Other texts may be set by the operator. */
export function mayBeToken(text: string): boolean {
  if (!text.startsWith("slw_") && !text.startsWith("sls_")) return text.length >= 32 && text.length <= 512;
  const parts = form.exec(text);
  return parts !== null && checksum(`${parts[1]}${parts[2]}`) === parts[3];
}

function checksum(text: string): string {
  let value = crc32(text);
  let digits = "";
  for (let at = 0; at < 6; at++) {
    digits = alphabet[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}
