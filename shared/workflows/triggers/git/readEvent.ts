import type { GitEvent, QuietEvent } from "../../../integrations/rules/codeHosts/gitEvent.ts";
import { codeHostProviders, type GitVendor } from "../../../integrations/rules/codeHosts/providers.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";

/** @returns undefined for what is no push, tag or pull request: a ping, a comment, a review */
export function gitEventOf(vendor: GitVendor, body: unknown): GitEvent | QuietEvent | undefined {
  if (!isRecord(body) || isRecord(body.comment) || isRecord(body.review)) return undefined;
  return codeHostProviders[vendor].webhook.parseEvent(body);
}
