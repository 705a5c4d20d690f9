import { Followed } from "../../functions/api/events/followed.ts";
import { ServicesNews } from "../../functions/api/events/servicesNews.ts";
import { followServices } from "../../shared/environments/followServices.ts";
import { findEnvironment } from "../../shared/environments/store/environments.ts";
import { callerNow } from "../../shared/identity/session/callerNow.ts";
import type { FollowServices } from "./aws/sockets/socketServer.ts";

/** Between two looks where nothing is heard; news are told at once. */
const restMilliseconds = 10_000;

/**
 * Tells a change socket that the services of an environment changed, at most once a second, as the stream does: one machine
 * can watch a cluster as long as a connection is open, which a function in AWS cannot.
 */
export const socketServices: FollowServices = async ({ tokenHash, environment }, post, signal) => {
  const { projectKey, envKey } = environment;
  const found = await findEnvironment(projectKey, envKey);
  const news = new ServicesNews();
  if (found === undefined) news.hear("lost");
  else followServices(found, (state) => news.hear(state), signal);
  const record = found && ({ kind: "environment", projectKey, key: envKey, production: found.production } as const);
  const followed = new Followed({ type: "services", project_key: projectKey, key: envKey }, record);
  while (!signal.aborted) {
    const state = news.take();
    const told = state && followed.tell(state, await callerNow(tokenHash), Date.now());
    for (const { bytes } of told ?? [])
      if (!(await post(`{"type":"changes","changes":[${bytes.toString().trim()}]}`))) return;
    await news.wait(restMilliseconds, signal);
  }
};
