import { Secret, TOTP } from "otpauth";

/** What every authenticator app takes for granted (RFC 6238 with RFC 4226's HMAC-SHA-1). */
const parameters = { issuer: "Slipway", algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Of RFC 4226, section 4, R6. */
const secretBytes = 20;
/** Clocks may be apart by so many steps of 30 seconds (RFC 6238, section 5.2). */
const window = 1;

/** A new secret of 160 random bits, in base32. */
export function newOneTimeSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The `otpauth://` URI that authenticator apps read, from a QR code above all. @param secret in base32 */
export function enrolmentUri(secret: string, account: string): string {
  return new TOTP({ ...parameters, label: account, secret: Secret.fromBase32(secret) }).toString();
}

/**
 * The time step that a code is of: this one, the one before or the next (RFC 6238).
 * @param secret in base32 @param nowSeconds Unix seconds
 * @returns the step's number since 1970; undefined for a code of none of the three
 */
export function stepOfCode(secret: string, code: string, nowSeconds: number): number | undefined {
  // The library throws for six characters of more bytes.
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) });
  const timestamp = nowSeconds * 1000;
  const delta = totp.validate({ token: code, timestamp, window });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
