import type { Connection } from "./index.ts";
import { lines } from "./lines.ts";
import { pause } from "./pause.ts";
import { SlipwayError } from "./slipwayError.ts";

/** Something that changed and its current state. Following continues after its id. */
export type Change = { id: string } & (
  | { type: "task"; project_key: string; key: string; name: string; task_id: number; state: string }
  | { type: "environment"; project_key: string; key: string; name: string; production: boolean; state: string }
  | { type: "release_plan"; project_key: ""; key: string; name: string; state: string }
  /** Of the environment that is followed: `followed`, `changed`: read its services; `lost`: changes of them are not told. */
  | { type: "services"; project_key: string; key: string; state: "followed" | "changed" | "lost" }
  /** Of the jobs of the task that is followed, as of services. */
  | { type: "jobs"; key: string; task_id: number; state: "followed" | "changed" | "lost" }
  /** `current`: everything until now was sent; `reset`: changes are missing, so everything has to be read again. */
  | { type: "current" | "reset" }
);

const againMilliseconds = 1000;

interface Following {
  /** The id of the last change that is known, from at most an hour ago; without it the last ten seconds come too. */
  after?: string | undefined;
  /** Only what changes in this project. */
  project?: string;
  /** Tell of the services of this one as well. */
  environment?: { project: string; env: string } | undefined;
  /** Tell of the jobs of this one as well. */
  task?: { workflow: string; id: number | string } | undefined;
}

/**
 * What changes of what the caller may read, until the signal ends it. Where the connection breaks it goes on behind the last
 * change; some may come twice.
 * @throws SlipwayError when Slipway refuses, or nothing answers; the reason of the signal
 */
export async function* changes(
  connection: Connection,
  { after, project, environment, task }: Following = {},
  signal?: AbortSignal,
): AsyncGenerator<Change, void, void> {
  const query = new URLSearchParams({
    ...(project !== undefined && { projectKey: project }),
    ...(environment && { environment: `${environment.project}/${environment.env}` }),
    ...(task && { task: `${task.workflow}/${task.id}` }),
  });
  const path = `/openapi/events/stream?${query.toString()}`;
  let last = after;
  for (;;) {
    try {
      for await (const { text } of lines(connection, path, signal, last)) {
        const change = JSON.parse(text) as Change;
        last = change.id;
        yield change;
      }
    } catch (error) {
      if (signal?.aborted === true || error instanceof SlipwayError) throw error;
    }
    await pause(againMilliseconds, signal);
  }
}
