import type { Used } from "./used.ts";

/** Of functions by whose requests they answer, in MiB; a test compares it with the functions. */
export const memoryMib = { api: 1024, task: 512, job: 1024 } as const;

/** How long a request is taken to last. Not measured in AWS: functions are below a tenth of a task's cost at double that, too. */
const requestSeconds = 0.25;

/**
 * What tasks take of the control plane, by what they are made of (decision 126). Transitions and requests follow from the
 * machines' definitions. Units of the table were measured with what starts the task, its operation log included;
 * `test/tasks/budget.test.ts` holds all of them against tasks that run.
 */
export const controlPlane = {
  /** A task each time it is set going: started, retried, executed at a stage it paused at. */
  execution: { ...requests({ api: 1, task: 2 }), transitions: 4, readUnits: 20, writeUnits: 58 },
  stage: { ...requests({ task: 1 }), transitions: 3, readUnits: 1.5, writeUnits: 4 },
  /** In addition to the stage that it precedes. */
  approval: { ...requests({ api: 1, task: 1 }), transitions: 1, readUnits: 16, writeUnits: 19 },
  job: { ...requests({ task: 1, job: 2 }), transitions: 5, readUnits: 10, writeUnits: 12 },
  /** A further try of a job by its error policy. */
  retry: { ...requests({ job: 2 }), transitions: 4, readUnits: 3, writeUnits: 6 },
} as const satisfies Record<string, Used>;

function requests({ api = 0, task = 0, job = 0 }: Partial<Record<keyof typeof memoryMib, number>>) {
  const mib = api * memoryMib.api + task * memoryMib.task + job * memoryMib.job;
  return { lambdaRequests: api + task + job, lambdaMibSeconds: mib * requestSeconds };
}
