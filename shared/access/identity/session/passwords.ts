import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../../base/errors/apiError.ts";
import type { PasswordHash } from "../store/users.ts";
import { inTurn } from "./hashTurns.ts";

/** OWASP's lowest recommended scrypt work for interactive logins: N = 2^17, r = 8, p = 1 (about 128 MiB). */
const parameters = { cost: 2 ** 17, blockSize: 8, parallelization: 1 };
const maxMemoryBytes = 256 * 1024 * 1024;

/**
 * Hashes a password with a fresh salt; the parameters are stored beside the hash.
 * @throws ApiError 429 when too many are hashed at once
 */
export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, parameters);
  return { algorithm: "scrypt", ...parameters, salt: salt.toString("base64"), hash: hash.toString("base64") };
}

/**
 * Compares in constant time. Without a stored hash the same work is done and the answer is false (decisions 3.5).
 * @throws ApiError 429 when too many are hashed at once
 */
export async function verifyPassword(password: string, stored: PasswordHash | undefined): Promise<boolean> {
  const salt = stored === undefined ? Buffer.alloc(16) : Buffer.from(stored.salt, "base64");
  const hash = await derive(password, salt, stored ?? parameters);
  return stored !== undefined && timingSafeEqual(hash, Buffer.from(stored.hash, "base64"));
}

/** Whether a hash was made with today's parameters; an older one is replaced at the next sign-in. */
export function isUpToDate({ algorithm, cost, blockSize, parallelization }: PasswordHash): boolean {
  const today = parameters;
  return (
    algorithm === "scrypt" &&
    cost === today.cost &&
    blockSize === today.blockSize &&
    parallelization === today.parallelization
  );
}

/** Contract I 11: at least 8 characters with an upper-case letter, a lower-case letter and a digit; else code 6000. */
export function requireStrongPassword(password: string): void {
  if (password.length >= 8 && /[A-Z]/.test(password) && /[a-z]/.test(password) && /\d/.test(password)) return;
  throw new ApiError(
    6000,
    "password must have at least 8 characters with an upper-case letter, a lower-case letter and a digit",
  );
}

/** The one place that every hash passes. */
function derive(password: string, salt: Buffer, work: typeof parameters): Promise<Buffer> {
  const options = { N: work.cost, r: work.blockSize, p: work.parallelization, maxmem: maxMemoryBytes };
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        scrypt(password, salt, 32, options, (error, key) => (error === null ? resolve(key) : reject(error)));
      }),
  );
}
