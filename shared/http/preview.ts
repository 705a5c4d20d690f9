import * as z from "zod";
import type { Problem } from "../base/errors/apiError.ts";
import type { ObjectPreview } from "../kube/preview/objectPreview.ts";
import type { ManifestWarning } from "../manifest/manifestWarning.ts";
import type { FreezeInWindow } from "../projects/freezes/rules/windows.ts";
import { shownFreeze } from "../projects/freezes/words.ts";
import type { Exchange } from "./exchange.ts";
import type { Route } from "./route.ts";
import { queryBoolean, unixSeconds, warning } from "./schemas.ts";

export const heldFreeze = z.object({
  ...{ id: z.string(), name: z.string(), reason: z.string(), start_time: unixSeconds, end_time: unixSeconds },
});

/** What would become of one object. */
export const previewedObject = z.object({
  service_name: z.string(),
  kind: z.string(),
  name: z.string(),
  action: z.enum(["create", "change", "delete", "unchanged"]),
  diff: z.string().meta({ description: "Unified diff; values of Secrets are masked" }),
  note: z
    .string()
    .optional()
    .meta({ description: "Why it is kept although it would otherwise be removed, or what of it is kept" }),
  foreign_objects: z.int().optional().meta({
    description: "Objects of others that go with a definition of their kind, or would; 501: more than 500",
  }),
});

/** The answer to `dryRun=true` (decisions 6.7). */
export const previewReport = z
  .object({
    dry_run: z.literal(true),
    frozen: heldFreeze.optional().meta({ description: "The freeze that would refuse this now" }),
    objects: z.array(previewedObject),
    warnings: z
      .array(warning)
      .optional()
      .meta({ description: "Of a definition: what the change itself would warn of" }),
  })
  .meta({ id: "PreviewReport" });

/** What a preview found: objects, and of a definition what of its text is taken although it is not in order. */
export type Previewed =
  | readonly ObjectPreview[]
  | { objects: readonly ObjectPreview[]; warnings: readonly ManifestWarning[] };

/** What one answer carries; no one reads more differences than this. */
const maxDiffCharacters = 4_000_000;

/** Shows objects of one answer, whose differences are left out when they would make it too long. */
export function shownObjects(): (objects: readonly ObjectPreview[]) => z.input<typeof previewedObject>[] {
  let left = maxDiffCharacters;
  return (objects) =>
    objects.map(({ serviceName, diff, foreign = 0, ...object }) => {
      left -= diff.length;
      return {
        ...{ service_name: serviceName, ...object },
        diff: left >= 0 ? diff : "(left out: the answer is too long)\n",
        ...(foreign > 0 && { foreign_objects: foreign }),
      };
    });
}

export function toPreviewReport(previewed: Previewed, heldBy?: FreezeInWindow): z.input<typeof previewReport> {
  const { objects, warnings } = "objects" in previewed ? previewed : { objects: previewed, warnings: [] };
  return {
    dry_run: true,
    ...(heldBy !== undefined && { frozen: shownFreeze(heldBy) }),
    objects: shownObjects()(objects),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

export const previewQuery = queryBoolean
  .optional()
  .meta({ description: "true: nothing is written, the answer tells what would be" });

/** Declares that a mutation can be previewed; its group then has to say how. */
export function previewable<R extends Route>(route: R): R & { preview: true } {
  return { ...route, preview: true };
}

/** Whether the request asks for a preview. A value that is no boolean counts as asking: it is refused later. */
export function asksForPreview({ query, route }: Exchange): boolean {
  if (route === undefined || route.method === "GET" || route.reads || query.dryRun === undefined) return false;
  return queryBoolean.safeParse(query.dryRun).data !== false;
}

/** A request for a preview must never make the change itself: what prevents the preview is a problem of the request. */
export function previewProblems(exchange: Exchange): Problem[] {
  if (!asksForPreview(exchange)) return [];
  const problem = (text: string): Problem[] => [{ in: "query", path: "dryRun", problem: text }];
  if (!queryBoolean.safeParse(exchange.query.dryRun).success) return problem("must be true or false");
  return exchange.route?.preview === true ? [] : problem("this change cannot be previewed; nothing was done");
}
