import * as z from "zod";
import { recordRoutes } from "../../../shared/http/recordRoutes.ts";
import { filled, madeRecord } from "../../../shared/http/schemas.ts";
import { chatAppTypes } from "../../../shared/integrations/store/chatApps.ts";
import { address, secretLine } from "./fields.ts";

const fields = {
  type: z.enum(chatAppTypes, `must be one of ${chatAppTypes.join(", ")}`),
  app_id: filled("app_id", 128).refine((text) => !/[\s\p{Cc}]/u.test(text), "must not contain white space"),
  address: z
    .union([z.literal(""), address("address", ["https", "http"])], "must be a URL such as https://chat.example.com")
    .default(""),
};

export const newChatApp = z.object({
  ...fields,
  app_secret: secretLine().refine((text) => text !== "", "app_secret cannot be empty"),
});

/** The secret stays when it is absent or empty. */
export const changedChatApp = z.object({ ...fields, app_secret: secretLine().default("") });

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
