import type * as z from "zod";
import type { BoundUser } from "../../../shared/identity/store/bindings.ts";
import type { Identity } from "./bindingTargets.ts";
import type { ShownBinding } from "./readBindings.ts";
import type { bindingList, newRoleBinding } from "./schemas.ts";

export function toIdentities({ identities }: z.output<typeof newRoleBinding>): Identity[] {
  return identities.map(({ identity_type, uid, gid }) => {
    return { kind: identity_type, id: (identity_type === "user" ? uid : gid) ?? "" };
  });
}

/** Contract I 7.1: other keys than anywhere else, `username` and `group_id`. */
export function toBindingList(bindings: readonly ShownBinding[]): z.input<typeof bindingList> {
  return bindings.map((binding) => {
    const { roles } = binding;
    if ("user" in binding) return { binding_type: "user", user_info: userInfo(binding.user), roles };
    const { groupId, name, users } = binding.group;
    return { binding_type: "group", group_info: { group_id: groupId, name, user_infos: users.map(userInfo) }, roles };
  });
}

function userInfo({ identityType, uid, account, name }: BoundUser) {
  return { identity_type: identityType, uid, account, username: name };
}
