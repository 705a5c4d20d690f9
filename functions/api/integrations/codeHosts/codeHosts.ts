import type * as z from "zod";
import { badRequest } from "../../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { sealFields } from "../../../../shared/integrations/sealFields.ts";
import { type CodeHost, codeHosts, newCodeHostId } from "../../../../shared/integrations/store/codeHosts.ts";
import type { Integration, ListedIntegration } from "../../../../shared/integrations/store/integrationStore.ts";
import { addRecord, changeRecord, requireRecord } from "../../../../shared/workflows/jobDefinitions/keepRecord.ts";
import { removeRecord } from "../../../../shared/workflows/jobDefinitions/removeRecord.ts";
import type { codeHostRoutes } from "./codeHostRoutes.ts";
import { type codeHost, type newCodeHost, secretOf } from "./codeHostSchemas.ts";

const sort = { noun: "code host", nameField: "alias", records: codeHosts };
type Wanted = z.output<typeof newCodeHost>;

export const codeHostHandlers: Handlers<typeof codeHostRoutes> = {
  listCodeHosts: async () => (await codeHosts.list()).map(answerOf),
  addCodeHost: async ({ body }) => ({ ...success, id: Number(await addCodeHost(body)) }),
  getCodeHost: async ({ params }) => answerOf(await requireRecord(sort, params.id)),
  updateCodeHost: async ({ params, body }) => {
    await changeCodeHost(params.id, body);
    return success;
  },
  deleteCodeHost: async ({ params }) => {
    await removeRecord(sort, params.id);
    return success;
  },
};

/** @throws ApiError 400 for a taken alias */
async function addCodeHost(wanted: Wanted): Promise<string> {
  const id = await newCodeHostId();
  await addRecord(sort, recordOf(id, wanted), await secretsOf(id, wanted));
  return id;
}

/** @throws ApiError 404; 400 for a taken alias, or a new way to sign in without its secret */
async function changeCodeHost(id: string, wanted: Wanted): Promise<void> {
  const secrets = await secretsOf(id, wanted);
  const change = (before: Integration<CodeHost>) => {
    requireSecret(before, wanted);
    return recordOf(id, wanted, before);
  };
  await changeRecord(sort, id, change, secrets);
}

function requireSecret({ secretFields }: Integration<CodeHost>, wanted: Wanted): void {
  const field = secretOf[wanted.auth_type];
  if (wanted[field] !== "" || secretFields.includes(field)) return;
  const problem = `is required for auth_type ${wanted.auth_type}, because none is stored`;
  throw badRequest([{ in: "body", path: field, problem }]);
}

function secretsOf(id: string, wanted: Wanted) {
  const field = secretOf[wanted.auth_type];
  return sealFields(codeHosts.kind, id, { [field]: wanted[field], webhook_secret: wanted.webhook_secret });
}

function recordOf(id: string, wanted: Wanted, before?: Integration<CodeHost>): Integration<CodeHost> {
  const { type, address, alias, auth_type: authType, username, disable_ssl: disableSsl } = wanted;
  const shown = { type, address, alias, authType, username, disableSsl };
  const isHeard = wanted.webhook_secret !== "" || before?.secretFields.includes("webhook_secret") === true;
  const secretFields = [secretOf[authType], ...(isHeard ? ["webhook_secret"] : [])];
  return { id, name: alias, shown, kept: {}, secretFields };
}

function answerOf({ id, shown }: ListedIntegration<CodeHost>): z.input<typeof codeHost> {
  const { type, address, alias, authType, username, disableSsl } = shown;
  return { id: Number(id), type, address, alias, auth_type: authType, username, disable_ssl: disableSsl };
}
