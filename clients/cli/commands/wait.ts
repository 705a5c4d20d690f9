import { environmentDetail, hasEnded, unlessMissing } from "@slipway/client";
import type { Command } from "commander";
import { WorkFailed, WrongUsage } from "../endings.ts";
import { shownEnvironment, untilRunning } from "../environment.ts";
import { type Session, sessionOf } from "../session.ts";
import { shownTask, taskNamed, taskOf } from "../task.ts";
import { print, printJson } from "../terminal/print.ts";
import { secondsOf, until } from "../until.ts";
import { aboutEnvironment, type PlaceOptions, placeOf } from "./status.ts";

interface Options extends PlaceOptions {
  for?: string;
  timeout: string;
}

export function waitCommand(program: Command): void {
  aboutEnvironment(program.command("wait"))
    .description("wait for an environment or a task; exit code 5 when the time is over, 1 when it cannot happen")
    .argument("<env or workflow/number>", "such as dev, or release/12")
    .option(
      "--for <state>",
      "of an environment: running (the default) or deleted; of a task: passed (the default), ended or approval",
    )
    .option("--timeout <time>", "how long to wait, such as 90s or 10m", "10m")
    .action(async (name: string, options: Options, command: Command) => {
      const session = sessionOf(command);
      const seconds = secondsOf(options.timeout);
      await (name.includes("/")
        ? forTask(session, name, options, seconds)
        : forEnvironment(session, name, options, seconds));
    });
}

async function forEnvironment(session: Session, env: string, options: Options, seconds: number): Promise<void> {
  const state = options.for ?? "running";
  const place = await placeOf(session, env, options);
  const read = () => environmentDetail(session.slipway, place);
  if (state === "running") {
    await untilRunning(session, place, seconds, () => undefined);
    const detail = await read();
    return session.isJson ? printJson(detail) : print(shownEnvironment(detail).join("\n"));
  }
  if (state !== "deleted") throw new WrongUsage(`--for ${state}: of an environment write running or deleted`);
  await until(`the end of ${place.project}/${env}`, seconds, async () =>
    (await unlessMissing(read())) === undefined ? true : undefined,
  );
  if (session.isJson) printJson({ ...place, deleted: true });
  else print(`${place.project}/${env} is deleted.`);
}

async function forTask(session: Session, name: string, options: Options, seconds: number): Promise<void> {
  const state = options.for ?? "passed";
  if (!["passed", "ended", "approval"].includes(state))
    throw new WrongUsage(`--for ${state}: of a task write passed, ended or approval`);
  const { workflow, id } = taskNamed(name);
  const task = await until(`${name} ${state}`, seconds, async () => {
    const now = await taskOf(session, workflow, id);
    const waits = ({ status }: { status?: string }): boolean => status === "wait_for_approval";
    const isWaiting = now.stages.some((stage) => waits(stage) || stage.jobs.some(waits));
    return hasEnded(now) || (state === "approval" && isWaiting) ? now : undefined;
  });
  if (session.isJson) printJson(task);
  else print(shownTask(task).join("\n"));
  if (state === "passed" && task.status !== "passed") throw new WorkFailed(`${name} ended ${task.status}`);
  if (state === "approval" && hasEnded(task)) throw new WorkFailed(`${name} ended ${task.status} without a question`);
}
