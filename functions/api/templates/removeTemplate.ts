import { mapBounded } from "../../../shared/base/common/mapBounded.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { findService } from "../../../shared/projects/services/store/services.ts";
import { findFollowers, removeFollower } from "../../../shared/projects/services/store/templateFollowers.ts";
import * as store from "../../../shared/projects/services/store/yamlTemplates.ts";
import { follows } from "../../../shared/projects/services/syncTemplate.ts";

const maxNamed = 5;
const atOnce = 8;

/**
 * Deletes a template; one that is gone already is no error (decisions 1.1). Services that do not follow it stay.
 * @throws ApiError 6044 while a service follows it
 */
export function removeTemplate(templateId: string): Promise<void> {
  return retryOnConflict(async () => {
    const template = await store.findTemplate(templateId);
    if (template === undefined) return;
    await refuseFollowed(templateId);
    await store.removeTemplate(template);
  });
}

/** @throws ApiError 6044 while a service follows a template of either sort */
export async function refuseFollowed(templateId: string): Promise<void> {
  const users = await servicesFollowing(templateId);
  if (users.length > 0)
    throw new ApiError(6044, `services with auto_sync use the template: ${users.join(", ")}; delete them first`);
}

/** Some of the services that follow; followers that turn out to be none are forgotten on the way. */
async function servicesFollowing(templateId: string): Promise<string[]> {
  const followers = await findFollowers(templateId);
  const users: string[] = [];
  await mapBounded(followers, atOnce, async (follower) => {
    if (users.length >= maxNamed) return;
    const { projectKey, kind, name } = follower;
    if (follows(await findService(projectKey, kind, name), templateId))
      users.push(`${kind} service ${name} of project ${projectKey}`);
    else await removeFollower(follower);
  });
  return users.slice(0, maxNamed).sort();
}
