import { keys, type ServiceKind } from "../../store/keys.ts";
import { ConditionFailed } from "../../store/table.ts";
import { table } from "../../store/theTable.ts";
import { mustBeOneOf, mustHaveVersion, overwrite, remove, type Write } from "../../store/writes.ts";
import type { ServiceRecord } from "./services.ts";

/**
 * A service that was made to follow a template. It stays when the service is deleted or made again by hand, so what
 * stands under the name decides; `revision` is the one that it was made with.
 */
export interface TemplateFollower {
  templateId: string;
  projectKey: string;
  kind: ServiceKind;
  name: string;
  revision: number;
}

/** All of a template's followers, those made in this moment included. */
export function findFollowers(templateId: string): Promise<TemplateFollower[]> {
  const { pk } = keys.yamlTemplate(templateId);
  return table().query<TemplateFollower>({ pk, prefix: "follower#" });
}

/**
 * What comes with a new service that follows its template: the template must still be the one that it was made from,
 * so that every service either stands before a change, and is synced, or is made from what the change left.
 */
export function followTemplate({ projectKey, kind, name, revision, template }: ServiceRecord): Write[] {
  if (!template?.autoSync) return [];
  const { id: templateId, version } = template;
  const follower: TemplateFollower = { templateId, projectKey, kind, name, revision };
  return [
    overwrite({ ...follower, ...keys.templateFollower(templateId, projectKey, kind, name), type: "template-follower" }),
    {
      kind: "update",
      key: keys.yamlTemplate(templateId),
      changes: { add: { follows: 1 } },
      condition: mustHaveVersion(version),
    },
  ];
}

/** A follower that is none any more; nothing happens when a service was made to follow under its name meanwhile. */
export async function forgetFollower(follower: TemplateFollower): Promise<void> {
  const { templateId, projectKey, kind, name, revision } = follower;
  try {
    const key = keys.templateFollower(templateId, projectKey, kind, name);
    await table().write(remove(key, mustBeOneOf("revision", [revision])));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
