import { type CollaborationMode, nameOfShared, sharedOfName } from "./rules/collaboration.ts";

/** All copies of a mode, or those of one member, as `nameOfShared` names them. */
export function namesOfCopies({ copies }: Pick<CollaborationMode, "copies">, uid?: string): string[] {
  const members = Object.entries(copies).filter(([member]) => uid === undefined || member === uid);
  return members.flatMap(([, ofMember]) =>
    Object.entries(ofMember).map(([base, { name }]) => nameOfShared(sharedOfName(base).resource, name)),
  );
}
