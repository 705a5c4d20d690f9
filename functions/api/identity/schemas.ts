import * as z from "zod";

export const account = z
  .string()
  .min(1, "account cannot be empty")
  .max(32, "account must have at most 32 characters")
  .refine((name) => !/[/\\?#%\p{Cc}]/u.test(name), "must not contain / \\ ? # % or control characters")
  .refine((name) => name === name.trim(), "must not begin or end with white space");

/** The upper limit bounds the work of the hash, not the strength. */
export const password = z.string().min(1, "password cannot be empty").max(1024);

export const userParams = z.object({ uid: z.string() });

const userFields = {
  uid: z.string(),
  name: z.string(),
  account: z.string(),
  email: z.string(),
  phone: z.string(),
};

export const loginAnswer = z.object({
  ...userFields,
  token: z.string(),
  group_ids: z.array(z.string()),
  identityType: z.string(),
  mfa_required: z.literal(false),
});

export const createdUser = z.object({
  ...userFields,
  identity_type: z.string(),
  mfa_enabled: z.literal(false),
  api_token: z.literal(""),
  api_token_enabled: z.boolean(),
  created_at: z.int(),
  updated_at: z.int(),
});

export const userInfo = z.object({
  ...userFields,
  last_login_time: z.int(),
  identity_type: z.string(),
  mfa_enabled: z.literal(false),
  token: z.string(),
  has_api_token: z.boolean(),
  api_token_enabled: z.boolean(),
  user_groups: z.array(z.object({ name: z.string(), system_role_names: z.array(z.string()) })),
  system_role_bindings: z.array(
    z.object({ name: z.string(), uid: z.string(), role: z.string(), preset: z.boolean(), type: z.string() }),
  ),
  admin: z.boolean(),
});
