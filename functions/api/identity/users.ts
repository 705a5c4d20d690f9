import { randomUUID, timingSafeEqual } from "node:crypto";
import { hashPassword, requireStrongPassword } from "../../../shared/access/identity/session/passwords.ts";
import { hashToken } from "../../../shared/access/identity/session/tokenText.ts";
import {
  createFirstUser,
  createUser,
  findUsersByAccount,
  isInitialized,
  type User,
} from "../../../shared/access/identity/store/users.ts";
import { readSecret } from "../../../shared/base/aws/secrets/readSecret.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { ConditionFailed } from "../../../shared/base/store/tableClient.ts";
import { firstDefaultToken, type Owner } from "./apiTokens.ts";
import { type DescribedUser, describeUser } from "./userInfo.ts";

interface NewUser {
  account: string;
  name: string;
  password: string;
  email: string;
  phone: string;
}

/** Adds a local user. @throws ApiError 6000 for a weak password or an account that exists */
export async function addUser(given: NewUser): Promise<User> {
  requireStrongPassword(given.password);
  const user = await newUser(given);
  try {
    await createUser(user);
  } catch (error) {
    if (error instanceof ConditionFailed) throw new ApiError(6000, "an account with this name exists");
    throw error;
  }
  return user;
}

/** Makes the first user a system administrator, once, for the holder of the bootstrap secret (decisions 3.1). */
export async function initialize(given: NewUser, presentedSecret: string | undefined): Promise<void> {
  if (await isInitialized())
    throw new ApiError(403, "the installation has a user already; it can be initialized only once");
  const secret = await bootstrapSecret();
  if (secret === undefined) throw new ApiError(403, "no bootstrap secret is set for this installation");
  if (!sameText(secret, presentedSecret ?? ""))
    throw new ApiError(403, "the header X-Bootstrap-Secret does not hold the bootstrap secret");
  requireStrongPassword(given.password);
  try {
    await createFirstUser(await newUser(given));
  } catch (error) {
    if (error instanceof ConditionFailed)
      throw new ApiError(403, "the installation has a user already; it can be initialized only once");
    throw error;
  }
}

/**
 * The own record; the first view makes the default token and returns it this once (decisions 3.2), later ones `""`.
 */
export async function viewPersonal(owner: Owner): Promise<{ described: DescribedUser; token: string }> {
  const described = await describeUser(owner.uid);
  const { apiTokenHash, apiTokenEnabled } = described.user;
  const mayBeFirst = apiTokenHash === undefined && (apiTokenEnabled || owner.isSystemAdmin);
  return { described, token: mayBeFirst ? await firstDefaultToken(owner.uid) : "" };
}

/** @throws ApiError 6000 when the account is taken */
export async function requireFreeAccount(account: string): Promise<void> {
  if ((await findUsersByAccount(account)).some(({ identityType }) => identityType === "system"))
    throw new ApiError(6000, "user is duplicated");
}

async function newUser(given: NewUser): Promise<User> {
  const now = nowSeconds();
  const { password, ...rest } = given;
  return {
    ...rest,
    uid: randomUUID(),
    identityType: "system",
    password: await hashPassword(password),
    apiTokenEnabled: true,
    lastLoginTime: 0,
    createdAt: now,
    updatedAt: now,
  };
}

function sameText(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(a)), Buffer.from(hashToken(b)));
}

/** The one-time secret that allows the first user: from Secrets Manager in AWS, from the setting on one machine. */
async function bootstrapSecret(): Promise<string | undefined> {
  const { SLIPWAY_BOOTSTRAP_SECRET: text, SLIPWAY_BOOTSTRAP_SECRET_ARN: arn } = config();
  if (text !== undefined && text !== "") return text;
  return arn === undefined ? undefined : readSecret(arn);
}
