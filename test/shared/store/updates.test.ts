import { expect, test } from "vitest";
import { mustExist, toTransactItem, update } from "../../../shared/store/writes.ts";

const key = { pk: "record#1", sk: "record" };

test.each([
  ["pk", { set: { pk: "record#1" } }, "an update cannot change the key attribute pk"],
  ["sk", { unset: ["sk"] }, "an update cannot change the key attribute sk"],
  ["the version, which always rises", { set: { version: 1 } }, "an update names the attribute version twice"],
  ["an attribute twice", { set: { a: 1 }, unset: ["a"] }, "an update names the attribute a twice"],
  [
    "a set twice",
    { add: { a: new Set(["1"]) }, takeFrom: { a: new Set(["2"]) } },
    "an update names the attribute a twice",
  ],
])("an update cannot name %s", (_, changes, message) => {
  expect(() => toTransactItem("table", update(key, changes, mustExist))).toThrow(message);
});
