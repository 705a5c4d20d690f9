import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "./cluster/identity.ts";
import type { Credentials } from "./registry/basicAuth.ts";

/** Where people and scripts find the password; a text file, so that `docker login --password-stdin` can read it. */
export function registryPasswordFile(dataDir: string): string {
  return join(dataDir, "registry-password");
}

/** The login of this machine's registry: made at the first start, the same ever after, readable by its owner alone. */
export function registryLogin(dataDir: string): Credentials {
  const file = registryPasswordFile(dataDir);
  if (!existsSync(file)) writePrivate(file, randomBytes(24).toString("base64url"));
  return { username: "slipway", password: readFileSync(file, "utf8").trim() };
}
