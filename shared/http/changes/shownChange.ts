import type { ChangeEvent } from "../../access/events/store/changeEvents.ts";

/** A change as its followers are told of it, by the stream and by sockets. */
export type ShownChange = { id: string; type: string } & Readonly<Record<string, unknown>>;

export function shownChange(event: ChangeEvent & { sk: string }): ShownChange {
  const { sk: id, kind, projectKey, key, name, taskId, production, state } = event;
  const more = { ...(taskId !== undefined && { task_id: taskId }), ...(production !== undefined && { production }) };
  return { id, type: kind, project_key: projectKey, key, name, ...more, state };
}
