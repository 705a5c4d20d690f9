import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { selfSignedCertificate } from "./http/certificate.ts";

export interface Identity {
  token: string;
  key: string;
  certificate: string;
}

/** The sandbox's token and certificate: made at the first start, the same ever after. A given token wins. */
export function readIdentity(dataDir: string, token: string | undefined): Identity {
  const path = join(dataDir, "identity.json");
  const known: Identity | undefined = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  const identity: Identity = {
    ...(known ?? selfSignedCertificate("slipway-sandbox")),
    token: token ?? known?.token ?? randomBytes(24).toString("base64url"),
  };
  if (!known || known.token !== identity.token) writePrivate(path, JSON.stringify(identity));
  return identity;
}

/** Writes a file that only its owner may read; a reader never sees half of it. */
export function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
