import { unseal } from "../../aws/secrets/sealedSecret.ts";
import { ApiError, badRequest } from "../../errors/apiError.ts";
import { codeHosts } from "../../integrations/store/codeHosts.ts";
import { findIntegrationSecret } from "../../integrations/store/findIntegrationSecret.ts";
import { accept } from "../intake/accept.ts";
import type { HookDelivery } from "../records/hookDeliveries.ts";
import { triggersOfRepository } from "../records/triggers.ts";
import { deafness } from "./deafness.ts";
import { type GitEvent, type GitVendor, gitEventOf, repositoryOf } from "./gitEvent.ts";
import { deliveryIdOf, type GitCall, isSignedBy, vendorOf } from "./signedBy.ts";

/** What a code host tells of, for the triggers that listen to it. @throws ApiError 400; 401 unless a code host signed it */
export async function hearCodeHost(
  call: GitCall,
  body: unknown,
): Promise<{ deliveryId: string; deliveries: readonly HookDelivery[] }> {
  const vendor = vendorOf(call);
  if (vendor === undefined) {
    const problem = "none of X-GitHub-Event, X-Gitlab-Event, X-Gitea-Event and X-Gitee-Event is there";
    throw badRequest([{ in: "header", path: "", problem }]);
  }
  const { path, address } = repositoryOf(vendor, body);
  const hosts = await signersOf(vendor, address, call);
  const event = gitEventOf(vendor, body);
  const listening = event === undefined ? [] : await Promise.all(hosts.map((id) => triggersOfRepository(id, path)));
  return accept({
    triggers: listening.flat().filter((one) => event !== undefined && deafness(one, event) === undefined),
    ...{ event: event?.event ?? "", source: `${vendor}#${hosts.join()}`, sourceId: deliveryIdOf(vendor, call) },
    payload: { trigger: event === undefined ? {} : variablesOf(event), body },
  });
}

/** Code hosts at that address that sign so: several may stand for one. @throws ApiError 401 */
async function signersOf(vendor: GitVendor, address: string, call: GitCall): Promise<string[]> {
  const host = URL.parse(address)?.host;
  const there = (await codeHosts.list()).filter(
    ({ shown }) => shown.type === vendor && host !== undefined && URL.parse(shown.address)?.host === host,
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
function variablesOf({ event, branch, target, tag, commit, message, committer, pullRequest }: GitEvent) {
  return {
    ...{ event, branch, target_branch: target, tag, commit_id: commit, commit_sha: commit, commit_message: message },
    ...{ committer, pr: pullRequest === 0 ? "" : String(pullRequest) },
  };
}
