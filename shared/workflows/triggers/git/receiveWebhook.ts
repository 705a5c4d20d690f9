import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { ApiError, badRequest } from "../../../base/errors/apiError.ts";
import type { GitEvent, QuietEvent } from "../../../integrations/rules/codeHosts/gitEvent.ts";
import type { Signing } from "../../../integrations/rules/codeHosts/provider.ts";
import { codeHostProviders, type GitVendor, gitVendors } from "../../../integrations/rules/codeHosts/providers.ts";
import { codeHosts } from "../../../integrations/store/codeHosts.ts";
import { findIntegrationSecret } from "../../../integrations/store/findIntegrationSecret.ts";
import { acceptHookDeliveries } from "../intake/acceptHookDeliveries.ts";
import type { HookDelivery } from "../records/hookDeliveries.ts";
import { triggersOfRepository } from "../records/triggers.ts";
import { gitEventOf } from "./readEvent.ts";
import { verdictOn } from "./verdict.ts";

/** What came in, as it came in. */
interface GitCall {
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}

const webhookOf = (vendor: GitVendor) => codeHostProviders[vendor].webhook;

/** The headers by which calls are known, for sentences. */
const eventHeaders: readonly string[] = gitVendors.map((vendor) => webhookOf(vendor).eventHeader);

/** Who calls; undefined: none of them. Gitea, which comes after GitHub in the list, sends GitHub's header, too. */
export function vendorOf({ headers }: GitCall): GitVendor | undefined {
  return gitVendors.findLast((vendor) => headers[webhookOf(vendor).eventHeader.toLowerCase()] !== undefined);
}

/** The vendor's own id of the delivery; where it has none, a digest of what it sent (decisions 12.10). */
export function deliveryIdOf(vendor: GitVendor, { headers, bytes }: GitCall): string {
  const header = webhookOf(vendor).deliveryHeader?.toLowerCase();
  return (header && headers[header]) || createHash("sha256").update(bytes).digest("hex");
}

/** Whether a sender who knows the secret sent exactly these bytes. */
export function isSignedBy(secret: string, vendor: GitVendor, { headers, bytes }: GitCall): boolean {
  const hmac: Signing["hmac"] = (data, encoding) => createHmac("sha256", secret).update(data).digest(encoding);
  const { signatureHeader, signatures } = webhookOf(vendor);
  const sent = headers[signatureHeader.toLowerCase()];
  return signatures({ secret, headers, bytes, hmac }).some((right) => isSame(sent, right));
}

function isSame(sent: string | undefined, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return sent !== undefined && timingSafeEqual(digest(sent), digest(right));
}

/**
 * What a code host tells of, for the triggers that listen to it; those that it does not start say why, as deliveries that
 * have ended (decisions 19.5).
 * @returns the deliveries of this call, and why none of them starts anything
 * @throws ApiError 400; 401 unless a code host signed it
 */
export async function receiveWebhook(
  call: GitCall,
  body: unknown,
): Promise<{ deliveryId: string; deliveries: readonly HookDelivery[]; problem?: string }> {
  const vendor = vendorOf(call);
  if (vendor === undefined) {
    const problem = `none of ${new Intl.ListFormat("en-GB").format(eventHeaders)} is there`;
    throw badRequest([{ in: "header", path: "", problem }]);
  }
  const { path, address } = codeHostProviders[vendor].webhook.repositoryOf(body);
  const hosts = await signersOf(vendor, address, call);
  const happened = path === "" ? undefined : gitEventOf(vendor, body);
  const listening =
    happened === undefined ? [] : (await Promise.all(hosts.map((id) => triggersOfRepository(id, path)))).flat();
  const triggers = listening.flatMap((trigger) => {
    const verdict = happened === undefined ? "not concerned" : verdictOn(trigger, happened);
    if (verdict === "not concerned") return [];
    return [verdict === "starts" ? trigger : { ...trigger, ignoredFor: verdict.problem }];
  });
  const accepted = await acceptHookDeliveries({
    triggers,
    ...{ event: eventOf(happened), source: `${vendor}#${hosts.join()}`, sourceId: deliveryIdOf(vendor, call) },
    payload: { trigger: happened === undefined || "quiet" in happened ? {} : variablesOf(happened), body },
  });
  const problems = triggers.map((one) => ("ignoredFor" in one ? one.ignoredFor : undefined));
  if (problems.some((problem) => problem === undefined)) return accepted;
  return { ...accepted, problem: problems[0] ?? nobody(happened, path) };
}

function eventOf(happened: GitEvent | QuietEvent | undefined): string {
  return happened?.event ?? "";
}

function nobody(happened: GitEvent | QuietEvent | undefined, path: string): string {
  return happened === undefined ? "this event starts nothing" : `no trigger that this concerns listens to ${path}`;
}

/**
 * Code hosts at that address that sign so: several may be configured for one. A call that is of no repository, such as
 * the first one of an organisation's hook, may be of any. @throws ApiError 401
 */
async function signersOf(vendor: GitVendor, address: string, call: GitCall): Promise<string[]> {
  const host = URL.parse(address)?.host;
  const there = (await codeHosts.list()).filter(
    ({ shown }) =>
      shown.type === vendor && (address === "" || (host !== undefined && URL.parse(shown.address)?.host === host)),
  );
  const signers: string[] = [];
  for (const { id } of there) {
    const field = "webhook_secret";
    const sealed = await findIntegrationSecret("code-host", id, field);
    if (sealed === undefined) continue;
    if (isSignedBy(await unseal(sealed, { record: `code-host:${id}`, field }), vendor, call)) signers.push(id);
  }
  if (signers.length === 0)
    throw new ApiError(401, `no code host of type ${vendor} has the webhook_secret that this is signed with`);
  return signers;
}

/** As jobs name them (contract W 6). */
function variablesOf({
  event,
  branch,
  target,
  tag,
  commit,
  message,
  committer,
  pullRequest,
  fork,
  bringsCommits,
}: GitEvent) {
  return {
    ...{ event, branch, target_branch: target, tag, commit_id: commit, commit_sha: commit, commit_message: message },
    ...{ committer, pr: pullRequest === 0 ? "" : String(pullRequest), fork, new_commits: String(bringsCommits) },
  };
}
