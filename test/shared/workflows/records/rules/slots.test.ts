import fc from "fast-check";
import { expect, test } from "vitest";
import { freeSlots, runningIn, slotShards } from "../../../../../shared/workflows/records/rules/slots.ts";

const counters = fc.record({
  unsharded: fc.nat(20),
  sharded: fc
    .array(fc.tuple(fc.nat(slotShards - 1), fc.nat(20)), { maxLength: slotShards })
    .map((entries) => new Map(entries)),
});

test("a task finds a slot whenever fewer run than may, however they are spread, and never beyond", () => {
  fc.assert(
    fc.property(counters, fc.nat(400), (slots, limit) => {
      expect(freeSlots(slots, limit).length > 0).toBe(runningIn(slots) < limit);
    }),
  );
});

test("all who take slots at the same moment are together as many as may run", () => {
  fc.assert(
    fc.property(fc.nat(20), fc.integer({ min: 20, max: 100 }), (unsharded, limit) => {
      // Each read the same counters; each counter takes one more while it counts fewer than its share.
      const free = freeSlots({ unsharded, sharded: new Map() }, limit);
      expect(unsharded + free.reduce((sum, { share }) => sum + share, 0)).toBe(limit);
    }),
  );
});

test("a limit that one counter could hold is spread, so that no counter is everybody's", () => {
  expect(freeSlots({ unsharded: 0, sharded: new Map() }, 50)).toHaveLength(slotShards);
  expect(freeSlots({ unsharded: 0, sharded: new Map() }, 2)).toEqual([
    { shard: 0, share: 1 },
    { shard: 1, share: 1 },
  ]);
  expect(freeSlots({ unsharded: 49, sharded: new Map() }, 50)).toEqual([{ shard: 0, share: 1 }]);
});
