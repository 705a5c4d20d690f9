import { type Change, changes, pause, SlipwayError } from "@slipway/client";
import type { QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { liveMilliseconds, type Place, queries } from "./queries.ts";
import { address, type Session } from "./session.ts";

/** Of what the stream tells, in case that it did not. */
const toldMilliseconds = 60_000;
/** After a refusal, for one because of too many streams above all. */
const againMilliseconds = 30_000;

type Environment = Pick<Place, "project" | "env">;
const nameOf = ({ project, env }: Environment): string => `${project}/${env}`;

let isFollowed = false;
/** The environment that is looked at, of whose services the stream is to tell, and whether it does. */
let watched: Environment | undefined;
let isWatched = false;
/** Opens the stream again for another environment, where this tab has one. */
let reopen = (): void => {};

/** How often to ask for what the stream tells, while it does and while it does not. */
export const toldInterval = (): number => (isFollowed ? toldMilliseconds : liveMilliseconds);

/** The same for the services of an environment. */
export const servicesInterval = (place: Environment) => (): number =>
  isFollowed && isWatched && watched !== undefined && nameOf(watched) === nameOf(place)
    ? toldMilliseconds
    : liveMilliseconds;

/** Has the stream tell of the services of an environment while they are shown. */
export function useLiveServices({ project, env }: Environment): void {
  useEffect(() => {
    watched = { project, env };
    isWatched = false;
    reopen();
    return () => {
      watched = undefined;
      reopen();
    };
  }, [project, env]);
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
 * Asks for the services that are looked at. Never twice at once; and as many services are asked for less often: four times
 * as long as the answer took is waited.
 */
async function askForServices(): Promise<void> {
  isToAsk = true;
  if (isAsking) return;
  isAsking = true;
  while (isToAsk && watched !== undefined) {
    isToAsk = false;
    const begun = performance.now();
    await Promise.all(servicesKeys(watched).map((queryKey) => queries.invalidateQueries({ queryKey })));
    await pause(Math.min(4 * (performance.now() - begun), liveMilliseconds));
  }
  isAsking = false;
}

/** What shows workloads and pods of an environment. */
const servicesKeys = (place: Environment): readonly QueryKey[] =>
  ["environment", "instance", "pods"].map((name) => [name, place]);

function setFollowed(next: boolean): void {
  if (next === isFollowed) return;
  isFollowed = next;
  if (!next) {
    isWatched = false;
    void askForServices();
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
  const hearOfServices = ({ project_key, key, state }: Extract<Change, { type: "services" }>): void => {
    if (watched === undefined || nameOf(watched) !== nameOf({ project: project_key, env: key })) return;
    isWatched = state !== "lost";
    void askForServices();
  };
  others.onmessage = ({ data }: MessageEvent<Change>) => hear(data);

  async function listen(signal: AbortSignal): Promise<void> {
    for (;;) {
      const turn = new AbortController();
      reopen = () => turn.abort();
      const ends = AbortSignal.any([signal, turn.signal]);
      try {
        for await (const change of changes({ address, token, tries: 1 }, { after, environment: watched }, ends)) {
          setFollowed(true);
          if (change.type === "services") hearOfServices(change);
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
      // Whoever is signed out is told so by the next answer.
      if (error instanceof SlipwayError && error.status === 401) return;
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
