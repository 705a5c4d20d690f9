import * as z from "zod";

export const account = z
  .string()
  .min(1, "account cannot be empty")
  .max(32, "account must have at most 32 characters")
  .refine(
    (name) => !/[/\\?#%\p{Cc}\p{Bidi_Control}]/u.test(name),
    "must not contain / \\ ? # %, control or direction characters",
  )
  .refine((name) => name === name.trim(), "must not begin or end with white space");

/** The upper limit bounds the work of the hash, not the strength. */
export const password = z.string().min(1, "password cannot be empty").max(1024);

/** Six digits of an authenticator app, or a recovery code; empty: not given. */
export const mfaCode = z
  .string()
  .max(64, "must have at most 64 characters")
  .default("")
  .meta({ description: "Six digits of the authenticator app, or a recovery code" });

export const email = z.string().max(100, "must have at most 100 characters");
export const phone = z.string().max(16, "must have at most 16 characters");

/** An id of a user or a group. */
export const uuid = z.uuid("must be a UUID");
export const userParams = z.object({ uid: z.string() });

/** A name given several times in a query is a list, given once a text. */
export const textList = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => (given === undefined ? [] : [given].flat().filter((text) => text !== "")));

const userFields = {
  uid: z.string(),
  name: z.string(),
  account: z.string(),
  email: z.string(),
  phone: z.string(),
};

export const createdUser = z.object({
  ...userFields,
  identity_type: z.string(),
  mfa_enabled: z.literal(false),
  api_token: z.literal(""),
  api_token_enabled: z.boolean(),
  created_at: z.int(),
  updated_at: z.int(),
});

export const userDetail = z.object({ ...userFields, last_login_time: z.int(), identity_type: z.string() });

export const briefUser = z
  .object({
    uid: z.string(),
    account: z.string(),
    name: z.string(),
    last_login_time: z.int(),
    identity_type: z.string(),
  })
  .meta({ id: "BriefUser" });

export const userInfo = z
  .object({
    ...userFields,
    last_login_time: z.int(),
    identity_type: z.string(),
    mfa_enabled: z.boolean().meta({ description: "Whether signing in asks for a second factor" }),
    token: z.string(),
    has_api_token: z.boolean(),
    api_token_enabled: z.boolean(),
    user_groups: z.array(z.object({ name: z.string(), system_role_names: z.array(z.string()) })),
    system_role_bindings: z.array(
      z.object({ name: z.string(), uid: z.string(), role: z.string(), preset: z.boolean(), type: z.string() }),
    ),
    admin: z.boolean(),
  })
  .meta({ id: "UserInfo" });

/** A page of users under the key that clients know (contract I 5.1). */
export function userPage<S extends z.ZodType>(user: S) {
  return z.object({ users: z.array(user), total_count: z.int() });
}

export const groupItem = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    type: z.enum(["system", "custom"]),
    user_total: z.int(),
    system_role_names: z.array(z.string()),
  })
  .meta({ id: "UserGroup" });
