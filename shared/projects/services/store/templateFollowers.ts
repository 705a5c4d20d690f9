import { mustBeOneOf, mustHaveVersion } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { dues, type Key, keys, padded, type ServiceKind } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { ConditionFailed } from "../../../base/store/tableClient.ts";
import { overwrite, remove, type Write } from "../../../base/store/writes.ts";
import type { ServiceRecord } from "./services.ts";

/**
 * A service that was made to follow a template. It stays when the service is deleted or made again by hand, so what
 * exists under the name decides; `revision` is the one that it was made with.
 */
export interface TemplateFollower {
  templateId: string;
  projectKey: string;
  kind: ServiceKind;
  name: string;
  revision: number;
}

const ofCharts = "chart:";
/** Longer than any request takes: until then the request that made a change syncs by itself. */
const requestSeconds = 30;

/** What a chart template, which has no id but its name, is called among those that services follow. */
export const chartTemplateId = (name: string): string => `${ofCharts}${name}`;

/** The name of a chart template; undefined for the id of a YAML template. */
export function chartTemplateName(templateId: string): string | undefined {
  return templateId.startsWith(ofCharts) ? templateId.slice(ofCharts.length) : undefined;
}

function templateKey(templateId: string): Key {
  const name = chartTemplateName(templateId);
  return name === undefined ? keys.yamlTemplate(templateId) : keys.chartTemplate(name);
}

/** What a changed template is stored with: services that follow it may be at an older version. */
export function dueSync(templateId: string): { duePk: string; dueSk: string } {
  return { duePk: dues.templateSyncs, dueSk: `${padded(nowSeconds() + requestSeconds)}#${templateId}` };
}

/** Unix seconds from which services at an older version are no longer left to the last request. */
export function syncDueAt({ dueSk }: { dueSk?: string }): number | undefined {
  return dueSk === undefined ? undefined : Number(dueSk.slice(0, dueSk.indexOf("#")));
}

/** Templates with services that may be at an older version, longest due first: what a reconciler looks at. */
export async function dueTemplateSyncs(): Promise<string[]> {
  const items = await table().query<{ dueSk: string }>({ index: "due", pk: dues.templateSyncs });
  return items.map(({ dueSk }) => dueSk.slice(dueSk.indexOf("#") + 1));
}

/** Every service that follows is at this version; nothing happens when the template changed meanwhile. */
export function templateIsSynced({ templateId, version }: { templateId: string; version: number }): Write {
  const changes = { unset: ["duePk", "dueSk"] };
  return { kind: "update", key: templateKey(templateId), changes, condition: mustHaveVersion(version) };
}

/** All of a template's followers, those made in this moment included. */
export function findFollowers(templateId: string): Promise<TemplateFollower[]> {
  const { pk } = templateKey(templateId);
  return table().query<TemplateFollower>({ pk, prefix: "follower#" });
}

/**
 * What comes with a new service that follows its template: the template must still be the one that it was made from,
 * so that every service either exists before a change, and is synced, or is made from what the change left.
 */
export function followTemplate({ projectKey, kind, name, revision, template }: ServiceRecord): Write[] {
  if (!template?.autoSync) return [];
  const { id: templateId, version } = template;
  const key = templateKey(templateId);
  const follower: TemplateFollower = { templateId, projectKey, kind, name, revision };
  return [
    overwrite({ ...follower, ...keys.templateFollower(key, projectKey, kind, name), type: "template-follower" }),
    {
      kind: "update",
      key,
      changes: { add: { follows: 1 } },
      condition: mustHaveVersion(version),
    },
  ];
}

/** A follower that no longer is one; nothing happens when a service was made to follow under its name meanwhile. */
export async function removeFollower(follower: TemplateFollower): Promise<void> {
  const { templateId, projectKey, kind, name, revision } = follower;
  try {
    const key = keys.templateFollower(templateKey(templateId), projectKey, kind, name);
    await table().write(remove(key, mustBeOneOf("revision", [revision])));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
