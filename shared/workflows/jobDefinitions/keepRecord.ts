import { badRequest, notFound } from "../../base/errors/apiError.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { conflictedOn, type Item } from "../../base/store/tableClient.ts";
import type { Integration, IntegrationStore, SealedFields } from "../../integrations/store/integrationStore.ts";

/** One sort of record in words for messages, and where it is kept. */
export interface Sort<Shown extends object, Kept extends object> {
  noun: string;
  /** The field of the body that must be unique. */
  nameField: string;
  records: IntegrationStore<Shown, Kept>;
}

/** @throws ApiError 400 when the name is taken */
export async function addRecord<Shown extends object, Kept extends object>(
  sort: Sort<Shown, Kept>,
  record: Integration<Shown, Kept>,
  secrets: SealedFields = {},
): Promise<void> {
  await nameIsFree(sort, record.name, () => sort.records.create(record, secrets));
}

/** @throws ApiError 404 */
export async function requireRecord<Shown extends object, Kept extends object>(
  { noun, records }: Sort<Shown, Kept>,
  id: string,
): Promise<Item<Integration<Shown, Kept>>> {
  const found = await records.find(id);
  if (found === undefined) throw notFound(`${noun} ${id}`);
  return found;
}

/**
 * Replaces a record by what `change` makes of the stored one, and again when another change came first.
 * @throws ApiError 404; 400 when the name is taken; what `change` throws
 */
export function changeRecord<Shown extends object, Kept extends object>(
  sort: Sort<Shown, Kept>,
  id: string,
  change: (before: Integration<Shown, Kept>) => Integration<Shown, Kept>,
  secrets: SealedFields = {},
): Promise<void> {
  return retryOnConflict(async () => {
    const before = await requireRecord(sort, id);
    const after = change(before);
    await nameIsFree(sort, after.name, () => sort.records.change(before, after, secrets));
  });
}

async function nameIsFree<Shown extends object, Kept extends object>(
  { noun, nameField }: Sort<Shown, Kept>,
  name: string,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!conflictedOn(error, "integration name")) throw error;
    throw badRequest([{ in: "body", path: nameField, problem: `a ${noun} with the ${nameField} ${name} exists` }]);
  }
}
