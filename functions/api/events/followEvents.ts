import { followServices, type ServicesState } from "../../../shared/environments/followServices.ts";
import { type EnvironmentRecord, findEnvironment } from "../../../shared/environments/store/environments.ts";
import { eventIdAt, timeOfEventId } from "../../../shared/events/rules/eventId.ts";
import {
  type ChangeEvent,
  changesSince,
  keptMilliseconds,
  lateMilliseconds,
  mostEvents,
} from "../../../shared/events/store/changeEvents.ts";
import { bearerOf } from "../../../shared/identity/session/authenticateToken.ts";
import { loadCaller } from "../../../shared/identity/session/loadCaller.ts";
import type { LogPiece } from "../../../shared/values/timedLines.ts";
import { mayHear } from "./mayHear.ts";
import { ServicesNews } from "./servicesNews.ts";

const pollMilliseconds = 2000;
/** After as long a stream that has nothing to tell says so, unless the caller may be told nothing any more. */
const restMilliseconds = 60_000;

export interface EnvironmentKey {
  projectKey: string;
  envKey: string;
}

interface Asked {
  /** The id of the last event that the caller had, if any. */
  after: string | undefined;
  tokenHash: string;
  projectKey?: string | undefined;
  /** The environment whose services are followed as well. */
  environment?: EnvironmentKey | undefined;
  /** Ends when everything until now was told. */
  once: boolean;
  signal: AbortSignal;
}

/**
 * What changes, as the caller may know it at the moment that it is told. One query every two seconds, by which everything
 * of the last seconds is read again, because writers may be late; what the caller holds is read when there is something
 * to tell, and once a minute. That services changed is told at once, and looked for together with what else changed.
 * Begins behind the event of `after`, or a few seconds ago; some events may come twice, and
 * where some are missing the caller is told to look at everything.
 * @throws ApiError 401 once the token is good no more; AbortError at the end
 */
export async function* followEvents({
  after,
  tokenHash,
  projectKey,
  environment,
  once,
  signal,
}: Asked): AsyncGenerator<readonly LogPiece[]> {
  const begin = Date.now();
  const last = after === undefined ? begin : timeOfEventId(after);
  const isKept = last !== undefined && last >= begin - keptMilliseconds && last <= begin + lateMilliseconds;
  let missed = !isKept;
  let readUntil = isKept ? last : begin;
  let told = 0;
  let seen = new Set<string>();
  const news = new ServicesNews();
  let isLost = false;
  const followed = environment && (await findEnvironment(environment.projectKey, environment.envKey));
  if (followed !== undefined) followServices(followed, (state) => news.hear(state), signal);
  else if (environment !== undefined) news.hear("lost");
  for (;;) {
    const now = Date.now();
    const read = await changesSince(readUntil - lateMilliseconds);
    const isRest = now - told >= restMilliseconds;
    const fresh = read.filter(({ sk }) => !seen.has(sk));
    const heardOf = news.take();
    missed ||= read.length >= mostEvents;
    if (missed || fresh.length > 0 || heardOf !== undefined || isRest) {
      const caller = await callerNow(tokenHash);
      const heard = fresh.filter(
        (event) => (projectKey ?? event.projectKey) === event.projectKey && mayHear(caller, event),
      );
      const events = missed ? [message(eventIdAt(now), { type: "reset" })] : heard.map(shown);
      if (environment !== undefined && heardOf !== undefined) {
        const state = followed !== undefined && mayHear(caller, eventOf(followed)) ? heardOf : "lost";
        if (state !== "lost" || !isLost) events.push(servicesMessage(eventIdAt(now), environment, state));
        isLost = state === "lost";
      }
      if (isRest) events.push(message(eventIdAt(now), { type: "current" }));
      if (events.length > 0) {
        told = now;
        yield events;
      }
    }
    if (once) return;
    missed = false;
    readUntil = now;
    seen = new Set(read.map(({ sk }) => sk));
    await news.wait(pollMilliseconds, signal);
  }
}

/** What a caller has to be allowed to hear of to hear of the services. */
function eventOf({ projectKey, envKey, production }: EnvironmentRecord): ChangeEvent {
  return { kind: "environment", projectKey, key: envKey, name: envKey, production, state: "" };
}

function servicesMessage(id: string, { projectKey, envKey }: EnvironmentKey, state: ServicesState): LogPiece {
  return message(id, { type: "services", project_key: projectKey, key: envKey, state });
}

/** Who bears the token and what the bearer holds by now. @throws ApiError 401 */
async function callerNow(tokenHash: string) {
  return (await loadCaller(await bearerOf(tokenHash), "everywhere")).caller;
}

function shown({
  sk: id,
  kind,
  projectKey,
  key,
  name,
  taskId,
  production,
  state,
}: ChangeEvent & { sk: string }): LogPiece {
  const more = { ...(taskId !== undefined && { task_id: taskId }), ...(production !== undefined && { production }) };
  return message(id, { type: kind, project_key: projectKey, key, name, ...more, state });
}

function message(id: string, content: object): LogPiece {
  return { id, bytes: Buffer.from(`${JSON.stringify({ id, ...content })}\n`) };
}
