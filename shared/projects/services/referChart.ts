import { mapBounded } from "../../base/common/mapBounded.ts";
import { unifiedDiff } from "../../base/common/unifiedDiff.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { MadeContent } from "./contentFromTemplate.ts";
import { contentFollowingChart } from "./createChartService.ts";
import { isSameContent } from "./prepareService.ts";
import type { VersionedChartTemplate } from "./store/chartTemplates.ts";
import { addRevision } from "./store/serviceRevisions.ts";
import { findService, type VersionedService } from "./store/services.ts";
import type { TemplateFollower } from "./store/templateFollowers.ts";
import type { SyncOutcome } from "./syncTemplate.ts";

/** A service by where it is. */
export type ReferredService = Pick<TemplateFollower, "projectKey" | "kind" | "name">;

/** For each of them Helm runs once. */
const atOnce = 4;
/** A request is answered within 29 seconds. */
const requestSeconds = 20;

/**
 * Brings services that were made from a chart template to its chart, also those that do not follow it: each gets a new
 * revision where something differs. Repeating it changes nothing.
 * @returns how many have a new revision, which could not be made and why; `pending` are those that time did not suffice for
 */
export async function referChart(
  template: VersionedChartTemplate,
  services: readonly ReferredService[],
  by: string,
): Promise<SyncOutcome> {
  const endsAt = Date.now() + requestSeconds * 1000;
  const results = await mapBounded(services, atOnce, async (one) => {
    if (Date.now() >= endsAt) return { is: "pending" } as const;
    return failing(one, () => retryOnConflict(() => refer(template, one, by)));
  });
  const failed = results.flatMap((one) => {
    if (typeof one !== "object" || !("reason" in one)) return [];
    return [{ follower: { ...one.service, templateId: template.name, revision: 0 }, reason: one.reason }];
  });
  const pending = results.filter((one) => typeof one === "object" && "is" in one).length;
  return { updated: results.filter((one) => one === true).length, failed, pending };
}

/** What `referChart` would change of each service: its chart and its values; why it cannot is in the note. */
export function previewReference(
  template: VersionedChartTemplate,
  services: readonly ReferredService[],
): Promise<ObjectPreview[]> {
  return mapBounded(services, atOnce, async (one): Promise<ObjectPreview> => {
    const shown = { serviceName: one.name, kind: "Chart", name: `${one.projectKey}/${one.name}` };
    const found = await failing(one, () => contentOf(template, one));
    if ("reason" in found) return { ...shown, action: "unchanged", diff: "", note: found.reason };
    const diff = unifiedDiff(textOf(found.service), textOf(found.content), {
      before: `current/${one.name}`,
      after: `next/${one.name}`,
    });
    return { ...shown, action: diff === "" ? "unchanged" : "change", diff };
  });
}

/** @returns whether it has a new revision */
async function refer(template: VersionedChartTemplate, one: ReferredService, by: string): Promise<boolean> {
  const { service, content } = await contentOf(template, one);
  if (textOf(service) === textOf(content) && isSameContent(service, content)) return false;
  const revision = { revision: service.revision + 1, createdBy: by, createdAt: nowSeconds() };
  await addRevision(service, { ...service, ...content, ...revision });
  return true;
}

/** @throws ApiError for a service that is not there, was not made from the template, or that its chart does not fit */
async function contentOf(
  template: VersionedChartTemplate,
  { projectKey, kind, name }: ReferredService,
): Promise<{ service: VersionedService; content: MadeContent }> {
  const service = await findService(projectKey, kind, name);
  if (service?.chart?.template?.name !== template.name)
    throw new ApiError(
      404,
      `${kind} service ${name} of project ${projectKey} was not made from chart template ${template.name}`,
    );
  return { service, content: await contentFollowingChart(template, service) };
}

/** A reason that is the caller's to mend does not stop the others. */
async function failing<T>(
  service: ReferredService,
  work: () => Promise<T>,
): Promise<T | { service: ReferredService; reason: string }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { service, reason: error.description };
  }
}

/** Chart and values, as a preview compares them. */
function textOf({ chart, yaml }: Pick<MadeContent, "chart" | "yaml">): string {
  return `chart: ${chart?.name} ${chart?.version}\ndigest: ${chart?.digest}\nvalues:\n${yaml.replaceAll(/^(?=.)/gm, "  ")}`;
}
