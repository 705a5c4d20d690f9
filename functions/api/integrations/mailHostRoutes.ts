import * as z from "zod";
import { optionalLine, secretLine } from "../../../shared/http/fields.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { filled, message } from "../../../shared/http/schemas.ts";
import { hostName } from "./hostName.ts";

/** `ci@example.com` or `CI <ci@example.com>`. */
const senderForm = /^(?:[^<>@\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u;

/** `POST` sets it as it is sent; in `PUT` a password that is absent or empty stays. */
const fields = z.object({
  name: hostName("name"),
  port: z.int("must be 1 to 65535").min(1, "must be 1 to 65535").max(65_535, "must be 1 to 65535"),
  username: optionalLine(255).default(""),
  password: secretLine().default(""),
  is_tls: z.boolean().default(false),
  from: filled("from", 320).refine(
    (text) => senderForm.test(text),
    "must be a mail address such as ci@example.com or CI <ci@example.com>",
  ),
});
export type MailHostBody = z.output<typeof fields>;

export const mailHost = z
  .object({ name: z.string(), port: z.int(), username: z.string(), is_tls: z.boolean(), from: z.string() })
  .meta({ id: "MailHost" });

const common = {
  path: "/api/aslan/system/email/host",
  tag: "Notification settings",
  permission: { kind: "systemAdmin" },
} as const;
const words = { function: "Notification Settings", detail: () => "mail host" } as const;

export const mailHostRoutes = {
  getMailHost: defineRoute({
    ...common,
    method: "GET",
    summary: "Read the mail host; 404 when there is none",
    response: mailHost,
  }),
  setMailHost: defineRoute({
    ...common,
    method: "POST",
    summary: "Set the mail host; it takes the place of another one and of its password",
    body: fields,
    response: message,
    audit: { ...words, method: "Add", body: "json" },
  }),
  updateMailHost: defineRoute({
    ...common,
    method: "PUT",
    summary: "Replace the mail host; a password that is not given stays",
    body: fields,
    response: message,
    audit: { ...words, method: "Update", body: "json" },
  }),
  deleteMailHost: defineRoute({
    ...common,
    method: "DELETE",
    summary: "Delete the mail host unless something refers to it",
    response: message,
    audit: { ...words, method: "Delete", body: "none" },
  }),
};
