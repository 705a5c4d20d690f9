import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { chatApps } from "../store/chatApps.ts";
import { findIntegrationSecret } from "../store/findIntegrationSecret.ts";
import type { IntegrationKind } from "../store/integrationStore.ts";
import { mailHostId, mailHosts } from "../store/mailHosts.ts";
import { systemHookId, systemHooks } from "../store/systemHooks.ts";
import type { FeishuApp } from "./client/feishuApp.ts";
import { undeliverable } from "./client/notDelivered.ts";
import type { MailServer } from "./client/sendMail.ts";
import type { Addressed } from "./rules/channels/channel.ts";

/** The server that mails go through. @throws NotDelivered when none is set */
export async function mailServer(): Promise<MailServer> {
  const found = await mailHosts.find(mailHostId);
  if (found === undefined) throw undeliverable("no mail host is set; set one at /api/aslan/system/email/host");
  const { name: host, port, isTls, username, from } = found.shown;
  const password = await secretOf("mail-host", mailHostId, "password");
  return { host, port, isTls, username, password, from };
}

/** The app of an id: that of its record, or the one that the chat service gave. @throws NotDelivered when there is none */
export async function feishuAppOf(appId: string): Promise<FeishuApp> {
  const apps = (await chatApps.list()).filter(({ shown }) => shown.type === "feishu");
  const found = apps.find(({ id, shown }) => id === appId || shown.appId === appId);
  if (found === undefined)
    throw undeliverable(`there is no chat app ${appId} of type feishu; add it at /api/aslan/system/im-apps`);
  const appSecret = await secretOf("im-app", found.id, "app_secret");
  return { appId: found.shown.appId, appSecret, address: found.shown.address };
}

/** Where the system-wide hook is now. @throws NotDelivered when it was switched off meanwhile */
export async function systemHookSecrets(): Promise<Addressed["secrets"]> {
  const found = await systemHooks.find(systemHookId);
  if (found === undefined || !found.shown.enabled) throw undeliverable("the system-wide hook was switched off");
  const secret = await secretOf("system-hook", systemHookId, "secret");
  return { address: found.shown.address, token: secret, signingKey: secret };
}

/** A secret of a setting as it is now; empty when there is none. */
export async function secretOf(kind: IntegrationKind, id: string, field: string): Promise<string> {
  const sealed = await findIntegrationSecret(kind, id, field);
  return sealed === undefined ? "" : unseal(sealed, { record: `${kind}:${id}`, field });
}
