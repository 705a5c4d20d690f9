import { type RolloutAction, rolloutActions } from "@slipway/client";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { type Session, sessionOf } from "../session.ts";
import { type Task, taskNamed, taskOf } from "../task.ts";
import { ask } from "../terminal/ask.ts";
import { print, printJson } from "../terminal/print.ts";

interface RolloutOptions {
  job?: string;
  yes?: boolean;
}

const actions: Record<RolloutAction, { does: string; done: string }> = {
  pause: { does: "hold a step: it does not begin, or nothing follows it", done: "Held" },
  promote: { does: "let a step go on that is held, or that waits to be executed", done: "Goes on" },
  abort: { does: "cancel the task and take the rollout back", done: "Aborted" },
};

export function rolloutCommand(program: Command): void {
  const rollout = program.command("rollout").description("hold a rollout, let it go on, or take it back");
  for (const action of ["pause", "promote", "abort"] as const) {
    const command = rollout
      .command(action)
      .description(actions[action].does)
      .argument("<workflow/number>", "such as release/12")
      .option("--job <name>", "the step; without it the only one that this can be said to");
    if (action === "abort") command.option("-y, --yes", "do not ask", false);
    command.action(async (name: string, { job, yes }: RolloutOptions, sent: Command) => {
      const session = sessionOf(sent);
      const { workflow, id } = taskNamed(name);
      const job_name = job ?? (await onlyStep(session, { workflow, id, action }));
      const question = `Cancel ${name} and take its rollout back? Type its name: `;
      if (action === "abort" && yes !== true && (await ask(question, "--yes")) !== name)
        throw new WrongUsage("nothing was changed");
      const body = { workflow_key: workflow, task_id: id, job_name, action };
      await session.slipway.POST("/openapi/workflows/custom/task/rollout", { body });
      if (session.isJson) printJson({ workflow, task_id: id, job_name, action });
      else print(`${actions[action].done}: ${job_name} of ${name}`);
    });
  }
}

/** The one job that an action makes sense of. @throws WrongUsage when there is none, or several */
async function onlyStep(
  session: Session,
  { workflow, id, action }: { workflow: string; id: number; action: RolloutAction },
): Promise<string> {
  const names = stepsFor(await taskOf(session, workflow, id), action);
  const [only, ...others] = names;
  if (only === undefined) throw new WrongUsage(`${workflow}/${id} has no step of a rollout to ${action}`);
  // Whichever step is named, its whole rollout is taken back.
  if (others.length > 0 && action !== "abort")
    throw new WrongUsage(`${workflow}/${id} has several steps to ${action}: name one with --job: ${names.join(", ")}`);
  return only;
}

function stepsFor(task: Task, action: RolloutAction): string[] {
  const steps = task.stages.flatMap((stage) =>
    stage.jobs.filter((job) => rolloutActions(task, stage, job).includes(action)),
  );
  return [...new Set(steps.map(({ origin_name }) => origin_name))];
}
