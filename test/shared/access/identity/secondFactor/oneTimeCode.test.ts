import { describe, expect, test } from "vitest";
import {
  enrolmentUri,
  newOneTimeSecret,
  stepOfCode,
} from "../../../../../shared/access/identity/secondFactor/oneTimeCode.ts";
import {
  hashRecoveryCode,
  newRecoveryCodes,
} from "../../../../../shared/access/identity/secondFactor/recoveryCodes.ts";

/** Of the 20 bytes `12345678901234567890`, the secret of RFC 6238, appendix B. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("a one-time code", () => {
  // Of the appendix's eight digits the last six.
  test.each([
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ])("at %i is that of RFC 6238, also while clocks are a step apart, and no longer", (time, code) => {
    const step = Math.floor(time / 30);
    for (const apart of [-30, 0, 30]) expect(stepOfCode(secret, code, time + apart), `${apart}`).toBe(step);
    for (const apart of [-60, 60]) expect(stepOfCode(secret, code, time + apart), `${apart}`).toBeUndefined();
  });

  test("is six digits and nothing else", () => {
    for (const wrong of ["", "94287082", "28708", "28708a", "２８７０８２"])
      expect(stepOfCode(secret, wrong, 59)).toBeUndefined();
  });

  test("has a secret of 160 bits, which apps read with the account", () => {
    const made = newOneTimeSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(newOneTimeSecret()).not.toBe(made);
    const uri = new URL(enrolmentUri(secret, "ada & co"));
    expect(decodeURIComponent(uri.pathname)).toBe("/Slipway:ada & co");
    expect(uri.href).toMatch(/^otpauth:\/\/totp\//);
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      ...{ secret, issuer: "Slipway", algorithm: "SHA1", digits: "6", period: "30" },
    });
  });
});

describe("recovery codes", () => {
  test("are ten that differ, and are known however they are typed", () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
      expect(hashRecoveryCode(` ${code.toUpperCase().replaceAll("-", " ")}`)).toBe(hashRecoveryCode(code));
    }
    expect(new Set(codes.map(hashRecoveryCode)).size).toBe(10);
  });
});
