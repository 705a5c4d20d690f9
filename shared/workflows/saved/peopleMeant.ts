import { allUsersGroupId } from "../../access/identity/rules/actions.ts";
import { findGroup } from "../../access/identity/store/groups.ts";
import { findUser } from "../../access/identity/store/users.ts";
import { usersOfGroup } from "../../access/identity/store/usersOfGroup.ts";
import type { ApprovalUser } from "../definition/definition.ts";

export interface Person {
  uid: string;
  name: string;
}

/** Whom one entry means; a user or a group that does not exist, in words. @param creator meant by `task_creator` */
export async function peopleMeant(user: ApprovalUser, creator: Person): Promise<Person[] | string> {
  switch (user.type ?? "") {
    case "":
    case "user": {
      const found = await findUser(user.user_id ?? "");
      if (found === undefined) return `user ${user.user_name || user.user_id || ""}`;
      return [{ uid: found.uid, name: found.name }];
    }
    case "group": {
      const { group_id, group_name } = user;
      const id = group_id ?? "";
      const exists = id === allUsersGroupId || (await findGroup(id)) !== undefined;
      if (!exists) return `user group ${group_name || id}`;
      return (await usersOfGroup(id)).map(({ uid, name }) => ({ uid, name }));
    }
    case "task_creator":
      return [{ uid: creator.uid, name: creator.name }];
    default:
      return [];
  }
}
