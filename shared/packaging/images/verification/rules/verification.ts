/** Whose signature an image of a project needs before it comes into production (contract decisions 14.10). */
export interface Verification {
  enabled: boolean;
  /** PEM; `""` where identities are trusted instead of a key. */
  publicKey: string;
  /** Who signs, as the certificate names them: an address, or the address of a workflow. */
  certificateIdentity: string;
  /** Who vouches for the identity: `https://token.actions.githubusercontent.com`. */
  certificateOidcIssuer: string;
  /** Sigstore's `trusted_root.json` of an own installation; `""`: the public one. */
  trustedRoot: string;
}

export const noVerification: Verification = {
  enabled: false,
  publicKey: "",
  certificateIdentity: "",
  certificateOidcIssuer: "",
  trustedRoot: "",
};

export interface VerificationProblem {
  field: "public_key" | "certificate_identity" | "certificate_oidc_issuer" | "trusted_root";
  problem: string;
}

/** What the fields demand of each other: a key, or who signs and who vouches for them. */
export function verificationProblems(wanted: Verification): VerificationProblem[] {
  const { enabled, publicKey, certificateIdentity, certificateOidcIssuer, trustedRoot } = wanted;
  const isKeyless = certificateIdentity !== "" || certificateOidcIssuer !== "" || trustedRoot !== "";
  if (publicKey !== "" && isKeyless) {
    const problem =
      "stands alone: leave it out, or leave out certificate_identity, certificate_oidc_issuer and trusted_root";
    return [{ field: "public_key", problem }];
  }
  const problems: VerificationProblem[] = [];
  if (publicKey === "" && !isKeyless && enabled)
    problems.push({
      field: "public_key",
      problem: "is required when enabled is true, unless certificate_identity and certificate_oidc_issuer are given",
    });
  if (isKeyless && certificateIdentity === "")
    problems.push({
      field: "certificate_identity",
      problem: "is required with certificate_oidc_issuer and trusted_root",
    });
  if (isKeyless && certificateOidcIssuer === "")
    problems.push({
      field: "certificate_oidc_issuer",
      problem: "is required with certificate_identity and trusted_root",
    });
  return problems;
}
