import * as z from "zod";
import type { CommitStatus } from "../commitStatus.ts";
import type { Message } from "../message.ts";
import type { Mail } from "./mail.ts";

/** Clients written in Go send `null` for an empty list and for an absent object. */
export const texts = z.array(z.string("must be a text"), "must be a list of texts").nullish();
export const text = z.string("must be a text").nullish();
export const flag = z.boolean("must be true or false").nullish();
export const dynamicRecipients = { dynamic_recipients: texts };

/** A user of the chat service; `is_executor` means the user who started the task, `is_stage_executor` a stage's. */
const chatUser = z.looseObject({ id: text, id_type: text, name: text, is_executor: flag, is_stage_executor: flag });
/** A user as approvals name them (contract W 1.4). */
const mailUser = z.looseObject({ type: text, user_id: text, user_name: text, group_id: text, group_name: text });
export const chatUsers = z.array(chatUser, "must be a list").nullish();
export const mailUsers = z.array(mailUser, "must be a list").nullish();
export const webhook = z.looseObject({ address: text, token: text, secret: text });
export const chat = z.looseObject({ chat_id: text, chat_name: text });
export type ChatUser = z.output<typeof chatUser>;
export type MailUser = z.output<typeof mailUser>;

/** The older flat fields of a setting; channels share them. */
export const olderFields = {
  weChat_webHook: text,
  dingding_webhook: text,
  feishu_app_id: text,
  feishu_webhook: text,
  feishu_chat: chat.nullish(),
  mail_users: mailUsers,
  webhook_notify: webhook.nullish(),
  at_mobiles: texts,
  wechat_user_ids: texts,
  lark_user_ids: texts,
  lark_at_users: chatUsers,
  is_at_all: flag,
};
type OlderFields = z.output<z.ZodObject<typeof olderFields>>;

/** Fields of what one start says of its recipients; an absent list is empty. */
export const inputTexts = texts.transform((list) => list ?? []);
export const inputObjects = z
  .array(z.looseObject({}), "must be a list")
  .nullish()
  .transform((list) => list ?? []);
export const inputFlag = flag.transform((value) => value ?? false);
export const inputDynamic = { dynamic_recipients: inputTexts };

/** What a start puts in the place of the configured recipients. */
export interface Recipients {
  dynamic_recipients?: string[];
  [list: string]: unknown;
}

/** A person in the chat service; `idType` as its message API names it. */
export interface ChatTarget {
  id: string;
  idType: "open_id" | "user_id" | "union_id" | "email";
  name: string;
}

export interface Resolving {
  /** Renders a dynamic recipient such as `{{.workflow.params.owner}}`; an unknown variable is empty. */
  render: (expression: string) => string;
  /** Who started the task. */
  creator: { id: string; email: string };
  /** Mail addresses of those who execute a stage by hand. */
  stageExecutors: readonly string[];
}

/** One thing that is sent; what a delivery has several of is sent in order. */
export type Part =
  | { via: "hook"; body: string }
  | {
      via: "app";
      receiver: { id: string; idType: ChatTarget["idType"] | "chat_id" };
      kind: "interactive" | "text";
      content: string;
    }
  | { via: "mail"; to: string; mail: Mail }
  | { via: "commit-status"; status: CommitStatus };

/** What is delivered, and recorded, by itself: of several people each. */
export interface Addressed {
  /** Tells the deliveries of one setting from each other; readable, and without secrets. */
  target: string;
  parts: readonly Part[];
  /** What sending needs and no user may read. */
  secrets: { address?: string; token?: string; signingKey?: string; appId?: string };
}

/** What a chat service's answer says of a message, which it takes or refuses by a code of its own. */
export interface AnswerCode {
  code: number | undefined;
  text: string;
}

/**
 * One way that notifications go: its settings, where they lead, how a message looks there.
 * @template Destination where a notification goes, with nothing left to resolve but people (contract W 1.6); holds secrets
 * @template Ready the same when its people are looked up
 */
export interface Channel<
  Config extends z.ZodType = z.ZodType,
  Input extends z.ZodType = z.ZodType,
  Destination extends object = object,
  Ready extends object = object,
> {
  /** The configuration object of a setting (contract W 1.6). */
  field: string;
  config: Config;
  /** The configuration object of the older flat fields; absent: it has none. */
  ofOlder?(older: OlderFields): z.input<Config>;
  /** What one start may say of its recipients (contract W 2.4, `notify_inputs`); absent: nothing. */
  input?: Input;
  /** Recipients by such an input, where they are not the input itself. */
  recipientsOf?(input: z.output<Input>, before: z.output<Config> | null | undefined): Recipients;
  /** Fields that hold addresses of hooks. */
  addresses: readonly (readonly [field: string, inside?: string])[];
  destinationOf(config: z.output<Config> | null | undefined, resolving: Resolving): Destination;
  /** @param webhookBody the JSON for type `webhook`; the other types have the message */
  deliveries(destination: Ready, message: Message, webhookBody: () => object): Addressed[];
  /** Reads the code of an answer; absent: the HTTP status alone counts. */
  answerCode?(answer: Readonly<Record<string, unknown>>): AnswerCode;
  /** An answer without a code is a refusal. */
  mustHaveCode?: true;
}

/** Checks a channel's parts against each other. */
export function channel<
  Config extends z.ZodType,
  Input extends z.ZodType,
  Destination extends object,
  Ready extends object = Destination,
>(definition: Channel<Config, Input, Destination, Ready>): Channel<Config, Input, Destination, Ready> {
  return definition;
}

type WithDynamic = { dynamic_recipients?: string[] | null | undefined } | null | undefined;

/** Recipients by variables; one variable may hold several. */
export function renderedRecipients(config: WithDynamic, { render }: Resolving): readonly string[] {
  return distinctTexts((config?.dynamic_recipients ?? []).flatMap((expression) => render(expression).split(/[\s,;]+/)));
}

/** Texts without blanks around them, each once; empty ones are left out. */
export function distinctTexts(all: readonly string[]): readonly string[] {
  return [...new Set(all.map((one) => one.trim()))].filter((one) => one !== "");
}

/** A number of an answer; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** A text of an answer; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A delivery to the address of a hook. */
export function toHook(address: string, ...bodies: readonly object[]): Addressed {
  const parts = bodies.map((body): Part => ({ via: "hook", body: JSON.stringify(body) }));
  return { target: hostOf(address), parts, secrets: { address } };
}

/** Recorded all the same: users who wonder why nothing came can read why. */
export const toNobody: Addressed = { target: "nobody", parts: [], secrets: {} };

/** The host alone: paths and queries of hooks are their secrets. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "no address";
}
