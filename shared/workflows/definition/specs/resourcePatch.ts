import * as z from "zod";
import { listOf, text } from "../wireFields.ts";

const strategies = ["strategic-merge", "merge", "json"] as const;

/** Spec of `k8s-resource-patch`. */
export const resourcePatch = z.looseObject({
  namespace: text,
  cluster_id: text,
  patch_items: listOf(
    z.looseObject({
      resource_name: z.string("must be a text").min(1, "resource_name cannot be empty"),
      resource_kind: z.string("must be a text").min(1, "resource_kind cannot be empty"),
      resource_group: text,
      resource_version: text,
      patch_content: text,
      patch_strategy: z.enum(["", ...strategies], `must be one of ${strategies.join(", ")}`).nullish(),
      params: listOf(z.looseObject({ name: text })),
    }),
  ),
});
