import { hashToken, newToken } from "../../../shared/access/identity/session/tokenText.ts";
import {
  type ApiToken,
  createApiToken,
  defaultTokenName,
  findApiToken,
  listApiTokens,
  revokeWrites,
  rotateApiToken,
  setDefaultToken,
} from "../../../shared/access/identity/store/tokens.ts";
import { changeUser } from "../../../shared/access/identity/store/users.ts";
import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { newId, nowSeconds } from "../../../shared/base/store/ids.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { requireUser } from "./changeUsers.ts";

/** Who may have tokens: the flag, or being a system administrator (contract I 3.4). */
export interface Owner {
  uid: string;
  isSystemAdmin: boolean;
}

type Wanted = Pick<ApiToken, "name" | "scope" | "projects"> & {
  /** Unix seconds; 0: never; absent: after `usualSeconds`. */
  expiresAt?: number;
};

const maxTokens = 50;
/** 90 days (decisions 17.10). */
const usualSeconds = 90 * 24 * 3600;

/** Gives the user a new default token; the one before stops working at once. */
export async function renewDefaultToken(owner: Owner): Promise<string> {
  await requireAllowed(owner);
  const token = newToken("api");
  await setDefaultToken(owner.uid, hashToken(token));
  return token;
}

/** The default token of a user who has none; empty when another request was faster. */
export async function firstDefaultToken(uid: string): Promise<string> {
  const token = newToken("api");
  return (await setDefaultToken(uid, hashToken(token), "unless there is one")) ? token : "";
}

/** Makes another token (decisions 3.2). @throws ApiError 400 for a taken name, a time in the past, too many */
export async function addApiToken(owner: Owner, wanted: Wanted): Promise<{ token: ApiToken; text: string }> {
  await requireAllowed(owner);
  const now = nowSeconds();
  if (wanted.name === defaultTokenName)
    throw refused("name", "default is the name of the token of the account settings");
  const { expiresAt = now + usualSeconds, projects, ...rest } = wanted;
  if (expiresAt !== 0 && expiresAt <= now) throw refused("expires_at", "must be in the future, or 0 for never");
  if ((await listApiTokens(owner.uid)).length >= maxTokens)
    throw refused("", `there are ${maxTokens} tokens, which is the most; revoke one first`);
  const text = newToken("api");
  const token: ApiToken = {
    ...rest,
    tokenId: newId(),
    projects: [...new Set(projects)],
    ...(expiresAt !== 0 && { expiresAt }),
    lastUsedAt: 0,
    createdAt: now,
    hash: hashToken(text),
  };
  try {
    await createApiToken(owner.uid, token);
  } catch (error) {
    throw conflictedOn(error, "token name") ? refused("name", `a token with the name ${wanted.name} exists`) : error;
  }
  return { token, text };
}

/** Gives a token another text; everything else of it stays. @throws ApiError 404 */
export async function rotateToken(owner: Owner, tokenId: string): Promise<{ token: ApiToken; text: string }> {
  await requireAllowed(owner);
  return retryOnConflict(async () => {
    const token = await findApiToken(owner.uid, tokenId);
    if (token === undefined) throw notFound(`API token ${tokenId}`);
    if (token.name === defaultTokenName) {
      const text = await renewDefaultToken(owner);
      return { token: { ...token, lastUsedAt: 0 }, text };
    }
    const text = newToken("api");
    await rotateApiToken(owner.uid, token, hashToken(text));
    return { token: { ...token, lastUsedAt: 0 }, text };
  });
}

/** Revokes a token at once; one that is gone already is left alone. */
export async function revokeToken(uid: string, tokenId: string): Promise<void> {
  await changeUser(uid, async ({ apiTokenHash, ...user }) => {
    const token = await findApiToken(uid, tokenId);
    if (token === undefined) return undefined;
    const kept = apiTokenHash === undefined || token.hash === apiTokenHash ? {} : { apiTokenHash };
    return { user: { ...user, ...kept }, writes: revokeWrites(uid, token) };
  });
}

async function requireAllowed({ uid, isSystemAdmin }: Owner): Promise<void> {
  const { apiTokenEnabled } = await requireUser(uid);
  if (!apiTokenEnabled && !isSystemAdmin) throw new ApiError(403, "API tokens are switched off for this user");
}

function refused(path: string, problem: string): ApiError {
  return badRequest([{ in: "body", path, problem }]);
}
