import { eventIdAt, timeOfEventId } from "../../../shared/access/events/rules/eventId.ts";
import {
  changesSince,
  keptMilliseconds,
  lateMilliseconds,
  mostEvents,
} from "../../../shared/access/events/store/changeEvents.ts";
import { callerNow } from "../../../shared/access/identity/session/callerNow.ts";
import type { LogPiece } from "../../../shared/base/common/timedLines.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { type FollowedState, followServices } from "../../../shared/environments/apply/followServices.ts";
import { findEnvironment } from "../../../shared/environments/store/environments.ts";
import { mayHear } from "../../../shared/http/changes/mayHear.ts";
import { shownChange } from "../../../shared/http/changes/shownChange.ts";
import { jobVersions } from "../../../shared/workflows/records/findTasks.ts";
import type { TaskOwner } from "../../../shared/workflows/records/task.ts";
import { findTaskOwner } from "../../../shared/workflows/records/taskHeads.ts";
import { Followed } from "./followed.ts";
import { message } from "./message.ts";
import { ServicesNews } from "./servicesNews.ts";

interface TaskKey {
  /** Of the workflow, the test or the scan. */
  key: string;
  taskId: number;
}

/** The jobs of a task, looked at as often as changes are asked for. */
class JobsOfTask {
  /** Undefined when nothing has tasks under the key: its jobs are lost from the first look on. */
  readonly owner: TaskOwner | undefined;
  readonly #taskId: number;
  #seen: string | undefined;

  private constructor(owner: TaskOwner | undefined, taskId: number) {
    this.owner = owner;
    this.#taskId = taskId;
  }

  static async of({ key, taskId }: TaskKey): Promise<JobsOfTask> {
    return new JobsOfTask(await findTaskOwner(key), taskId);
  }

  /** What became of them since the last look. */
  async look(): Promise<FollowedState | undefined> {
    const before = this.#seen;
    this.#seen = this.owner === undefined ? "" : await jobVersions(this.owner.id, this.#taskId);
    if (before === this.#seen) return undefined;
    if (before !== undefined) return "changed";
    return this.owner === undefined ? "lost" : "followed";
  }
}

const pollMilliseconds = 2000;
/** A stream that was silent for this long says that it is current, unless the caller may no longer be told anything. */
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
  /** The task whose jobs are followed as well. */
  task?: TaskKey | undefined;
  /** Ends when everything until now was told. */
  once: boolean;
  /** Whether a newer stream of the same session took the place of this one. */
  isReplaced(): Promise<boolean>;
  signal: AbortSignal;
}

/**
 * What changes, as the caller may know it at the moment that it is told. One query every two seconds, by which everything
 * of the last seconds is read again, because writers may be late; what the caller holds is read when there is something
 * to tell, and once a minute. Services that changed are told at once, and the jobs of a task are looked at with each query.
 * Begins behind the event of `after`, or a few seconds ago; some events may come twice, and where some are missing the
 * caller is told to look at everything.
 * @throws ApiError 401 once the token is good no more, 409 once the session has a newer stream; AbortError at the end
 */
export async function* followEvents({
  after,
  tokenHash,
  projectKey,
  environment,
  task,
  once,
  isReplaced,
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
  const services = environment && (await servicesOf(environment, news, signal));
  const jobs = task && (await JobsOfTask.of(task));
  const followedJobs = task && jobsShown(task, jobs?.owner);
  for (;;) {
    const now = Date.now();
    const [read, replaced] = await Promise.all([changesSince(readUntil - lateMilliseconds), isReplaced()]);
    if (replaced) throw new ApiError(409, "a newer stream of the same session took the place of this one");
    const isRest = now - told >= restMilliseconds;
    const fresh = read.filter(({ sk }) => !seen.has(sk));
    const newsOfServices = news.take();
    const newsOfJobs = await jobs?.look();
    missed ||= read.length >= mostEvents;
    if (missed || fresh.length > 0 || newsOfServices || newsOfJobs || isRest) {
      const caller = await callerNow(tokenHash);
      const heard = fresh.filter(
        (event) => (projectKey ?? event.projectKey) === event.projectKey && mayHear(caller, event),
      );
      const events = missed
        ? [message(eventIdAt(now), { type: "reset" })]
        : heard.map((event) => message(event.sk, shownChange(event)));
      if (services !== undefined) events.push(...services.tell(newsOfServices, caller, now));
      if (followedJobs !== undefined) events.push(...followedJobs.tell(newsOfJobs, caller, now));
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

/** Has the news heard from here on. */
async function servicesOf(
  { projectKey, envKey }: EnvironmentKey,
  news: ServicesNews,
  signal: AbortSignal,
): Promise<Followed> {
  const found = await findEnvironment(projectKey, envKey);
  if (found === undefined) news.hear("lost");
  else followServices(found, (state) => news.hear(state), signal);
  const record = found && ({ kind: "environment", projectKey, key: envKey, production: found.production } as const);
  return new Followed({ type: "services", project_key: projectKey, key: envKey }, record);
}

function jobsShown({ key, taskId }: TaskKey, owner: TaskOwner | undefined): Followed {
  const record = owner && ({ kind: "task", projectKey: owner.projectKey, key } as const);
  return new Followed({ type: "jobs", key, task_id: taskId }, record);
}
