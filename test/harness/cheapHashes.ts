import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const kept = Symbol.for("scrypt as Node has it");
const shared = globalThis as { [kept]?: typeof crypto.scrypt };
shared[kept] ??= crypto.scrypt;
const real = shared[kept];
const mostWork = 2 ** 12;

/**
 * From here on scrypt does at most a thirtieth of the work of a real hash: tests make hundreds of people, and each real hash
 * takes half a second of a processor. Programs that tests start hash for real, and so does a file that calls `realHashes`.
 */
function cheapHashes(): void {
  provide(((password, salt, length, options, done) =>
    real(password, salt, length, { ...options, N: Math.min(options.N ?? mostWork, mostWork) }, done)) as typeof real);
}

/** For what is about the time or the memory of hashing; ends with the file. */
export function realHashes(): void {
  provide(real);
}

function provide(scrypt: typeof real): void {
  crypto.scrypt = scrypt;
  syncBuiltinESMExports();
}

cheapHashes();
