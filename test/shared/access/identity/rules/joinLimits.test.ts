import { expect, test } from "vitest";
import { joinLimits, type KeptLimits } from "../../../../../shared/access/identity/rules/grants.ts";

const all: KeptLimits = { readOnly: true, projects: ["a", "b"], expiresAt: 20 };

test.each<[KeptLimits | undefined, KeptLimits | undefined, KeptLimits | undefined]>([
  [undefined, undefined, undefined],
  [all, undefined, all],
  [all, {}, all],
  [all, { projects: ["b", "c"] }, { ...all, projects: ["b"] }],
  [all, { projects: ["c"] }, { ...all, projects: [] }],
  [all, { expiresAt: 10 }, { ...all, expiresAt: 10 }],
  [{ projects: ["a"] }, { expiresAt: 30 }, { projects: ["a"], expiresAt: 30 }],
])("%j and %j leave %j, in either order", (one, other, both) => {
  expect(joinLimits(one, other)).toEqual(both);
  expect(joinLimits(other, one)).toEqual(both);
});
