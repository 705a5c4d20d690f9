import * as z from "zod";
import { defineRoute, type RawRequest } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { mfaCode, userParams } from "./schemas.ts";

const tag = "Identity";
const path = "/openapi/users/:uid(uuid)/mfa";
const audit = (method: string) =>
  ({ method, function: "Second Factor", detail: ({ params }: RawRequest) => params.uid ?? "", body: "none" }) as const;

const password = z
  .string()
  .max(1024)
  .default("")
  .meta({ description: "The user's own; wrong ones count as failed sign-ins" });
const proof = z.object({ password, mfa_code: mfaCode });
const recoveryCodes = z.object({
  recovery_codes: z.array(z.string()).meta({ description: "Ten, each good for one sign-in; shown this once" }),
});

export const secondFactorRoutes = {
  getSecondFactor: defineRoute({
    method: "GET",
    path,
    summary: "Tell whether a user has a second factor, and how many recovery codes are left",
    tag,
    permission: { kind: "selfOrAdmin" },
    enrols: true,
    params: userParams,
    response: z.object({
      enabled: z.boolean(),
      recovery_codes_left: z.int(),
    }),
  }),
  beginSecondFactor: defineRoute({
    method: "POST",
    path,
    summary:
      "Begin to enrol an authenticator app (TOTP): with the password, or with a code of the one before, which goes on until the new one is confirmed",
    tag,
    permission: { kind: "self" },
    enrols: true,
    params: userParams,
    body: proof,
    response: z.object({
      secret: z.string().meta({ description: "In base32, for an app that reads no QR code" }),
      uri: z.string().meta({ description: "`otpauth://…`, for a QR code" }),
    }),
    secretAnswer: true,
    errorStatuses: [429],
    audit: audit("Create"),
  }),
  confirmSecondFactor: defineRoute({
    method: "POST",
    path: `${path}/confirm`,
    summary:
      "Confirm the enrolment with a code of the new app, within 15 minutes; signing in asks for codes from then on",
    tag,
    permission: { kind: "self" },
    enrols: true,
    params: userParams,
    body: z.object({ mfa_code: mfaCode.unwrap().min(1, "is needed") }),
    response: recoveryCodes,
    secretAnswer: true,
    errorStatuses: [429],
    audit: audit("Enable"),
  }),
  renewRecoveryCodes: defineRoute({
    method: "POST",
    path: `${path}/recovery-codes`,
    summary: "Make other recovery codes, with a code or the password; those from before count no more",
    tag,
    permission: { kind: "self" },
    params: userParams,
    body: proof,
    response: recoveryCodes,
    secretAnswer: true,
    errorStatuses: [429],
    audit: audit("Update"),
  }),
  disableSecondFactor: defineRoute({
    method: "POST",
    path: `${path}/disable`,
    summary: "Switch the own second factor off, with a code or the password; not where the settings demand one",
    tag,
    permission: { kind: "self" },
    params: userParams,
    body: proof,
    response: message,
    errorStatuses: [429],
    audit: audit("Disable"),
  }),
  resetSecondFactor: defineRoute({
    method: "DELETE",
    path,
    summary: "Take away another user's second factor, who lost device and recovery codes",
    tag,
    permission: { kind: "systemAdmin" },
    params: userParams,
    response: message,
    audit: audit("Delete"),
  }),
};
