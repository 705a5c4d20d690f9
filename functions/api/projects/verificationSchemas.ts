import { createPublicKey, X509Certificate } from "node:crypto";
import * as z from "zod";
import {
  type Verification,
  verificationProblems,
} from "../../../shared/packaging/images/verification/rules/verification.ts";

const publicKey = z
  .string()
  .max(8192, "must have at most 8192 characters")
  .refine((text) => text === "" || isPublicKey(text), "must be a public key in PEM (cosign.pub)");

const line = z
  .string()
  .max(2048, "must have at most 2048 characters")
  .refine((text) => !/[\r\n]/.test(text), "must be one line");

const trustedRoot = z
  .string()
  .max(65_536, "must have at most 65536 characters")
  .superRefine((text, context) => {
    const message = text === "" ? undefined : rootProblem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

export const verification = z
  .object({
    enabled: z.boolean(),
    public_key: z.string(),
    certificate_identity: z.string(),
    certificate_oidc_issuer: z.string(),
    trusted_root: z.string(),
  })
  .meta({ id: "ImageVerification" });

type Sent = z.output<typeof verification>;

/** What is absent is empty: the setting is replaced as a whole. */
export const newVerification = z
  .object({
    enabled: z.boolean("enabled must be true or false"),
    public_key: publicKey.default(""),
    certificate_identity: line.default(""),
    certificate_oidc_issuer: line.default(""),
    trusted_root: trustedRoot.default(""),
  })
  .superRefine((body, context) => {
    for (const { field, problem } of verificationProblems(toVerification(body)))
      context.addIssue({ code: "custom", path: [field], message: problem });
  });

export function toVerification(sent: Sent): Verification {
  return {
    enabled: sent.enabled,
    publicKey: sent.public_key,
    certificateIdentity: sent.certificate_identity,
    certificateOidcIssuer: sent.certificate_oidc_issuer,
    trustedRoot: sent.trusted_root,
  };
}

export function shownVerification(stored: Verification): Sent {
  return {
    enabled: stored.enabled,
    public_key: stored.publicKey,
    certificate_identity: stored.certificateIdentity,
    certificate_oidc_issuer: stored.certificateOidcIssuer,
    trusted_root: stored.trustedRoot,
  };
}

function isPublicKey(pem: string): boolean {
  try {
    // A private key would give its public one.
    return (
      pem.includes("PUBLIC KEY") && ["ec", "rsa", "ed25519"].includes(createPublicKey(pem).asymmetricKeyType ?? "")
    );
  } catch {
    return false;
  }
}

const key = z.looseObject({
  publicKey: z.looseObject({ rawBytes: z.string().min(1) }),
  logId: z.looseObject({ keyId: z.string() }),
});
const authority = z.looseObject({
  certChain: z.looseObject({
    certificates: z.array(z.looseObject({ rawBytes: z.string().refine(isCertificate, "is no certificate") })).min(1),
  }),
});

/** As `trusted_root.json` of Sigstore's clients. */
const root = z.looseObject({
  mediaType: z.string().startsWith("application/vnd.dev.sigstore.trustedroot", "names another media type"),
  tlogs: z.array(key).default([]),
  ctlogs: z.array(key).default([]),
  certificateAuthorities: z.array(authority).min(1, "names nobody"),
  timestampAuthorities: z.array(authority).default([]),
});

function rootProblem(text: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return "must be JSON (trusted_root.json of a Sigstore installation, as a text)";
  }
  const issue = root.safeParse(json).error?.issues[0];
  return issue && `must be a trusted_root.json: ${issue.path.join(".") || "document"}: ${issue.message}`;
}

function isCertificate(base64: string): boolean {
  try {
    return new X509Certificate(Buffer.from(base64, "base64")).subject !== undefined;
  } catch {
    return false;
  }
}
