import { eventIdAt } from "../../../shared/access/events/rules/eventId.ts";
import type { Follows } from "../../../shared/access/events/store/changeConnections.ts";
import type { ChangeEvent } from "../../../shared/access/events/store/changeEvents.ts";
import { mayHear } from "../../../shared/http/changes/mayHear.ts";
import { type ShownChange, shownChange } from "../../../shared/http/changes/shownChange.ts";
import type { Caller } from "../../../shared/http/exchange.ts";

/** API Gateway bills a message by each 32 KB, and sends no larger ones at once. */
const maxBytes = 32 * 1024;

export type StoredEvent = ChangeEvent & { sk: string };

/** What became of something that is looked at beside the changes. */
export interface Look {
  shown: { type: "services" | "jobs"; state: "followed" | "changed" | "lost" } & Readonly<Record<string, unknown>>;
  /** What the caller has to be allowed to hear of, to be told more than that it is lost. */
  record?: Omit<ChangeEvent, "name" | "state">;
}

/** What a connection is still to be told. */
export interface Pending {
  events: StoredEvent[];
  /** Of what is looked at. */
  looks: Look[];
  /** Whether something was missed, so that everything has to be read again. */
  isReset: boolean;
}

/** Whether a connection wants to know of an event; whether its bearer may is another matter. */
export function isFollowed({ projectKey }: ChangeEvent, { projects }: Follows): boolean {
  return projects === undefined || projects.includes(projectKey);
}

/** What of it the caller may read at the moment (Unix milliseconds). */
export function shownOf({ events, looks, isReset }: Pending, caller: Caller, now: number): ShownChange[] {
  const id = eventIdAt(now);
  const changes = isReset
    ? [{ id, type: "reset" }]
    : events.filter((event) => mayHear(caller, event)).map((event) => shownChange(event));
  return [...changes, ...looks.map((look) => ({ id, ...look.shown, state: stateOf(look, caller) }))];
}

function stateOf({ shown: { state }, record }: Look, caller: Caller): string {
  return record === undefined || mayHear(caller, { ...record, name: "", state }) ? state : "lost";
}

/** One message; changes that do not fit into one become `reset`. */
export function messageText(changes: readonly ShownChange[], now: number): string {
  const text = JSON.stringify({ type: "changes", changes });
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const looks = changes.filter(({ type }) => type === "services" || type === "jobs" || type === "current");
  return JSON.stringify({ type: "changes", changes: [{ id: eventIdAt(now), type: "reset" }, ...looks] });
}
