import { newId } from "../base/store/ids.ts";
import { sealFields } from "../integrations/sealFields.ts";
import type { Integration, ListedIntegration } from "../integrations/store/integrationStore.ts";
import { addRecord, changeRecord, requireRecord, type Sort } from "../workflows/jobDefinitions/keepRecord.ts";
import { removeRecord } from "../workflows/jobDefinitions/removeRecord.ts";
import { success } from "./schemas.ts";

interface Forms<Wanted, Shown extends object, Kept extends object, Answer> {
  /** @param before names of the secrets that are stored @throws ApiError 400 for what cannot be kept */
  recordOf(id: string, wanted: Wanted, before: readonly string[]): Integration<Shown, Kept>;
  /** Texts to seal, by field; an empty one leaves what is stored. */
  secretsOf?(wanted: Wanted): Readonly<Record<string, string>>;
  answerOf(record: ListedIntegration<Shown>): Answer;
}

/** What the five endpoints of `recordRoutes` do with records that have no other rules than those of their form. */
export function recordHandlers<Wanted, Shown extends object, Kept extends object, Answer>(
  sort: Sort<Shown, Kept>,
  { recordOf, secretsOf = () => ({}), answerOf }: Forms<Wanted, Shown, Kept, Answer>,
) {
  const { records } = sort;
  const sealed = (id: string, wanted: Wanted) => sealFields(records.kind, id, secretsOf(wanted));
  return {
    list: async () => (await records.list()).map(answerOf),
    add: async ({ body }: { body: Wanted }) => {
      const id = newId();
      await addRecord(sort, recordOf(id, body, []), await sealed(id, body));
      return { ...success, id };
    },
    read: async ({ params }: { params: { id: string } }) => answerOf(await requireRecord(sort, params.id)),
    change: async ({ params: { id }, body }: { params: { id: string }; body: Wanted }) => {
      const secrets = await sealed(id, body);
      await changeRecord(sort, id, ({ secretFields }) => recordOf(id, body, secretFields), secrets);
      return success;
    },
    remove: async ({ params }: { params: { id: string } }) => {
      await removeRecord(sort, params.id);
      return success;
    },
  };
}
