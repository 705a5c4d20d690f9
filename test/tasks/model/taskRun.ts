import fc from "fast-check";
import type { ErrorDecision } from "../../../shared/workflows/tasks/decideError.ts";
import { jobKinds, type ModelStage } from "./contractModel.ts";

/** One thing that happens. `at` chooses among whatever it may happen to; it is killed after so many writes. */
export interface Command {
  what:
    | { kind: "start" | "cancel" | "retry" | "turn" | "repeat" | "timeout" | "reconcile" | "restart" }
    | { kind: "approve"; approve: boolean }
    | { kind: "decide"; decision: ErrorDecision };
  at: number;
  killedAfter?: number;
}

/** Two workflows, the limits, and what happens to their tasks. */
export interface TaskRun {
  workflows: { stages: ModelStage[]; limit: number }[];
  installationLimit: number;
  commands: Command[];
}

const stage: fc.Arbitrary<ModelStage> = fc.record({
  parallel: fc.boolean(),
  approval: fc.boolean(),
  jobs: fc.array(fc.constantFrom(...jobKinds), { minLength: 1, maxLength: 3 }),
});

const plain = (kind: "start" | "cancel" | "retry" | "turn" | "repeat" | "timeout" | "reconcile" | "restart") =>
  fc.constant({ kind } as const);

const what: fc.Arbitrary<Command["what"]> = fc.oneof(
  { weight: 4, arbitrary: plain("start") },
  { weight: 16, arbitrary: plain("turn") },
  { weight: 2, arbitrary: plain("repeat") },
  { weight: 2, arbitrary: plain("cancel") },
  { weight: 2, arbitrary: plain("retry") },
  { weight: 1, arbitrary: plain("timeout") },
  { weight: 1, arbitrary: plain("reconcile") },
  { weight: 1, arbitrary: plain("restart") },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("approve" as const), approve: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("decide" as const),
      decision: fc.constantFrom("ignore" as const, "reject" as const),
    }),
  },
);

const command: fc.Arbitrary<Command> = fc.record(
  { what, at: fc.nat({ max: 30 }), killedAfter: fc.nat({ max: 6 }) },
  { requiredKeys: ["what", "at"] },
);

/** @param longest how many things happen in a run at most */
export function taskRuns(longest: number): fc.Arbitrary<TaskRun> {
  return fc.record({
    workflows: fc.array(
      fc.record({
        stages: fc.array(stage, { minLength: 1, maxLength: 2 }),
        limit: fc.constantFrom(-1, 1, 1, 2),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    installationLimit: fc.integer({ min: 1, max: 3 }),
    commands: fc.array(command, { minLength: Math.ceil(longest / 2), maxLength: longest, size: "max" }),
  });
}
