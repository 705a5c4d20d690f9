import { createHash, timingSafeEqual } from "node:crypto";
import { RegistryError } from "./registryError.ts";

export type Credentials = { username: string; password: string };

/** The `Authorization` header that carries the credentials. */
export function basicAuthorization({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Passes when the `Authorization` header carries the credentials, else fails with UNAUTHORIZED and the challenge. */
export function requireCredentials(header: string | undefined, credentials: Credentials): void {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? "")?.[1] ?? "";
  const given = fingerprint(Buffer.from(encoded, "base64"));
  const wanted = fingerprint(Buffer.from(`${credentials.username}:${credentials.password}`));
  if (timingSafeEqual(given, wanted)) return;
  throw new RegistryError("UNAUTHORIZED", "authentication required", {
    headers: { "www-authenticate": 'Basic realm="Slipway registry", charset="UTF-8"' },
  });
}

/** Equal lengths, so that the comparison takes the same time whatever was sent. */
function fingerprint(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}
