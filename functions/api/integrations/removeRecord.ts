import { ApiError } from "../../../shared/domain/errors/apiError.ts";
import type { ErrorCode } from "../../../shared/domain/errors/catalogue.ts";
import { retryLost } from "../../../shared/store/retryLost.ts";
import { type RecordUser, type UsedRecord, usersOf } from "../../../shared/store/uses.ts";
import type { Sort } from "./keepRecord.ts";

const mostNamed = 5;

/**
 * Deletes a record; one that is gone already is no error (decisions 1.1).
 * @throws ApiError 400 while something refers to it, naming the users (decisions 7.7)
 */
export function removeRecord<Shown extends object, Kept extends object>(
  { noun, records }: Sort<Shown, Kept>,
  id: string,
): Promise<void> {
  return retryLost(async () => {
    const found = await records.find(id);
    if (found === undefined) return;
    await requireUnused(`the ${noun}`, { key: records.key(id) });
    await records.remove(found);
  });
}

/** `what` stands first in the refusal. @throws ApiError with `code` while something refers to the record */
export async function requireUnused(what: string, record: UsedRecord, code: ErrorCode = 400): Promise<void> {
  const users = await usersOf(record);
  if (users.length === 0) return;
  const names = users.slice(0, mostNamed).map(described).join(", ");
  const more = users.length > mostNamed ? ` and ${users.length - mostNamed} more` : "";
  throw new ApiError(code, `${what} is used by ${names}${more}; delete them or give them another one first`);
}

function described({ kind, projectKey, name }: RecordUser): string {
  return projectKey === "" ? `${kind} ${name}` : `${kind} ${name} of project ${projectKey}`;
}
