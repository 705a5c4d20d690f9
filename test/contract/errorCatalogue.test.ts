import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/errors/apiError.ts";
import { type ErrorCode, errorCatalogue, statusOfCode } from "../../shared/errors/catalogue.ts";
import { errorCodes, forbiddenCodes } from "./errorCodes.ts";

const catalogue = Object.entries(errorCatalogue).map(([code, message]) => ({
  code: Number(code) as ErrorCode,
  message: message as string,
}));

describe("the error catalogue", () => {
  test("has the codes of the contract and no others", () => {
    expect(catalogue.map(({ code }) => code)).toEqual([...errorCodes.keys()].sort((a, b) => a - b));
    for (const code of forbiddenCodes) expect(errorCatalogue).not.toHaveProperty(String(code));
  });

  test.each(catalogue)("$code says what the contract has it say", ({ code, message }) => {
    expect(errorCodes.get(code)).toContain(message);
  });

  test("a code below 1000 is its own HTTP status, every other travels with 400", () => {
    for (const { code } of catalogue) expect(statusOfCode(code)).toBe(code < 1000 ? code : 400);
  });

  test("an error has the five keys, and one error never changes another", () => {
    const first = new ApiError(6060, "first", { extra: { name: "a" } });
    const second = new ApiError(6060, "second");
    expect(first.body).toEqual({
      type: "error",
      code: 6060,
      message: "failed to create project",
      description: "first",
      extra: { name: "a" },
    });
    expect(second.body).toMatchObject({ description: "second", extra: {} });
  });
});
