import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/base/errors/apiError.ts";
import { type ErrorCode, errorCatalogue, statusOfCode } from "../../shared/base/errors/catalogue.ts";
import { sourceFiles } from "../structure/sourceFiles.ts";
import { errorCodes, forbiddenCodes } from "./errorCodes.ts";

const catalogue = Object.entries(errorCatalogue).map(([code, message]) => ({
  code: Number(code) as ErrorCode,
  message: message as string,
}));

describe("the error catalogue", () => {
  test("has codes of the contract only, each of which something answers with", () => {
    const text = sourceFiles("functions", "shared", "infra")
      .filter(({ path }) => path !== "shared/base/errors/catalogue.ts")
      .map((file) => file.text)
      .join("\n");
    const inCode = new Set(text.match(/\b\d{4,5}\b/g));
    const codes = catalogue.map(({ code }) => code);
    expect(codes.filter((code) => !errorCodes.has(code))).toEqual([]);
    expect(codes.filter((code) => code >= 1000 && !inCode.has(String(code)))).toEqual([]);
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
