import type * as z from "zod";
import { badRequest } from "../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { recordHandlers } from "../../../shared/http/recordHandlers.ts";
import { approvalSecretsOf, needsTemplate } from "../../../shared/integrations/rules/chatAppSecrets.ts";
import { type ChatApp, chatApps } from "../../../shared/integrations/store/chatApps.ts";
import type { Integration, ListedIntegration } from "../../../shared/integrations/store/integrationStore.ts";
import type { chatApp, chatAppRoutes, newChatApp } from "./chatAppRoutes.ts";

const sort = { noun: "chat app", nameField: "app_id", records: chatApps };
type Wanted = z.output<typeof newChatApp>;

const { list, add, read, change, remove } = recordHandlers(sort, { recordOf, secretsOf, answerOf });

export const chatAppHandlers: Handlers<typeof chatAppRoutes> = {
  listChatApps: list,
  addChatApp: add,
  getChatApp: read,
  updateChatApp: change,
  deleteChatApp: remove,
};

function secretsOf({ app_secret, encrypt_key, verification_token, template_id }: Wanted) {
  return { app_secret, encrypt_key, verification_token, template_id };
}

/**
 * Two services may give the same id, so that only both together are unique.
 * @param before names of the secrets that are stored
 * @throws ApiError 400 when a secret that its type cannot do without is neither stored nor given
 */
function recordOf(id: string, wanted: Wanted, before: readonly string[]): Integration<ChatApp> {
  const { type, app_id: appId, address } = wanted;
  const given = Object.entries(secretsOf(wanted)).flatMap(([field, text]) => (text === "" ? [] : [field]));
  const secretFields = ["app_secret", ...approvalSecretsOf(type)].filter(
    (f) => before.includes(f) || given.includes(f),
  );
  if (needsTemplate(type) && !secretFields.includes("template_id"))
    throw badRequest([{ in: "body", path: "template_id", problem: `is required for type ${type}` }]);
  return { id, name: `${type} ${appId}`, shown: { type, appId, address }, kept: {}, secretFields };
}

function answerOf({ id, shown }: ListedIntegration<ChatApp>): z.input<typeof chatApp> {
  return { id, type: shown.type, app_id: shown.appId, address: shown.address };
}
