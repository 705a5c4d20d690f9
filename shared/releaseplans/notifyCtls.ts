import { readStoredText, storeText } from "../base/aws/objects/objectStore.ts";
import { type SealedSecret, seal, unseal } from "../base/aws/secrets/sealedSecret.ts";
import { badRequest } from "../base/errors/apiError.ts";
import { type NotifyCtl, readNotifyCtls } from "../integrations/notify/rules/notifyCtl.ts";
import { type Tree, treesOf } from "../manifest/tree.ts";
import { mapCredentials, showCredentials } from "../workflows/definition/credentials.ts";
import { maskedValue } from "../workflows/definition/script/keyVal.ts";
import type { PlanNotify } from "./rules/plan.ts";
import { planStatuses } from "./rules/status.ts";

/** The notification settings of a plan as they are kept: what people see of them, and all of them sealed. */
interface KeptCtls {
  shown: Tree[];
  sealed: SealedSecret;
}

const ownerOf = (planId: string) => ({ record: `release-plan:${planId}`, field: "notify_ctls" });

/**
 * The settings that were sent, to be kept. A credential that was sent as it is shown is the one that is stored for its
 * place and its address.
 * @param before what the plan has now
 * @param field where the settings stand in the body
 * @throws ApiError 400 for a shown credential that is not stored
 */
export async function recordNotifyCtls(
  planId: string,
  sent: readonly Tree[],
  before: PlanNotify | null,
  field: string,
): Promise<PlanNotify | null> {
  if (sent.length === 0) return null;
  const known = before === null ? [] : await openSources(planId, before);
  const stored = new Map<string, unknown>();
  mapCredentials({ ctls: known }, ({ location, value }) => {
    stored.set(location, value);
    return value;
  });
  const open = mapCredentials({ ctls: sent }, ({ location, value }) => {
    if (value !== maskedValue) return value;
    if (stored.has(location)) return stored.get(location);
    const problem = `${maskedValue} keeps a stored credential, but none is stored for this place and address; send its value`;
    throw badRequest([{ in: "body", path: field, problem }]);
  });
  const ctls = treesOf(open.ctls);
  if (before !== null && JSON.stringify(ctls) === JSON.stringify(known)) return before;
  const enabled = readNotifyCtls(ctls).filter((ctl) => ctl.enabled);
  const sealed = await seal(JSON.stringify(ctls), ownerOf(planId));
  const kept: KeptCtls = { shown: treesOf(showCredentials({ ctls }).ctls), sealed };
  return {
    statuses: planStatuses.filter((status) => enabled.some(({ notify_type }) => notify_type.includes(status))),
    kept: await storeText(JSON.stringify(kept)),
  };
}

/** With their credentials in place: in memory only. */
export async function openNotifyCtls(planId: string, notify: PlanNotify): Promise<NotifyCtl[]> {
  return readNotifyCtls(await openSources(planId, notify));
}

/** Of one plan for another, which seals its own. */
export async function copyNotifyCtls(
  planId: string,
  notify: PlanNotify | null,
  to: string,
): Promise<PlanNotify | null> {
  return notify === null ? null : recordNotifyCtls(to, await openSources(planId, notify), null, "notify_ctls");
}

/** What people see of them. */
export async function shownNotifyCtls(notify: PlanNotify | null): Promise<Tree[]> {
  return notify === null ? [] : (await read(notify)).shown;
}

async function openSources(planId: string, notify: PlanNotify): Promise<Tree[]> {
  return JSON.parse(await unseal((await read(notify)).sealed, ownerOf(planId)));
}

async function read({ kept }: PlanNotify): Promise<KeptCtls> {
  return JSON.parse(await readStoredText(kept));
}
