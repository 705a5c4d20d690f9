import type * as z from "zod";
import { invokeLater } from "../../../../shared/base/aws/functions/invokeLater.ts";
import { ApiError } from "../../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import { findApprovalApp } from "../../../../shared/integrations/approvals/findApprovalApp.ts";
import type { ReadCallback } from "../../../../shared/integrations/approvals/provider.ts";
import { approvalProviders } from "../../../../shared/integrations/approvals/providers.ts";
import type { VendorType } from "../../../../shared/integrations/approvals/rules/vendorApproval.ts";
import { findInstance, type InstanceOwner } from "../../../../shared/integrations/approvals/store/approvalInstances.ts";
import { CallbackRefused } from "../../../../shared/integrations/approvals/vendorErrors.ts";
import type { approvalCallbackRoutes } from "./approvalCallbackRoutes.ts";

interface Received {
  params: { id: string };
  headers: Readonly<Record<string, string>>;
  query: object;
  bodyText: string;
}

/**
 * Reads a callback, and has the instance that it names looked up: what counts is what the chat service says then, so
 * that callbacks may come twice, late and in any order.
 * @throws ApiError 403 unless an app of these types signed it; the answer does not say which part of it is wrong
 */
async function hear(types: readonly VendorType[], received: Received): Promise<ReadCallback["answer"]> {
  const { headers, bodyText: body } = received;
  const app = await findApprovalApp(received.params.id);
  if (app === undefined || !types.includes(app.type) || app.encryptKey === "")
    throw refused("no such app, or no encrypt_key");
  try {
    const query = received.query as Readonly<Record<string, string>>;
    const { answer, code } = approvalProviders[app.type].parseCallback(app, { headers, query, body });
    const owner = code === undefined ? undefined : await findInstance(app.id, code);
    if (owner !== undefined) await haveLookedUp(owner);
    return answer;
  } catch (error) {
    if (error instanceof CallbackRefused) throw refused(error.message);
    throw error;
  }
}

/** By the function that follows the plan, or the one that follows the approvals of tasks. */
function haveLookedUp(owner: InstanceOwner): Promise<void> {
  if ("planId" in owner) return invokeLater("plan-follower", { planId: owner.planId, look: owner.key });
  return invokeLater("approval-follower", { ...owner, look: true });
}

function refused(internal: string): ApiError {
  return new ApiError(403, "the callback is not signed by a chat app of this installation", { internal });
}

type Envelope = z.input<typeof approvalCallbackRoutes.hearDingtalk.response>;

function objectOf(answer: ReadCallback["answer"]): Record<string, unknown> {
  if (typeof answer === "string") throw new Error("the answer to this callback is an object");
  return { ...answer };
}

export const approvalCallbackHandlers: Handlers<typeof approvalCallbackRoutes> = {
  hearLark: async (input) => objectOf(await hear(["lark", "lark_intl"], input)),
  hearDingtalk: async (input) => objectOf(await hear(["dingtalk"], input)) as Envelope,
  checkWorkwx: async (input) => String(await hear(["workwx"], input)),
  hearWorkwx: async (input) => String(await hear(["workwx"], input)),
};
