import { type Change, changes, pause, SlipwayError } from "@slipway/client";
import type { QueryKey } from "@tanstack/react-query";
import { liveMilliseconds, queries } from "./queries.ts";
import { address, type Session } from "./session.ts";

/** Of what the stream tells, in case that it did not. */
const toldMilliseconds = 60_000;
/** After a refusal, for one because of too many streams above all. */
const againMilliseconds = 30_000;

let isFollowed = false;

/** How often to ask for what the stream tells, while it does and while it does not. */
export const toldInterval = (): number => (isFollowed ? toldMilliseconds : liveMilliseconds);

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

function setFollowed(next: boolean): void {
  if (next === isFollowed) return;
  isFollowed = next;
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
  others.onmessage = ({ data }: MessageEvent<Change>) => hear(data);

  async function listen(signal: AbortSignal): Promise<void> {
    for await (const change of changes({ address, token, tries: 1 }, { after }, signal)) {
      setFollowed(true);
      others.postMessage(change);
      hear(change);
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
