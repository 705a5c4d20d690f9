import { describe, expect, test } from "vitest";
import * as z from "zod";
import { groups } from "../../../../functions/api/groups.ts";
import { defineRoute, type Route } from "../../../../shared/http/route.ts";
import { fitsLambda } from "../../../../shared/http/stream/answerSize.ts";
import { cutAnswer, mayBeCut } from "../../../../shared/http/stream/cutAnswer.ts";

const every: Route[] = groups.flatMap(({ routes }) => Object.values(routes));
const list = defineRoute({
  ...{ method: "GET", path: "/list", summary: "", tag: "", permission: { kind: "public" } },
  response: z.array(z.string()),
});

const answering = (body: unknown) => ({
  statusCode: 200,
  headers: { "x-request-id": "1" },
  body: JSON.stringify(body),
});

describe("an answer that is too large", () => {
  test.each([
    ["of plain letters", "x".repeat(999), 7_000],
    ["of what grows in the JSON around it", '"\\\n\u0001é€😀'.repeat(50), 20_000],
    ["of elements of 1 MB", "y".repeat(1_000_000), 9],
  ])("holds as many elements as fit: %s", (_, element, count) => {
    const whole = answering(Array.from({ length: count }, () => element));
    expect(fitsLambda(whole)).toBe(false);
    const cut = cutAnswer(list, whole);
    const kept = JSON.parse(cut?.body ?? "") as string[];
    expect(cut?.headers["x-truncated"]).toBe(`${kept.length} of ${count}`);
    expect(cut && fitsLambda(cut)).toBe(true);
    const more = { ...answering([...kept, element]), headers: cut?.headers ?? {} };
    expect(fitsLambda(more)).toBe(false);
  });

  test("is not cut to nothing", () => {
    expect(cutAnswer(list, answering(["x".repeat(7_000_000), "y"]))).toBeUndefined();
  });
});

describe("lists that are cut", () => {
  test("are those without pages, of which the next one would leave a gap", () => {
    const cut = every.filter(mayBeCut).map(({ path }) => path);
    expect(cut).toContain("/openapi/environments/:envName/drift");
    expect(cut).toContain("/openapi/environments/:envName/envcfgs");
    expect(cut).not.toContain("/openapi/environments/:envName/envcfg/:envCfgName/history");
    expect(cut).not.toContain("/openapi/users");
  });

  test("say so in an answer that is an object", () => {
    const declared = every.filter(({ cutAt }) => cutAt !== undefined);
    expect(declared.length).toBeGreaterThan(4);
    for (const { cutAt = "", path, response } of declared) {
      const { shape } = response as z.ZodObject;
      expect([shape[cutAt] instanceof z.ZodArray, "truncated" in shape], path).toEqual([true, true]);
    }
  });
});
