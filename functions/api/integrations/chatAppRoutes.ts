import * as z from "zod";
import { address, secretLine } from "../../../shared/http/fields.ts";
import { recordRoutes } from "../../../shared/http/recordRoutes.ts";
import { filled, isObject, madeRecord } from "../../../shared/http/schemas.ts";
import { approvalSecretProblems } from "../../../shared/integrations/rules/chatAppSecrets.ts";
import { chatAppTypes } from "../../../shared/integrations/store/chatApps.ts";

const fields = {
  type: z.enum(chatAppTypes, `must be one of ${chatAppTypes.join(", ")}`),
  app_id: filled("app_id", 128).refine((text) => !/[\s\p{Cc}]/u.test(text), "must not contain white space"),
  address: z
    .union([z.literal(""), address("address", ["https", "http"])], "must be a URL such as https://chat.example.com")
    .default(""),
};

/** What approvals through the app take; its type says which. */
const approvalSecrets = {
  encrypt_key: secretLine(256).default(""),
  verification_token: secretLine(256).default(""),
  template_id: secretLine(256).default(""),
};

export const newChatApp = z
  .object({
    ...fields,
    app_secret: secretLine().refine((text) => text !== "", "app_secret cannot be empty"),
    ...approvalSecrets,
  })
  .superRefine(fitsItsType, { when: isObject });

/** A secret stays when it is absent or empty; one that the app's new type does not have goes. */
export const changedChatApp = z
  .object({ ...fields, app_secret: secretLine().default(""), ...approvalSecrets })
  .superRefine(fitsItsType, { when: isObject });

function fitsItsType(body: Record<string, unknown>, context: z.RefinementCtx): void {
  for (const { field, problem } of approvalSecretProblems(body))
    context.addIssue({ code: "custom", path: [field], message: problem });
}

export const chatApp = z
  .object({ id: z.string(), type: z.enum(chatAppTypes), app_id: z.string(), address: z.string() })
  .meta({ id: "ChatApp" });

const routes = recordRoutes(
  {
    path: "/api/aslan/system/im-apps",
    idForm: "hex",
    tag: "Notification settings",
    function: "Notification Settings",
    noun: "a chat app",
    nouns: "chat apps",
    nameField: "app_id",
  },
  { added: newChatApp, changed: changedChatApp, listed: z.array(chatApp), shown: chatApp, made: madeRecord },
);

export const chatAppRoutes = {
  listChatApps: { ...routes.list, summary: "List all chat apps by type and app_id" },
  addChatApp: routes.add,
  getChatApp: routes.read,
  updateChatApp: routes.change,
  deleteChatApp: routes.remove,
};
