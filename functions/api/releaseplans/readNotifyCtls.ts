import * as z from "zod";
import { readValue } from "../../../shared/base/common/readValue.ts";
import { badRequest } from "../../../shared/base/errors/apiError.ts";
import { messageAddressProblems } from "../../../shared/integrations/notify/messageAddresses.ts";
import { notifyCtl } from "../../../shared/integrations/notify/rules/notifyCtl.ts";
import type { Tree } from "../../../shared/manifest/tree.ts";
import { recordNotifyCtls } from "../../../shared/releaseplans/notifyCtls.ts";
import type { PlanNotify } from "../../../shared/releaseplans/rules/plan.ts";
import { planStatuses } from "../../../shared/releaseplans/rules/status.ts";

/** The settings of workflows, which fire for statuses of a plan. */
const planCtls = z.array(
  notifyCtl.superRefine((ctl, context) => {
    for (const { path, problem } of messageAddressProblems(ctl))
      context.addIssue({ code: "custom", path, message: problem });
    const { notify_type } = ctl;
    const known: readonly string[] = planStatuses;
    for (const [at, type] of notify_type.entries())
      if (!known.includes(type))
        context.addIssue({
          code: "custom",
          path: ["notify_type", at],
          message: `must be one of ${planStatuses.join(", ")}`,
        });
  }),
);

/**
 * Who is to be told of a plan, as it is kept.
 * @param before what the plan has now: credentials that are sent as they are shown stay
 * @param field where the settings stand in the body
 * @throws ApiError 400 naming what is wrong
 */
export async function readNotifyCtls(
  planId: string,
  sent: readonly Tree[] | null | undefined,
  before: PlanNotify | null,
  field: string,
): Promise<PlanNotify | null> {
  const ctls = sent ?? [];
  const read = readValue(planCtls, ctls);
  if (read.refused === undefined) return recordNotifyCtls(planId, ctls, before, field);
  const inBody = read.refused.map(({ path, message }) => {
    const place = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    return { in: "body" as const, path: `${field}${place}`, problem: message };
  });
  throw badRequest(inBody);
}
