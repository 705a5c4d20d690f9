import { ApiError } from "../../base/errors/apiError.ts";
import type { ErrorCode } from "../../base/errors/catalogue.ts";
import { type RecordUser, type UsedRecord, usersOf } from "../../base/store/uses.ts";

const maxNamed = 5;

/** The refusal begins with `what`. @throws ApiError with `code` while something refers to the record */
export async function requireUnused(what: string, record: UsedRecord, code: ErrorCode = 400): Promise<void> {
  const users = await usersOf(record);
  if (users.length === 0) return;
  const names = users.slice(0, maxNamed).map(described).join(", ");
  const more = users.length > maxNamed ? ` and ${users.length - maxNamed} more` : "";
  throw new ApiError(code, `${what} is used by ${names}${more}; delete them or give them another one first`);
}

function described({ kind, projectKey, name }: RecordUser): string {
  return projectKey === "" ? `${kind} ${name}` : `${kind} ${name} of project ${projectKey}`;
}
