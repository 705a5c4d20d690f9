import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyName, workflowCopyKeys } from "../../../../../shared/access/identity/rules/copyName.ts";
import { envKeySchema } from "../../../../../shared/environments/rules/envKeySchema.ts";
import { keyProblem } from "../../../../../shared/workflows/definition/lint.ts";

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

describe("the key of a copy of a workflow", () => {
  const uid = "11111111-2222-4333-8444-555555555555";

  test("is made of mode, workflow, kind of account and uid, which stands in it whole", () => {
    const keys = workflowCopyKeys({ mode: "Grüße", base: "Build-all", identityType: "system", uid });
    expect([keys.next().value, keys.next().value]).toEqual([
      `gru-e-build-all-system-${uid}`,
      `gru-e-build-all-system-${uid}-2`,
    ]);
    const long = workflowCopyKeys({ mode: "development", base: "release-of-the-shop", identityType: "system", uid });
    expect(long.next().value).toBe(`development-release-system-${uid}`);
  });

  test("is one that a workflow may have and another one at each turn, whatever it is made of", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 64 });
    fc.assert(
      fc.property(text, text, (mode, base) => {
        const keys = workflowCopyKeys({ mode, base, identityType: "system", uid });
        const all = Array.from({ length: 12 }, () => keys.next().value);
        expect(all.map(keyProblem)).toEqual(all.map(() => undefined));
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });
});
