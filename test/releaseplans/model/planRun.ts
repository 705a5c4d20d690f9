import fc from "fast-check";

/** How the workflow of a job behaves: it passes at once, fails at once, or waits for somebody. */
export const jobKinds = ["passes", "fails", "asks"] as const;
export type PlanJobKind = (typeof jobKinds)[number] | "text";

const statusCalls = ["planning", "finish_planning", "wait_for_approval", "executing", "success", "cancel"] as const;

/** One thing that happens. `at` chooses among whatever it may happen to; it is killed after so many writes. */
export interface PlanCommand {
  what:
    | {
        kind:
          | "turn"
          | "repeat"
          | "deliver"
          | "deliver twice"
          | "answer"
          | "reconcile"
          | "restart"
          | "replace"
          | "delete";
      }
    | { kind: "status"; to: (typeof statusCalls)[number] }
    | { kind: "decide" | "answer"; approve: boolean }
    | { kind: "act"; verb: "execute" | "skip" | "retry" }
    | { kind: "wait"; seconds: number };
  at: number;
  killedAfter?: number;
}

/** What a plan is made of; times are seconds from the start of the run, undefined where there is none. */
export interface PlanShape {
  jobs: { kind: PlanJobKind; after: boolean }[];
  autoExecute: boolean;
  stopOnFailure: boolean;
  concurrency: number;
  approved: boolean;
  validForMinutes: number;
  window: number | undefined;
  schedule: number | undefined;
}

/** One plan and what happens to it. */
export interface PlanRun {
  shape: PlanShape;
  commands: PlanCommand[];
}

const plain = (
  kind: "turn" | "repeat" | "deliver" | "deliver twice" | "reconcile" | "restart" | "replace" | "delete",
): fc.Arbitrary<PlanCommand["what"]> => fc.constant({ kind });

const what: fc.Arbitrary<PlanCommand["what"]> = fc.oneof(
  { weight: 12, arbitrary: plain("turn") },
  { weight: 8, arbitrary: plain("deliver") },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant("status" as const), to: fc.constantFrom(...statusCalls) }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant("act" as const),
      verb: fc.constantFrom("execute" as const, "execute" as const, "skip" as const, "retry" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("decide" as const), approve: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("answer" as const), approve: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(1, 20, 40, 100, 4000, -50) }),
  },
  { weight: 2, arbitrary: plain("repeat") },
  { weight: 2, arbitrary: plain("deliver twice") },
  { weight: 1, arbitrary: plain("reconcile") },
  { weight: 1, arbitrary: plain("restart") },
  { weight: 1, arbitrary: plain("replace") },
  { weight: 1, arbitrary: plain("delete") },
);

const command: fc.Arbitrary<PlanCommand> = fc.record(
  { what, at: fc.nat({ max: 30 }), killedAfter: fc.nat({ max: 6 }) },
  { requiredKeys: ["what", "at"] },
);

const shape: fc.Arbitrary<PlanShape> = fc.record({
  jobs: fc.array(fc.record({ kind: fc.constantFrom<PlanJobKind>(...jobKinds, "text"), after: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  autoExecute: fc.boolean(),
  stopOnFailure: fc.boolean(),
  concurrency: fc.nat({ max: 2 }),
  approved: fc.boolean(),
  validForMinutes: fc.constantFrom(0, 1),
  window: fc.constantFrom(undefined, undefined, 30, 5000),
  schedule: fc.constantFrom(undefined, 10, 200),
});

/** A plan gets into its execution, whatever happens then. */
const begun: readonly PlanCommand[] = ["finish_planning", "wait_for_approval", "executing"].map((to) => ({
  what: { kind: "status", to: to as "executing" },
  at: 0,
}));

/** @param longest how many things happen in a run at most, after the calls that begin its execution */
export function planRuns(longest: number): fc.Arbitrary<PlanRun> {
  const commands = fc.array(command, { minLength: Math.ceil(longest / 2), maxLength: longest, size: "max" });
  return fc.record({ shape, begins: fc.boolean(), commands }).map(({ begins, ...run }) => {
    const approval = run.shape.approved ? [{ what: { kind: "decide", approve: true } as const, at: 0 }] : [];
    return begins ? { ...run, commands: [...begun, ...approval, ...run.commands] } : run;
  });
}
