import * as z from "zod";
import { optionsOf } from "../../definition/definitionOptions.ts";
import type { JobKind } from "../../definition/jobKind.ts";
import { listOf, requiredText, text } from "../../definition/wireFields.ts";

const strategies = ["strategic-merge", "merge", "json"] as const;

const items = listOf(
  z.looseObject({
    resource_name: requiredText.min(1, "resource_name cannot be empty"),
    resource_kind: requiredText.min(1, "resource_kind cannot be empty"),
    resource_group: text,
    resource_version: text,
    patch_content: text,
    patch_strategy: z.enum(["", ...strategies], `must be one of ${strategies.join(", ")}`).nullish(),
    params: listOf(z.looseObject({ name: text })),
  }),
);

/** What tells the items of a patch apart. */
const identity = ["resource_group", "resource_kind", "resource_name", "patch_content"];

/** Objects of a namespace are patched. */
export const kind = {
  type: "k8s-resource-patch",
  words: ["Resource Patch", "更新资源"],
  schema: z.looseObject({ namespace: text, cluster_id: text, patch_items: items, patch_item_options: items }),
  options: (spec) => ({
    ...spec,
    patch_item_options: optionsOf(spec, "patch_item_options", "patch_items", identity),
  }),
  namesNamespace: true,
  previews: true,
} as const satisfies JobKind;
