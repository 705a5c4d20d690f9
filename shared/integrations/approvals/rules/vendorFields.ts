import type { VendorType } from "./vendorApproval.ts";

/** Where an approval on the wire says what a chat service is asked. */
export const vendorFields = {
  lark: "lark_approval",
  lark_intl: "lark_approval",
  dingtalk: "dingtalk_approval",
  workwx: "workwx_approval",
} as const satisfies Readonly<Record<VendorType, string>>;
