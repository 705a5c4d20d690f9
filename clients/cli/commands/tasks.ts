import { taken } from "@slipway/client";
import type { Command } from "commander";
import { projectOf } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";
import { type Session, sessionOf } from "../session.ts";
import { follow, shownTask, taskNamed, taskOf } from "../task.ts";
import { print, printJson } from "../terminal/print.ts";
import { secondsOf } from "../until.ts";

interface RunOptions {
  project?: string;
  param: string[];
  job: string[];
  wait: boolean;
  timeout: string;
}

const collected = (value: string, before: string[]): string[] => [...before, value];

export function runCommand(program: Command): void {
  program
    .command("run")
    .description("start a workflow and follow its task, with what its jobs say")
    .argument("<workflow>", "key of the workflow")
    .option("-p, --project <key>", "project; without it the one chosen, or the only one there is")
    .option("--param <name=value>", "a parameter of the workflow; may stand several times", collected, [])
    .option("--job <name>", "run this job; may stand several times; without it all run", collected, [])
    .option("--no-wait", "start it, and leave it to itself")
    .option("--timeout <time>", "how long to follow it, such as 10m or 1h", "1h")
    .action(async (workflow: string, options: RunOptions, command: Command) => {
      const session = sessionOf(command);
      const seconds = secondsOf(options.timeout);
      const id = await start(session, workflow, options);
      if (!options.wait)
        return session.isJson ? printJson({ workflow, task_id: id }) : print(`${workflow}/${id} started`);
      const task = await follow(session, workflow, id, seconds);
      if (session.isJson) printJson(task);
    });
}

async function start(session: Session, workflow: string, options: RunOptions): Promise<number> {
  const { slipway } = session;
  const project = await projectOf(session, options.project);
  const detail = await taken(
    slipway.GET("/openapi/workflows/custom/{workflowKey}/detail", {
      params: { path: { workflowKey: workflow }, query: { projectKey: project } },
    }),
  );
  const jobs = detail.stages.flatMap((stage) => stage.jobs.map(({ name }) => name));
  const unknown = options.job.filter((name) => !jobs.includes(name));
  if (unknown.length > 0)
    throw new WrongUsage(`${workflow} has no job ${unknown.join(", ")}; it has ${jobs.join(", ")}`);
  const wanted = options.job.length === 0 ? jobs : options.job;
  const answer = await taken(
    slipway.POST("/openapi/workflows/custom/task", {
      body: {
        workflow_key: workflow,
        project_key: project,
        parameters: options.param.map(parameter),
        inputs: wanted.map((job_name) => ({ job_name })),
      },
    }),
  );
  return answer.task_id;
}

function parameter(text: string): { name: string; value: string } {
  const at = text.indexOf("=");
  if (at < 1) throw new WrongUsage(`--param ${text}: write name=value`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

export function taskCommand(program: Command): void {
  program
    .command("task")
    .description("show a task of a workflow")
    .argument("<workflow/number>", "such as release/12")
    .option("-f, --follow", "go on until it has ended", false)
    .option("--timeout <time>", "how long to follow it, such as 10m or 1h", "1h")
    .action(async (name: string, options: { follow: boolean; timeout: string }, command: Command) => {
      const session = sessionOf(command);
      const { workflow, id } = taskNamed(name);
      const task = options.follow
        ? await follow(session, workflow, id, secondsOf(options.timeout))
        : await taskOf(session, workflow, id);
      if (session.isJson) printJson(task);
      else if (!options.follow) print(shownTask(task).join("\n"));
    });
}

interface ApproveOptions {
  stage?: string;
  reject: boolean;
  comment: string;
}

export function approveCommand(program: Command): void {
  program
    .command("approve")
    .description("let a task that waits for you go on, or end it")
    .argument("<workflow/number>", "such as release/12")
    .option("--stage <name>", "the stage; without it the one that waits")
    .option("--reject", "say no", false)
    .option("--comment <text>", "why", "")
    .action(async (name: string, { stage, reject, comment }: ApproveOptions, command: Command) => {
      const session = sessionOf(command);
      const { workflow, id } = taskNamed(name);
      const stage_name = stage ?? (await waitingStage(session, workflow, id));
      const body = { workflow_key: workflow, task_id: id, stage_name, approve: !reject, comment };
      await session.slipway.POST("/openapi/workflows/custom/task/approve", { body });
      if (session.isJson) printJson({ workflow, task_id: id, stage_name, approved: !reject });
      else print(`${reject ? "Rejected" : "Approved"}: ${stage_name} of ${name}`);
    });
}

async function waitingStage(session: Session, workflow: string, id: number): Promise<string> {
  const { stages } = await taskOf(session, workflow, id);
  const waits = ({ status }: { status?: string }): boolean => status === "wait_for_approval";
  const [only, ...others] = stages.filter((stage) => waits(stage) || stage.jobs.some(waits));
  if (only === undefined) throw new WrongUsage(`${workflow}/${id} waits for nobody's approval`);
  if (others.length > 0) throw new WrongUsage(`several stages of ${workflow}/${id} wait: name one with --stage`);
  return only.name;
}
