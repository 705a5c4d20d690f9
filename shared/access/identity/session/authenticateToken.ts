import { ApiError } from "../../../base/errors/apiError.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import type { TokenLimits } from "../rules/grants.ts";
import { findToken, recordTokenUse, type TokenRecord } from "../store/tokens.ts";
import { hashToken, mayBeToken } from "./tokenText.ts";

interface Bearer {
  uid: string;
  tokenHash: string;
  kind: TokenRecord["kind"];
  limits?: TokenLimits;
  tokenId?: string;
  tokenName?: string;
  endsAt?: number;
  mustEnrol?: true;
}

/**
 * Finds the bearer of a token with one consistent read, so that a revoked token is refused at once. Once a minute the
 * use of an API token is noted.
 * @throws ApiError 401 with one of the reasons of contract I 3.5
 */
export async function authenticateToken(token: string): Promise<Bearer> {
  if (!mayBeToken(token)) throw new ApiError(401, "invalid token: token is malformed");
  return bearerOf(hashToken(token));
}

/** As `authenticateToken`, for a token of which the hash is known: a stream asks again while it lasts. */
export async function bearerOf(tokenHash: string): Promise<Bearer> {
  const record = await findToken(tokenHash);
  if (record === undefined) throw new ApiError(401, "token mismatch");
  if (record.expiresAt !== undefined && record.expiresAt <= nowSeconds())
    throw new ApiError(401, "invalid token: token validation failed");
  await recordTokenUse(tokenHash, record);
  const { uid, kind, limits, tokenId, tokenName, expiresAt, mustEnrol } = record;
  return {
    ...{ uid, tokenHash, kind },
    ...(limits && { limits }),
    ...(tokenId !== undefined && { tokenId }),
    ...(tokenName !== undefined && { tokenName }),
    ...(mustEnrol && { mustEnrol }),
    ...(kind === "api" && expiresAt !== undefined && { endsAt: expiresAt }),
  };
}
