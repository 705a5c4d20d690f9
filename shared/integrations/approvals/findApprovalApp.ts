import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { chatApps } from "../store/chatApps.ts";
import { findIntegrationSecret } from "../store/findIntegrationSecret.ts";
import type { ApprovalApp } from "./provider.ts";
import type { VendorType } from "./rules/vendorApproval.ts";

/** Types of the settings' chat apps; `feishu` is older than approvals. */
const approvalTypes: Readonly<Record<string, VendorType>> = {
  ...{ feishu: "lark", lark_intl: "lark_intl", dingtalk: "dingtalk", workwx: "workwx" },
};

/** A chat app of the settings by the id of its record, with its secrets; undefined where none of that id takes approvals. */
export async function findApprovalApp(id: string): Promise<ApprovalApp | undefined> {
  const found = await chatApps.find(id);
  const type = approvalTypes[found?.shown.type ?? ""];
  if (found === undefined || type === undefined) return undefined;
  const fields = ["app_secret", "encrypt_key", "verification_token", "template_id"] as const;
  const [appSecret = "", encryptKey = "", verificationToken = "", templateId = ""] = await Promise.all(
    fields.map((field) => secretOf(id, field)),
  );
  const { appId, address } = found.shown;
  return { id, type, appId, address, appSecret, encryptKey, verificationToken, templateId };
}

async function secretOf(id: string, field: string): Promise<string> {
  const sealed = await findIntegrationSecret(chatApps.kind, id, field);
  return sealed === undefined ? "" : unseal(sealed, { record: `${chatApps.kind}:${id}`, field });
}
