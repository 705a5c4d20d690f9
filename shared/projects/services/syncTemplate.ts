import { mapBounded } from "../../base/common/mapBounded.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { contentFollowing, type MadeContent } from "./contentFromTemplate.ts";
import { contentFollowingChart } from "./createChartService.ts";
import { isSameContent } from "./prepareService.ts";
import { findChartTemplate } from "./store/chartTemplates.ts";
import { addRevision, changeRevision } from "./store/serviceRevisions.ts";
import { findService, type VersionedService } from "./store/services.ts";
import {
  chartTemplateName,
  findFollowers,
  removeFollower,
  syncDueAt,
  type TemplateFollower,
  templateIsSynced,
} from "./store/templateFollowers.ts";
import { findTemplate, type VersionedTemplate } from "./store/yamlTemplates.ts";

/** What became of the services that follow a template. */
export interface SyncOutcome {
  /** How many have a new revision. */
  updated: number;
  /** What the new text cannot be made for; they stay as they were until template or service changes. */
  failed: { follower: TemplateFollower; reason: string }[];
  /** How many are still to come: the reconciler goes on with them. */
  pending: number;
}

/** A template that services follow, of either sort. */
export interface FollowedTemplate {
  templateId: string;
  version: number;
  updatedBy: string;
  dueAt: number | undefined;
  /** @throws ApiError where the service cannot be made of it */
  contentFor(service: VersionedService): Promise<MadeContent>;
  /** How many services are brought up at the same time. */
  atOnce: number;
}

type One = { is: "updated" | "unchanged" | "pending" } | { is: "failed"; follower: TemplateFollower; reason: string };

/** A request is answered within 29 seconds and works alone until then; the rest is the reconciler's. */
const requestSeconds = 20;
const reconcilerSeconds = 60;
const yamlAtOnce = 8;
/** For each of them Helm runs once. */
const chartsAtOnce = 4;
const maxAttempts = 5;

async function findFollowed(templateId: string): Promise<FollowedTemplate | undefined> {
  const chartName = chartTemplateName(templateId);
  if (chartName === undefined) {
    const found = await findTemplate(templateId);
    return found && followedYaml(found);
  }
  const found = await findChartTemplate(chartName);
  return (
    found && {
      ...{ templateId, version: found.version, updatedBy: found.updatedBy, dueAt: syncDueAt(found) },
      contentFor: (service) => contentFollowingChart(found, service),
      atOnce: chartsAtOnce,
    }
  );
}

export function followedYaml(template: VersionedTemplate): FollowedTemplate {
  return { ...template, contentFor: async (service) => contentFollowing(template, service), atOnce: yamlAtOnce };
}

/** Brings every service that follows a template to its newest version (contract P 19), as far as a request has time. */
export async function syncTemplate(templateId: string): Promise<SyncOutcome> {
  const [template, followers] = await Promise.all([findFollowed(templateId), findFollowers(templateId)]);
  if (template === undefined) return { updated: 0, failed: [], pending: 0 };
  if (followers.length > 0) await wakeReconciler(templateId);
  return syncFollowers(template, followers, requestSeconds);
}

/** Goes on with a sync that ran out of time or was left behind by a crash; may be repeated. */
export async function continueSync(templateId: string): Promise<void> {
  const template = await findFollowed(templateId);
  if (template?.dueAt === undefined || template.dueAt > nowSeconds()) return;
  const outcome = await syncFollowers(template, await findFollowers(templateId), reconcilerSeconds);
  log.info("template synced", { templateId, ...outcome, failed: outcome.failed.length });
}

/** Each service is a transaction of its own; none stops the others. */
export async function syncFollowers(
  template: FollowedTemplate,
  followers: readonly TemplateFollower[],
  seconds: number,
): Promise<SyncOutcome> {
  const endsAt = Date.now() + seconds * 1000;
  const results = await mapBounded(followers, template.atOnce, async (follower): Promise<One> => {
    return Date.now() < endsAt ? syncOne(template, follower) : { is: "pending" };
  });
  const count = (wanted: One["is"]): number => results.filter(({ is }) => is === wanted).length;
  const failed = results.flatMap((one) => (one.is === "failed" ? [one] : []));
  const outcome = { updated: count("updated"), failed, pending: count("pending") };
  if (outcome.pending === 0) await noteSynced(template);
  return outcome;
}

async function syncOne(template: FollowedTemplate, follower: TemplateFollower): Promise<One> {
  const { projectKey, kind, name } = follower;
  for (let attempt = 1; ; attempt++) {
    try {
      const service = await findService(projectKey, kind, name);
      if (!follows(service, template.templateId)) await removeFollower(follower);
      // At this version it was synced before; at a later one, this sync came late.
      else if (service.template.version < template.version) return await bringUp(template, service);
      return { is: "unchanged" };
    } catch (error) {
      if (error instanceof ApiError) return { is: "failed", follower, reason: error.description };
      if (error instanceof ConditionFailed && attempt < maxAttempts) continue;
      log.warn("service not synced; it stays due", { projectKey, kind, service: name, internal: String(error) });
      return { is: "pending" };
    }
  }
}

/** Whether a service that was found follows the template. */
export function follows(
  service: VersionedService | undefined,
  templateId: string,
): service is VersionedService & Required<Pick<VersionedService, "template">> {
  return service?.template?.id === templateId && service.template.autoSync;
}

async function bringUp(template: FollowedTemplate, service: VersionedService): Promise<One> {
  const content = await template.contentFor(service);
  const after = { ...service, ...content };
  if (isSameContent(service, content) && service.chart?.digest === content.chart?.digest) {
    await changeRevision(service, after);
    return { is: "unchanged" };
  }
  const revision = { revision: service.revision + 1, createdBy: template.updatedBy, createdAt: nowSeconds() };
  await addRevision(service, { ...after, ...revision });
  return { is: "updated" };
}

async function noteSynced(template: FollowedTemplate): Promise<void> {
  try {
    await table().write(templateIsSynced(template));
  } catch (error) {
    // Another change came meanwhile and is due itself.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** What is due stays due: without the reconciler only a crash would lose time. */
async function wakeReconciler(templateId: string): Promise<void> {
  try {
    await enableReconciler();
  } catch (error) {
    log.warn("reconciler not enabled", { templateId, internal: String(error) });
  }
}
