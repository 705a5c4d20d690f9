import * as z from "zod";
import type { VersionHook } from "../../../shared/delivery/store/versionHooks.ts";
import { hookAddress } from "../../../shared/http/fields.ts";
import { isObject } from "../../../shared/http/schemas.ts";

export const deliveryHook = z
  .object({ enable: z.boolean(), hook_host: z.string(), path: z.string() })
  .meta({ id: "DeliveryHook" });

const path = z
  .string("path must be a text")
  .max(1024, "must have at most 1024 characters")
  .regex(/^[^\s\\#]*$/, "must be the path of an address: no white space, backslash or #");

/** What is absent is empty: the setting is replaced as a whole. */
export const newDeliveryHook = z
  .object({
    enable: z.boolean("enable must be true or false"),
    hook_host: z.union([z.literal(""), hookAddress("hook_host")]).default(""),
    path: path.default(""),
  })
  .superRefine(
    ({ enable, hook_host }, context) => {
      if (enable === true && hook_host === "")
        context.addIssue({ code: "custom", path: ["hook_host"], message: "is required when enable is true" });
    },
    { when: isObject },
  );

export function toVersionHook({ enable, hook_host, path }: z.output<typeof newDeliveryHook>): VersionHook {
  return { enabled: enable, host: hook_host, path };
}

export function shownHook({ enabled, host, path }: VersionHook): z.input<typeof deliveryHook> {
  return { enable: enabled, hook_host: host, path };
}
