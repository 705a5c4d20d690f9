import { randomBytes } from "node:crypto";
import type { KeyService } from "../../../../shared/aws/adapters.ts";
import type { LocalKey } from "./keyFile.ts";

/** Data keys that are wrapped by the machine's one key. */
export function dataKeys({ encrypt, decrypt }: LocalKey): KeyService {
  return {
    async generateDataKey(context) {
      const key = randomBytes(32);
      return { key, wrapped: encrypt(key, context) };
    },
    unwrapDataKey: async (wrapped, context) => decrypt(wrapped, context),
  };
}
