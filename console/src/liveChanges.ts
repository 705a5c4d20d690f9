import { type Change, changes, pause, SlipwayError } from "@slipway/client";
import type { QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { liveMilliseconds, type Place, queries } from "./queries.ts";
import { address, endSession, type Session } from "./session.ts";

/** Of what the stream tells, in case that it did not. */
const toldMilliseconds = 60_000;
/** After a refusal, for one because of too many streams above all. */
const againMilliseconds = 30_000;

/** Something on a page that the stream tells of while it is looked at. */
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
/** Whether the stream tells of what is looked at. */
let isTold = false;
/** Opens the stream again for something else, where this tab has one. */
let reopen = (): void => {};

/** How often to ask for what the stream tells, while it does and while it does not. */
export const toldInterval = (): number => (isFollowed ? toldMilliseconds : liveMilliseconds);

const intervalOf = (name: string): number =>
  isFollowed && isTold && lookedAt?.name === name ? toldMilliseconds : liveMilliseconds;

/** The same for the services of an environment. */
export const servicesInterval =
  ({ project, env }: Pick<Place, "project" | "env">) =>
  (): number =>
    intervalOf(servicesName(project, env));

/** The same for a run with its jobs. */
export const jobsInterval = (workflow: string, id: string): number => intervalOf(jobsName(workflow, id));

function lookAt(one: LookedAt): () => void {
  lookedAt = one;
  isTold = false;
  reopen();
  return () => {
    lookedAt = undefined;
    reopen();
  };
}

/** Has the stream tell of the services of an environment while they are shown. */
export function useLiveServices({ project, env }: Pick<Place, "project" | "env">): void {
  useEffect(() => lookAt(servicesOf({ project, env })), [project, env]);
}

/** Has the stream tell of the jobs of a run while they are shown. @param isLive until it has ended */
export function useLiveJobs(workflow: string, id: string, isLive: boolean): void {
  useEffect(() => (isLive ? lookAt(jobsOf(workflow, id)) : undefined), [workflow, id, isLive]);
}

/** Pages that are told of everything that changes on them. */
const toldKeys: readonly QueryKey[] = [["runs"], ["plans"], ["plan"], ["plan log"]];

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

function askAgain(keys: readonly QueryKey[]): void {
  for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
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
    isTold = false;
    void askForLookedAt();
  }
  // They are asked for as often as it takes now.
  askAgain(toldKeys);
}

/**
 * Keeps what is shown as it is now, by the stream of changes. Of all tabs of somebody one that is seen has the stream and
 * tells the others; while none is seen there is none, and the next goes on behind what was told last.
 * @returns what ends it
 */
export function followChanges({ token, uid }: Session): () => void {
  const name = `slipway.changes.${uid}`;
  const others = new BroadcastChannel(name);
  let after: string | undefined;
  const hear = (change: Change): void => {
    after = change.id;
    askAgain(keysOf(change));
  };
  const hearOfLookedAt = (name: string, state: "followed" | "changed" | "lost"): void => {
    if (lookedAt?.name !== name) return;
    isTold = state !== "lost";
    void askForLookedAt();
  };
  others.onmessage = ({ data }: MessageEvent<Change>) => hear(data);

  async function listen(signal: AbortSignal): Promise<void> {
    for (;;) {
      const turn = new AbortController();
      reopen = () => turn.abort();
      const ends = AbortSignal.any([signal, turn.signal]);
      try {
        for await (const change of changes({ address, token, tries: 1 }, { after, ...lookedAt?.asked }, ends)) {
          setFollowed(true);
          if (change.type === "services") hearOfLookedAt(servicesName(change.project_key, change.key), change.state);
          else if (change.type === "jobs") hearOfLookedAt(jobsName(change.key, change.task_id), change.state);
          else others.postMessage(change);
          hear(change);
        }
      } catch (error) {
        if (!turn.signal.aborted) throw error;
      }
    }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const error = await listen(signal).catch((reason: unknown) => reason);
      setFollowed(false);
      if (error instanceof SlipwayError && error.status === 401) return endSession(token);
      await pause(againMilliseconds, signal);
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
      // Browsers have locks on addresses with https and on this machine only; elsewhere each tab has a stream.
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
