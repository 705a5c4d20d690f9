import * as z from "zod";
import type { User } from "../access/identity/store/users.ts";

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
    mfa_required: z.boolean().meta({
      description: "Whether the session may do nothing but enrol a second factor; `required_action` is `enroll` then",
    }),
    required_action: z.enum(["enroll"]).optional(),
  })
  .meta({ id: "LoginAnswer" });

/** @param mustEnrol whether the session may do nothing but enrol a second factor */
export function signedIn(
  { identityType, groups, ...user }: User,
  token: string,
  mustEnrol = false,
): z.input<typeof loginAnswer> {
  return {
    ...{ ...user, token, group_ids: [...(groups ?? [])].sort(), identityType, mfa_required: mustEnrol },
    ...(mustEnrol && { required_action: "enroll" as const }),
  };
}
