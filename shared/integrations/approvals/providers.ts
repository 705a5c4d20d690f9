import type { ApprovalProvider } from "./provider.ts";
import type { VendorType } from "./rules/vendorApproval.ts";
import { dingtalk } from "./vendors/dingtalk.ts";
import { lark } from "./vendors/lark.ts";
import { workwx } from "./vendors/workwx.ts";

/** Who asks, by the type of the approval. */
export const approvalProviders: Readonly<Record<VendorType, ApprovalProvider>> = {
  lark,
  lark_intl: lark,
  dingtalk,
  workwx,
};
