import { findUsers, findUsersByAccount, type User } from "../identity/store/users.ts";
import { usersOfGroup } from "../identity/store/usersOfGroup.ts";
import type { MailTarget } from "./rules/destination.ts";

/** Distinct addresses of the targets (contract W 15.5); users without an address, and those who are gone, have none. */
export async function mailAddresses(targets: readonly MailTarget[]): Promise<string[]> {
  const found = await Promise.all(targets.map(addressesOf));
  const byText = new Map(found.flat().map((address) => [address.toLowerCase(), address]));
  return [...byText.values()].filter(isAddress);
}

/** Nothing that could become two addresses, or a line of its own, in a mail. */
export function isAddress(text: string): boolean {
  return /^[^\s<>@,;:"()\\]+@[^\s<>@,;:"()\\]+$/.test(text);
}

async function addressesOf(target: MailTarget): Promise<string[]> {
  if (target.kind === "address") return [target.address.trim()];
  if (target.kind === "user") return mailsOf(await usersNamed(target));
  const uids = (await usersOfGroup(target.groupId)).map(({ uid }) => uid);
  return mailsOf(await findUsers(uids));
}

/** By id; a variable may name an account instead. */
async function usersNamed({ userId, account }: Extract<MailTarget, { kind: "user" }>): Promise<User[]> {
  const users = userId === "" ? [] : await findUsers([userId]);
  if (users.length > 0 || account === "") return users;
  const [named] = await findUsersByAccount(account);
  return named === undefined ? [] : findUsers([named.uid]);
}

function mailsOf(users: readonly User[]): string[] {
  return users.map(({ email }) => email.trim());
}
