import { bindingsOfUser, bindUser } from "../../../shared/access/identity/store/bindings.ts";
import { listApiTokens, revokeWrites } from "../../../shared/access/identity/store/tokens.ts";
import { changeUser, findUser, type User } from "../../../shared/access/identity/store/users.ts";
import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { table } from "../../../shared/base/store/table.ts";
import { describeUser } from "./userInfo.ts";

/** Empty texts change nothing (contract I 11). */
interface ProfileChange {
  name: string;
  email: string;
  phone: string;
}

/** What one transaction takes beside the profile; no user is bound in so many projects by hand. */
const maxBindingsAtOnce = 99;

/** Changes name and addresses; lists of role bindings show the new name in the same moment. @throws ApiError 404 */
export async function changeProfile(uid: string, change: ProfileChange): Promise<void> {
  const changed = await changeUser(uid, async (before) => {
    const user: User = {
      ...before,
      name: change.name || before.name,
      email: change.email || before.email,
      phone: change.phone || before.phone,
      updatedAt: nowSeconds(),
    };
    const shown = user.name === before.name ? [] : (await bindingsOfUser(uid)).slice(0, maxBindingsAtOnce);
    return { user, writes: shown.map((binding) => bindUser(user, binding, binding)) };
  });
  if (changed === undefined) throw notFound(`user ${uid}`);
}

/** Lets a user have API tokens, or takes all away at once (contract I 3.4). @throws ApiError 6001 for an administrator */
export async function allowApiTokens(uid: string, isAllowed: boolean): Promise<void> {
  if (!isAllowed && (await describeUser(uid)).isSystemAdmin)
    throw new ApiError(6001, "a system administrator always may have API tokens; api_token_enabled cannot be false");
  const changed = await changeUser(uid, ({ apiTokenHash, ...user }) => {
    const kept = isAllowed && apiTokenHash !== undefined ? { apiTokenHash } : {};
    return { user: { ...user, ...kept, apiTokenEnabled: isAllowed, updatedAt: nowSeconds() } };
  });
  if (changed === undefined) throw notFound(`user ${uid}`);
  if (!isAllowed) await revokeAll(uid);
}

async function revokeAll(uid: string): Promise<void> {
  for (const token of await listApiTokens(uid, { consistent: true })) await table().write(...revokeWrites(uid, token));
}

/** @throws ApiError 404 */
export async function requireUser(uid: string) {
  const user = await findUser(uid);
  if (user === undefined) throw notFound(`user ${uid}`);
  return user;
}
