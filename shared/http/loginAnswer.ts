import * as z from "zod";
import type { User } from "../identity/store/users.ts";

/** The answer to every kind of sign-in (contract I 11). */
export const loginAnswer = z
  .object({
    uid: z.string(),
    name: z.string(),
    account: z.string(),
    email: z.string(),
    phone: z.string(),
    token: z.string(),
    group_ids: z.array(z.string()),
    identityType: z.string(),
    mfa_required: z.literal(false),
  })
  .meta({ id: "LoginAnswer" });

export function signedIn({ identityType, groups, ...user }: User, token: string): z.input<typeof loginAnswer> {
  return { ...user, token, group_ids: [...(groups ?? [])].sort(), identityType, mfa_required: false };
}
