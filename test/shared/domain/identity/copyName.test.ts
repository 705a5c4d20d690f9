import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { envKeySchema } from "../../../../shared/domain/environment/names.ts";
import { copyName } from "../../../../shared/domain/identity/copyName.ts";

const parts = { mode: "pairs", base: "dev", identityType: "system", account: "ada" };

describe("the name of a copy", () => {
  test("is made of mode, environment, kind of account and account", () => {
    expect(copyName(parts, new Set())).toBe("pairs-dev-system-ada");
    expect(copyName({ ...parts, mode: "Grüße & Küsse", account: "Ada.L" }, new Set())).toBe(
      "gru-e-kusse-dev-system-ada-l",
    );
  });

  test("is one that an environment may have and that nobody has, whatever it is made of", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 64 });
    const base = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/);
    fc.assert(
      fc.property(text, base, text, (mode, environment, account) => {
        const taken = new Set<string>();
        for (let turn = 0; turn < 12; turn++) {
          const name = copyName({ mode, base: environment, identityType: "system", account }, taken);
          expect(envKeySchema.safeParse(name).error?.message).toBeUndefined();
          expect(taken.has(name)).toBe(false);
          taken.add(name);
        }
      }),
    );
  });
});
