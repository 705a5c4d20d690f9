import { describe, expect, test } from "vitest";
import * as z from "zod";
import { readValue } from "../../../../shared/base/common/readValue.ts";

const schema = z.object({
  name: z.string().min(1).max(3),
  count: z.int().min(0).max(9),
  share: z.number(),
  on: z.boolean(),
  list: z.array(z.string()).min(1).max(2),
  inner: z.object({}),
  labels: z.record(z.string(), z.string()),
  kind: z.enum(["a", "b"]),
  type: z.literal("k8s"),
  nothing: z.null(),
  own: z.string("must be the name of a host"),
});
const right = {
  ...{ name: "ab", count: 1, share: 0.5, on: true, list: ["x"], inner: {}, labels: {}, kind: "a", type: "k8s" },
  ...{ nothing: null, own: "x" },
};

const problemOf = (change: object) => readValue(schema, { ...right, ...change }).refused?.map(({ message }) => message);

describe("a value that is not as its schema wants it", () => {
  test.each([
    [{ name: 1 }, "must be a text"],
    [{ name: "" }, "must not be empty"],
    [{ name: "abcd" }, "must have at most 3 characters"],
    [{ count: "1" }, "must be a number"],
    [{ count: 1.5 }, "must be a whole number"],
    [{ count: -1 }, "must be 0 or more"],
    [{ count: 10 }, "must be 9 or less"],
    [{ share: "1" }, "must be a number"],
    [{ on: "yes" }, "must be true or false"],
    [{ list: {} }, "must be a list"],
    [{ list: [] }, "must not be empty"],
    [{ list: ["x", "y", "z"] }, "must have at most 2 items"],
    [{ inner: [] }, "must be an object"],
    [{ inner: null }, "must be an object"],
    [{ labels: "x" }, "must be an object"],
    [{ kind: "c" }, "must be one of a, b"],
    [{ type: "helm" }, "must be k8s"],
    [{ nothing: 0 }, "must be null"],
    [{ own: 1 }, "must be the name of a host"],
    [{ name: undefined }, "is required"],
    [{ inner: undefined }, "is required"],
    [{ kind: undefined }, "is required"],
    [{ list: undefined }, "is required"],
  ])("%j: %s", (change, problem) => {
    expect(problemOf(change)).toEqual([problem]);
  });

  test("has fields that nobody knows, where none are taken", () => {
    expect(readValue(z.strictObject({}), { a: 1, b: 2 }).refused).toEqual([
      { path: [], message: "does not take a, b" },
    ]);
  });
});
