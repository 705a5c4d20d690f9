import { type Change, isBusy, pause, SlipwayError } from "@slipway/client";
import type { QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { openChangeSocket, type SocketEnd } from "./changeSocket.ts";
import { liveMilliseconds, type Place, queries } from "./queries.ts";
import { endSession, type Session } from "./session.ts";

/** Of what the socket tells, in case that it did not. */
const toldMilliseconds = 30_000;
/** After a refusal, or when another browser with the same session took the place. */
const refusedMilliseconds = 30_000;
/** After the end of a connection: at random up to as long more, so that not all come at once where a server ended. */
const closedMilliseconds = 1000;
const spreadMilliseconds = 4000;

/** Something on a page that the socket tells of while it is looked at. */
interface LookedAt {
  name: string;
  asked: { environment: { project: string; env: string } } | { task: { workflow: string; id: string } };
  /** What shows it. */
  keys: readonly QueryKey[];
}

const servicesName = (project: string, env: string): string => `services of ${project}/${env}`;
const jobsName = (workflow: string, id: number | string): string => `jobs of ${workflow}/${id}`;

const servicesOf = ({ project, env }: Pick<Place, "project" | "env">): LookedAt => ({
  name: servicesName(project, env),
  asked: { environment: { project, env } },
  keys: ["environment", "instance", "pods"].map((name) => [name, { project, env }]),
});
const jobsOf = (workflow: string, id: string): LookedAt => ({
  name: jobsName(workflow, id),
  asked: { task: { workflow, id } },
  keys: [["task", workflow, id]],
});

let isFollowed = false;
let lookedAt: LookedAt | undefined;
/** Whether the socket tells of what is looked at; undefined until it has said so. That of another tab never does. */
let isTold: boolean | undefined;
/** Whether the socket that tells this tab is that of another one. */
let isOthers = true;
/** Has the socket of this tab, where there is one, tell of what is looked at now. */
let followAgain = (): void => {};

/** How often to ask for what the socket tells, while it does and while it does not. */
export const toldInterval = (): number => (isFollowed ? toldMilliseconds : liveMilliseconds);

const isKnown = (name: string, told: boolean): boolean => isFollowed && isTold === told && lookedAt?.name === name;

/**
 * The same for the services of an environment. In AWS changes of it are told and those of its pods are not: they are asked for
 * often only while a change goes on.
 */
export const servicesInterval = (place: Place) => (): number => {
  const name = servicesName(place.project, place.env);
  if (isKnown(name, true)) return toldMilliseconds;
  const environment = queries.getQueryData<Parameters<typeof isBusy>[0]>(["environment", place]);
  const isCalm = environment !== undefined && !isBusy(environment);
  return isKnown(name, false) && isCalm ? toldMilliseconds : liveMilliseconds;
};

/** The same for a run with its jobs. */
export const jobsInterval = (workflow: string, id: string): number =>
  isKnown(jobsName(workflow, id), true) ? toldMilliseconds : liveMilliseconds;

function lookAt(one: LookedAt): () => void {
  lookedAt = one;
  isTold = isOthers ? false : undefined;
  followAgain();
  return () => {
    lookedAt = undefined;
    followAgain();
  };
}

/** Has the socket tell of the services of an environment while they are shown. */
export function useLiveServices({ project, env }: Pick<Place, "project" | "env">): void {
  useEffect(() => lookAt(servicesOf({ project, env })), [project, env]);
}

/** Has the socket tell of the jobs of a run while they are shown. @param isLive until it has ended */
export function useLiveJobs(workflow: string, id: string, isLive: boolean): void {
  useEffect(() => (isLive ? lookAt(jobsOf(workflow, id)) : undefined), [workflow, id, isLive]);
}

/** Pages that are told of everything that changes on them. */
const toldKeys: readonly QueryKey[] = [["runs"], ["plans"], ["plan"], ["plan log"], ["environments"]];

/** What shows something of a change. */
function keysOf(change: Change): readonly QueryKey[] {
  switch (change.type) {
    case "task":
      return [
        ["runs", change.project_key, change.key],
        ["task", change.key, String(change.task_id)],
      ];
    case "environment": {
      const place = { project: change.project_key, env: change.key };
      const ofPlace = ["environment", "instance", "pods", "versions", "drift"].map((name) => [name, place]);
      return [["environments", change.project_key], ...ofPlace];
    }
    case "services":
    case "jobs":
      return [];
    case "release_plan":
      return [["plans"], ["plan", change.key], ["plan log", change.key]];
    case "reset":
      return [[]];
    case "current":
      return [];
  }
}

/** What several changes concern is asked for once. */
function askAgain(keys: readonly QueryKey[]): void {
  const once = new Map(keys.map((queryKey) => [JSON.stringify(queryKey), queryKey]));
  for (const queryKey of once.values()) void queries.invalidateQueries({ queryKey });
}

/** Some changes of the last seconds come twice. */
const mostKnown = 500;
const known = new Set<string>();

function isNew({ id, type }: Change): boolean {
  if (type !== "task" && type !== "environment" && type !== "release_plan") return true;
  if (known.has(id)) return false;
  known.add(id);
  for (const oldest of known) {
    if (known.size <= mostKnown) break;
    known.delete(oldest);
  }
  return true;
}

let isAsking = false;
let isToAsk = false;

/**
 * Asks for what is looked at. Never twice at once; and what takes long is asked for less often: four times as long as the
 * answer took is waited.
 */
async function askForLookedAt(): Promise<void> {
  isToAsk = true;
  if (isAsking) return;
  isAsking = true;
  while (isToAsk && lookedAt !== undefined) {
    isToAsk = false;
    const begun = performance.now();
    await Promise.all(lookedAt.keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
    await pause(Math.min(4 * (performance.now() - begun), liveMilliseconds));
  }
  isAsking = false;
}

function setFollowed(next: boolean): void {
  if (next === isFollowed) return;
  isFollowed = next;
  if (!next) {
    isTold = isOthers ? false : undefined;
    void askForLookedAt();
  }
  // They are asked for as often as it takes now.
  askAgain(toldKeys);
}

/** What tabs of one person say to each other: what changed, whether a socket tells of it, and who wants to know that. */
type Word = { changes: readonly Change[] } | { isFollowed: boolean } | "is anybody following?";

/**
 * Keeps what is shown up to date by a change socket. Of all tabs of a user, one that is visible has the socket and
 * tells the others; while none is visible there is no socket, and the next one continues after the last change known.
 * @returns what ends it
 */
export function followChanges({ token, uid }: Session): () => void {
  const name = `slipway.changes.${uid}`;
  const others = new BroadcastChannel(name);
  let after: string | undefined;
  const goOnAfter = (id: string | undefined): void => {
    if (id !== undefined && (after === undefined || id > after)) after = id;
  };
  const hear = (changes: readonly Change[]): void => {
    for (const { id } of changes) goOnAfter(id);
    askAgain(changes.filter(isNew).flatMap(keysOf));
  };
  const hearOfLookedAt = (name: string, state: "followed" | "changed" | "lost"): void => {
    if (lookedAt?.name !== name) return;
    isTold = state !== "lost";
    void askForLookedAt();
  };
  const say = (word: Word): void => others.postMessage(word);
  others.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data === "is anybody following?") {
      if (!isOthers) say({ isFollowed });
    } else if ("changes" in data) hear(data.changes);
    else if (isOthers) setFollowed(data.isFollowed);
  };
  const become = (next: boolean): void => {
    setFollowed(next);
    say({ isFollowed: next });
  };
  say("is anybody following?");

  /** @returns why the socket ended. @throws SlipwayError when Slipway refuses, Error when it does not open */
  async function listen(signal: AbortSignal): Promise<SocketEnd> {
    let hasTold = false;
    const socket = await openChangeSocket(
      token,
      (changes, last) => {
        if (!hasTold) become(true);
        hasTold = true;
        for (const change of changes) {
          if (change.type === "services") hearOfLookedAt(servicesName(change.project_key, change.key), change.state);
          else if (change.type === "jobs") hearOfLookedAt(jobsName(change.key, change.task_id), change.state);
        }
        const ofAll = changes.filter(({ type }) => type !== "services" && type !== "jobs");
        if (ofAll.length > 0) say({ changes: ofAll });
        hear(ofAll);
        goOnAfter(last);
      },
      signal,
    );
    followAgain = () => socket.follow({ after, ...lookedAt?.asked });
    followAgain();
    return socket.ended.finally(() => {
      followAgain = () => {};
    });
  }

  /** Until the signal ends it, or the login has ended. */
  async function follow(signal: AbortSignal): Promise<void> {
    isOthers = false;
    isTold = undefined;
    try {
      while (!signal.aborted) {
        const end = await listen(signal).catch((reason: unknown) => reason);
        if (signal.aborted) return;
        if (end === "unauthorized" || (end instanceof SlipwayError && end.status === 401)) return endSession(token);
        // A connection that has ended is opened again before anything is asked for more often.
        const isOver = end === "closed" || end === "expired";
        if (!isOver) become(false);
        await pause(isOver ? closedMilliseconds + Math.random() * spreadMilliseconds : refusedMilliseconds, signal);
      }
    } finally {
      isOthers = true;
      become(false);
    }
  }

  let leaving: AbortController | undefined;
  const look = (): void => {
    if (document.visibilityState === "hidden") {
      leaving?.abort();
      leaving = undefined;
    } else if (leaving === undefined) {
      leaving = new AbortController();
      const { signal } = leaving;
      // Browsers have locks on addresses with https and on this machine only; elsewhere each tab has a socket.
      const following = navigator.locks?.request(name, { signal }, () => follow(signal)) ?? follow(signal);
      following.catch(() => undefined);
    }
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    leaving?.abort();
    others.close();
  };
}
