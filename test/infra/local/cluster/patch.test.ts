import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonPatch } from "../../../../infra/local/cluster/patch/jsonPatch.ts";
import { mergePatch } from "../../../../infra/local/cluster/patch/mergePatch.ts";
import { strategicMerge } from "../../../../infra/local/cluster/patch/strategicMerge.ts";
import { canonicalQuantity } from "../../../../infra/local/cluster/schema/quantity.ts";
import { definitionOf, namedType } from "../../../../infra/local/cluster/schema/types.ts";
import { parseLabelSelector } from "../../../../infra/local/cluster/select/labelSelector.ts";

describe("patches", () => {
  const pod = namedType(definitionOf("", "v1", "Pod")!);

  it("merge containers by name and delete by directive", () => {
    const live = {
      spec: {
        containers: [
          { name: "a", image: "1", args: ["x"] },
          { name: "b", image: "1" },
        ],
      },
    };
    const patch = {
      spec: {
        containers: [
          { name: "a", image: "2" },
          { name: "b", $patch: "delete" },
        ],
      },
    };
    expect(strategicMerge(live, patch, pod)).toEqual({
      spec: { containers: [{ name: "a", image: "2", args: ["x"] }] },
    });
  });

  it("remove with null and replace lists as a whole in a merge patch", () => {
    expect(mergePatch({ a: { b: 1, c: 2 }, l: [1, 2] }, { a: { b: null }, l: [3] })).toEqual({ a: { c: 2 }, l: [3] });
  });

  it("treat __proto__ as data", () => {
    const result = jsonPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("fail a JSON patch that does not fit with 422", () => {
    expect(() => jsonPatch({ a: 1 }, [{ op: "test", path: "/a", value: 2 }])).toThrow(
      expect.objectContaining({ code: 422 }),
    );
    expect(() => jsonPatch({ a: 1 }, [{ op: "remove", path: "/b" }])).toThrow(expect.objectContaining({ code: 422 }));
  });
});

describe("label selectors", () => {
  it.each([
    ["a=1,b!=2", { a: "1" }, true],
    ["a in (1,2),c", { a: "2", c: "" }, true],
    ["a notin (1)", {}, true],
    ["!a", { a: "" }, false],
    ["a==1,a in (2)", { a: "1" }, false],
    ["n>3", { n: "4" }, true],
  ])("%s on %j is %s", (text, labels, expected) => {
    expect(parseLabelSelector(text)(labels)).toBe(expected);
  });

  it.each(["a b c", "a=b=c", "=x", "a in 1"])("refuse %s with 400", (text) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe("quantities", () => {
  it.each([
    ["1000m", "1"],
    ["0.5", "500m"],
    ["1024Mi", "1Gi"],
    ["1536Mi", "1536Mi"],
    ["2", "2"],
    ["0", "0"],
    ["1500", "1500"],
    ["2000k", "2M"],
  ])("%s is written %s", (given, expected) => expect(canonicalQuantity(given)).toBe(expected));

  it("are canonical already after one pass", () => {
    const text = fc
      .tuple(fc.nat(100_000), fc.constantFrom("", "m", "k", "M", "Ki", "Mi", "Gi"))
      .map(([n, unit]) => n + unit);
    fc.assert(fc.property(text, (value) => canonicalQuantity(canonicalQuantity(value)) === canonicalQuantity(value)));
  });
});
