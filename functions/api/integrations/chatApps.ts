import type * as z from "zod";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { type ChatApp, chatApps } from "../../../shared/integrations/store/chatApps.ts";
import type { Integration, ListedIntegration } from "../../../shared/integrations/store/integrationStore.ts";
import { newId } from "../../../shared/store/ids.ts";
import type { chatApp, chatAppRoutes, newChatApp } from "./chatAppRoutes.ts";
import { addRecord, changeRecord, requireRecord } from "./keepRecord.ts";
import { removeRecord } from "./removeRecord.ts";
import { sealFields } from "./sealFields.ts";

const sort = { noun: "chat app", nameField: "app_id", records: chatApps };
type Wanted = z.output<typeof newChatApp>;

export const chatAppHandlers: Handlers<typeof chatAppRoutes> = {
  listChatApps: async () => (await chatApps.list()).map(answerOf),
  addChatApp: async ({ body }) => {
    const id = newId();
    await addRecord(sort, recordOf(id, body), await secretsOf(id, body));
    return { ...success, id };
  },
  getChatApp: async ({ params }) => answerOf(await requireRecord(sort, params.id)),
  updateChatApp: async ({ params, body }) => {
    await changeRecord(sort, params.id, () => recordOf(params.id, body), await secretsOf(params.id, body));
    return success;
  },
  deleteChatApp: async ({ params }) => {
    await removeRecord(sort, params.id);
    return success;
  },
};

function secretsOf(id: string, { app_secret }: Wanted) {
  return sealFields(chatApps.kind, id, { app_secret });
}

/** Two services may give the same id, so that only both together are unique. */
function recordOf(id: string, { type, app_id: appId, address }: Wanted): Integration<ChatApp> {
  return { id, name: `${type} ${appId}`, shown: { type, appId, address }, kept: {}, secretFields: ["app_secret"] };
}

function answerOf({ id, shown }: ListedIntegration<ChatApp>): z.input<typeof chatApp> {
  return { id, type: shown.type, app_id: shown.appId, address: shown.address };
}
