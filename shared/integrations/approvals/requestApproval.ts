import { putSchedule, removeSchedule } from "../../base/aws/schedules/timedEvents.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { ApprovalRequester } from "./approvalRequester.ts";
import { findApprovalApp } from "./findApprovalApp.ts";
import type { ApprovalApp, ApprovalProvider } from "./provider.ts";
import { approvalProviders } from "./providers.ts";
import { type LeftInstance, leaving } from "./rules/openRound.ts";
import { nextLook } from "./rules/vendorApproval.ts";
import { recordInstance } from "./store/approvalInstances.ts";
import { VendorRefused, VendorUnavailable } from "./vendorErrors.ts";

/** A look that comes late is still a look. */
const longestDelaySeconds = 86_400;

/**
 * Opens the instance of a round, and sees to it that it is looked up. May be repeated: the key makes it one instance, and
 * who is at it already is left alone.
 * @returns whether nothing is left to do
 */
export async function openInstance(asker: ApprovalRequester): Promise<boolean> {
  const asked = await asker.read();
  if (asked === undefined) return true;
  const { question, round, key, text, since } = asked;
  if (round.code !== "") {
    await setLook(asker, round.openedAt);
    return true;
  }
  if (!(await asker.change({ what: "opening" }))) return false;
  // Another try may have started and ended between the look above and this claim.
  const tries = (await asker.read())?.round.tries ?? round.tries;
  try {
    const { app, provider } = await connect(question.appId);
    const code = await provider.create(app, {
      ...{ key, text, initiator: question.initiator.id, nodes: question.nodes, since },
      mayExist: tries > 0,
    });
    await recordInstance(question.appId, code, asker.owner);
    await asker.change({ what: "opened", code });
    // The call that let the round go meanwhile did not know the code.
    if ((await asker.read()) === undefined)
      return await takeBack(asker, { ...leaving({ question, round, key, since }), code, busyUntil: 0 });
    await setLook(asker, nowSeconds());
    return true;
  } catch (error) {
    if (error instanceof VendorRefused) {
      await asker.change({ what: "refused", problem: error.message });
      return true;
    }
    if (!(error instanceof VendorUnavailable)) throw error;
    log.warn("approval not opened", { key, internal: error.message });
    await asker.change({ what: "delayed", problem: error.message });
    return false;
  }
}

/**
 * Takes an instance back. May be repeated. An instance that was being opened when it was let go may appear a moment
 * later, and the process that opens it may die before taking it back: this is tried again until no process can be
 * opening it.
 * @returns whether nothing is left to do
 */
export async function takeBack(
  { noteStaying }: Pick<ApprovalRequester, "noteStaying">,
  { appId, busyUntil, ...instance }: LeftInstance,
): Promise<boolean> {
  const mayCome = instance.code === "" && busyUntil > nowSeconds();
  try {
    const { app, provider } = await connect(appId);
    await provider.revoke(app, instance);
    return !mayCome;
  } catch (error) {
    if (error instanceof VendorRefused) {
      // Asking again would not help; people still see it there, and what they say there changes nothing.
      await noteStaying(error.message);
      return true;
    }
    if (!(error instanceof VendorUnavailable)) throw error;
    log.warn("approval not taken back yet", { key: instance.key, internal: error.message });
    return false;
  }
}

/** Asks the chat service for the state of a round's instance, and reports it to the round. May be repeated. */
export async function lookAtInstance(asker: ApprovalRequester): Promise<void> {
  const asked = await asker.read();
  if (asked === undefined || asked.round.code === "") return;
  const { question, round, key } = asked;
  const next = await setLook(asker, round.openedAt);
  try {
    const { app, provider } = await connect(question.appId);
    const state = await provider.read(app, round.code);
    await asker.change({ what: "heard", state });
    if (state.status !== "open") await removeSchedule(next);
  } catch (error) {
    if (!(error instanceof VendorRefused || error instanceof VendorUnavailable)) throw error;
    log.warn("approval not looked up", { key, internal: error.message });
  }
}

/** Schedules a look in case no callback has come by then. @returns the name of the schedule */
async function setLook({ look: { target, event, name } }: ApprovalRequester, openedAt: number): Promise<string> {
  const { number, at } = nextLook(openedAt, nowSeconds());
  await putSchedule({
    ...{ name: `${name}-${number}`, timeZone: "UTC", target, event, longestDelaySeconds },
    expression: `at(${new Date(at * 1000).toISOString().slice(0, 19)})`,
  });
  return `${name}-${number}`;
}

async function connect(appId: string): Promise<{ app: ApprovalApp; provider: ApprovalProvider }> {
  const app = await findApprovalApp(appId);
  if (app === undefined)
    throw new VendorRefused(`there is no chat app ${appId} that takes approvals; add one at /api/aslan/system/im-apps`);
  return { app, provider: approvalProviders[app.type] };
}
