import type { ChatUser, MailUser, NotifyCtl, WebhookType } from "./notifyCtl.ts";
import { isWebhookType } from "./notifyCtl.ts";
import { withConfig } from "./withConfig.ts";

/** A person in the chat service; `idType` as its message API names it. */
export interface ChatTarget {
  id: string;
  idType: "open_id" | "user_id" | "union_id" | "email";
  name: string;
}

/** Whom a mail goes to; users and groups are looked up when it is sent. */
export type MailTarget =
  | { kind: "user"; userId: string; account: string }
  | { kind: "group"; groupId: string }
  | { kind: "address"; address: string };

/** Where a notification goes, with nothing left to resolve but people (contract W 1.6). Holds secrets. */
export type Destination =
  | { type: "feishu"; hookAddress: string; atUsers: readonly string[]; isAtAll: boolean }
  | { type: "feishu_app"; appId: string; chatId: string; atUsers: readonly ChatTarget[]; isAtAll: boolean }
  | { type: "feishu_person"; appId: string; targets: readonly ChatTarget[] }
  | { type: "dingding"; hookAddress: string; atMobiles: readonly string[]; isAtAll: boolean }
  | { type: "wechat"; hookAddress: string; atUsers: readonly string[]; isAtAll: boolean }
  | { type: "msteams"; hookAddress: string; atEmails: readonly string[] }
  | { type: "mail"; targets: readonly MailTarget[] }
  | { type: "webhook"; address: string; token: string; secret: string };

export interface Resolving {
  /** Renders a dynamic recipient such as `{{.workflow.params.owner}}`; an unknown variable is empty. */
  render: (expression: string) => string;
  /** Who started the task. */
  creator: { id: string; email: string };
  /** Mail addresses of those who execute a stage by hand. */
  stageExecutors: readonly string[];
}

/** @returns undefined for a setting whose type is none of ours */
export function destinationOf(ctl: NotifyCtl, resolving: Resolving): Destination | undefined {
  const filled = withConfig(ctl);
  return isWebhookType(filled.webhook_type) ? makers[filled.webhook_type](filled, resolving) : undefined;
}

const makers: Record<WebhookType, (ctl: NotifyCtl, resolving: Resolving) => Destination> = {
  feishu: ({ lark_hook_notification_config: config }, resolving) => ({
    type: "feishu",
    hookAddress: config?.hook_address ?? "",
    atUsers: distinct([...(config?.at_users ?? []), ...rendered(config, resolving)]),
    isAtAll: config?.is_at_all ?? false,
  }),
  feishu_app: ({ lark_group_notification_config: config }, resolving) => ({
    type: "feishu_app",
    appId: config?.app_id ?? "",
    chatId: config?.chat?.chat_id ?? "",
    atUsers: chatTargets(config?.at_users, config, resolving),
    isAtAll: config?.is_at_all ?? false,
  }),
  feishu_person: ({ lark_person_notification_config: config }, resolving) => ({
    type: "feishu_person",
    appId: config?.app_id ?? "",
    targets: chatTargets(config?.target_users, config, resolving),
  }),
  dingding: ({ dingding_notification_config: config }, resolving) => ({
    type: "dingding",
    hookAddress: config?.hook_address ?? "",
    atMobiles: distinct([...(config?.at_mobiles ?? []), ...rendered(config, resolving)]),
    isAtAll: config?.is_at_all ?? false,
  }),
  wechat: ({ wechat_notification_config: config }) => ({
    type: "wechat",
    hookAddress: config?.hook_address ?? "",
    atUsers: distinct(config?.at_users ?? []),
    isAtAll: config?.is_at_all ?? false,
  }),
  msteams: ({ msteams_notification_config: config }, resolving) => ({
    type: "msteams",
    hookAddress: config?.hook_address ?? "",
    atEmails: distinct([...(config?.at_emails ?? []), ...rendered(config, resolving)]),
  }),
  mail: ({ mail_notification_config: config }, resolving) => ({
    type: "mail",
    targets: [
      ...(config?.target_users ?? []).flatMap((user) => mailTarget(user, resolving)),
      ...rendered(config, resolving).map(
        (text): MailTarget =>
          text.includes("@") ? { kind: "address", address: text } : { kind: "user", userId: text, account: text },
      ),
    ],
  }),
  webhook: ({ webhook_notification_config: config }) => ({
    type: "webhook",
    address: config?.address ?? "",
    token: config?.token ?? "",
    secret: config?.secret ?? "",
  }),
};

type WithDynamic = { dynamic_recipients?: string[] | null | undefined } | null | undefined;

/** One variable may hold several recipients. */
function rendered(config: WithDynamic, { render }: Resolving) {
  return distinct((config?.dynamic_recipients ?? []).flatMap((expression) => render(expression).split(/[\s,;]+/)));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== "");
}

function chatTargets(
  users: readonly ChatUser[] | null | undefined,
  config: WithDynamic,
  resolving: Resolving,
): ChatTarget[] {
  const { creator, stageExecutors } = resolving;
  const named = (users ?? []).flatMap((user): ChatTarget[] => {
    const starter = user.is_executor === true ? [creator.email] : [];
    if (user.is_stage_executor === true) return [...starter, ...stageExecutors].flatMap(byMail);
    if (user.is_executor === true) return starter.flatMap(byMail);
    const id = user.id?.trim() ?? "";
    return id === "" ? [] : [{ id, idType: idTypeOf(id, user.id_type ?? ""), name: user.name ?? "" }];
  });
  const dynamic = rendered(config, resolving).map((id) => ({ id, idType: idTypeOf(id, ""), name: "" }));
  const byId = new Map([...named, ...dynamic].map((target) => [`${target.idType} ${target.id}`, target]));
  return [...byId.values()];
}

function byMail(address: string): ChatTarget[] {
  return address === "" ? [] : [{ id: address, idType: "email", name: "" }];
}

/** Feishu's ids tell by their first letters what they are; https://open.feishu.cn/document/home/user-identity-introduction */
function idTypeOf(id: string, given: string): ChatTarget["idType"] {
  if (given === "open_id" || given === "user_id" || given === "union_id" || given === "email") return given;
  if (id.includes("@")) return "email";
  if (id.startsWith("ou_")) return "open_id";
  return id.startsWith("on_") ? "union_id" : "user_id";
}

function mailTarget(user: MailUser, { creator }: Resolving): MailTarget[] {
  const name = user.user_name?.trim() ?? "";
  switch (user.type ?? "") {
    case "email":
      return name === "" ? [] : [{ kind: "address", address: name }];
    case "group":
      return [{ kind: "group", groupId: user.group_id ?? "" }];
    case "task_creator":
      return creator.email === ""
        ? [{ kind: "user", userId: creator.id, account: "" }]
        : [{ kind: "address", address: creator.email }];
    default:
      return [{ kind: "user", userId: user.user_id ?? "", account: name }];
  }
}
