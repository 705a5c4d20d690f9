import * as z from "zod";
import { withAliases } from "../../../shared/base/common/withAliases.ts";
import { filled, plainName } from "../../../shared/http/schemas.ts";

/** More than all verbs there are. */
const maxVerbs = 200;
/** Each identity takes two places in a transaction of a hundred. */
const maxIdentities = 45;

export const ofNamespace = z.object({ namespace: filled("namespace", 256) });

export const roleParams = z.object({ name: z.string() });

const role = {
  id: z.int(),
  name: z.string(),
  namespace: z.string(),
  desc: z.string(),
  type: z.enum(["custom", "system"]),
};

/** Contract I 6.2: the list leaves the rules out. */
export const roleList = z.array(z.object(role));
export const roleDetail = z.object({
  ...role,
  rules: z.array(z.object({ resource: z.string(), verbs: z.array(z.string()) })),
});

export const definitionList = z.array(
  z.object({
    resource: z.string(),
    alias: z.string(),
    rules: z.array(z.object({ action: z.string(), alias: z.string() })),
  }),
);

const actions = z
  .array(z.string().max(64, "must have at most 64 characters"), "must be a list of actions")
  .max(maxVerbs, `must have at most ${maxVerbs} actions`);
const desc = z.string().max(64, "must have at most 64 characters");

/** Contract I 6.5: the query's namespace decides; one in the body must be the same. `type` is always `custom`. */
export const newRole = withAliases(
  z.object({ name: plainName(32), namespace: z.string().optional(), actions, desc: desc.default("") }),
  { desc: ["description"] },
);
export const changedRole = withAliases(z.object({ actions, desc: desc.default("") }), { desc: ["description"] });

const userInfo = z.object({
  identity_type: z.string(),
  uid: z.string(),
  account: z.string(),
  username: z.string(),
});

/** Contract I 7.1. */
export const bindingList = z.array(
  z.object({
    binding_type: z.enum(["user", "group"]),
    user_info: userInfo.optional(),
    group_info: z.object({ group_id: z.string(), name: z.string(), user_infos: z.array(userInfo) }).optional(),
    roles: z.array(z.string()),
  }),
);

const identity = z
  .object({
    identity_type: z.enum(["user", "group"], "must be user or group"),
    uid: z.string().optional(),
    gid: z.string().optional(),
  })
  .superRefine(({ identity_type, uid, gid }, context) => {
    const [field, id] = identity_type === "user" ? ["uid", uid] : ["gid", gid];
    if (id === undefined || id === "")
      context.addIssue({ code: "custom", path: [field ?? ""], message: `is required of a ${identity_type}` });
  });

/** Contract I 7.2. A client sends one `uid` or `gid` beside the role and no `identities`. */
export const newRoleBinding = z.preprocess(
  (sent) => {
    if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
    const body: Record<string, unknown> = { ...sent };
    const { identities, uid, gid } = body;
    if (identities !== undefined) return body;
    const one = [
      ...(uid === undefined ? [] : [{ identity_type: "user", uid }]),
      ...(gid === undefined ? [] : [{ identity_type: "group", gid }]),
    ];
    return one.length === 0 ? body : { ...body, identities: one };
  },
  z.object({
    role: filled("role", 32),
    identities: z
      .array(identity)
      .min(1, "must name a user or a group")
      .max(maxIdentities, `must have at most ${maxIdentities} identities`),
  }),
);

export const wantedRoles = z.object({
  roles: z.array(filled("role", 32), "must be a list of role names").max(100, "must have at most 100 roles"),
});
