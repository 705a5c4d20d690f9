import { taken } from "@slipway/client";
import type { Command } from "commander";
import { projectOf } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";
import { dryRunOption } from "../report.ts";
import { type Session, sessionOf } from "../session.ts";
import { follow, taskNamed, taskOf } from "../task.ts";
import { printList, shownTime } from "../terminal/list.ts";
import { print, printJson } from "../terminal/print.ts";
import { shownStatus } from "../terminal/words.ts";
import { secondsOf } from "../until.ts";

export function runsCommand(program: Command): void {
  program
    .command("runs")
    .description("list the tasks of a workflow, the newest first")
    .argument("<workflow>", "key of the workflow")
    .option("-p, --project <key>", "project; without it the one chosen, or the only one there is")
    .option("--limit <number>", "how many", "20")
    .action(async (workflowKey: string, { project, limit }: { project?: string; limit: string }, command: Command) => {
      if (!/^[1-9]\d{0,2}$/.test(limit)) throw new WrongUsage(`--limit ${limit}: write a number from 1 to 999`);
      const session = sessionOf(command);
      const query = { projectKey: await projectOf(session, project), pageNum: "1", pageSize: limit };
      const params = { path: { workflowKey }, query };
      const answer = await taken(session.slipway.GET("/openapi/workflows/custom/{workflowKey}/tasks", { params }));
      printList(session, answer.workflow_tasks, {
        name: ({ workflow_key, task_id }) => `${workflow_key}/${task_id}`,
        columns: [
          { heading: "TASK", of: ({ workflow_key, task_id }) => `${workflow_key}/${task_id}` },
          { heading: "STATUS", of: ({ status }) => shownStatus(status) },
          { heading: "WHO", of: ({ task_creator }) => task_creator },
          { heading: "STARTED", of: ({ start_time }) => shownTime(start_time) },
          { heading: "SECONDS", of: ({ start_time, end_time }) => (end_time > 0 ? end_time - start_time : "") },
          { heading: "CREATED", of: ({ create_time }) => shownTime(create_time), isWide: true },
        ],
        none: `${workflowKey} has not run yet.`,
      });
    });
}

export function cancelCommand(program: Command): void {
  program
    .command("cancel")
    .description("cancel a task of a workflow")
    .argument("<workflow/number>", "such as release/12")
    .option(...dryRunOption)
    .action(async (name: string, { dryRun }: { dryRun: boolean }, command: Command) => {
      const session = sessionOf(command);
      const { workflow, id } = taskNamed(name);
      if (dryRun) return preview(session, name, "cancelled");
      const query = { workflowKey: workflow, taskId: String(id) };
      await session.slipway.DELETE("/openapi/workflows/custom/task", { params: { query } });
      if (session.isJson) printJson({ workflow, task_id: id, cancelled: true });
      else print(`${name} is cancelled.`);
    });
}

async function preview(session: Session, name: string, what: string): Promise<void> {
  const { workflow, id } = taskNamed(name);
  const { status } = await taskOf(session, workflow, id);
  if (session.isJson) printJson({ workflow, task_id: id, status, dry_run: true });
  else print(`${name}, which is ${status}, would be ${what}. Nothing was changed.`);
}

export function retryCommand(program: Command): void {
  program
    .command("retry")
    .description("run a task again that did not pass, from what failed, and follow it")
    .argument("<workflow/number>", "such as release/12")
    .option(...dryRunOption)
    .option("--no-wait", "start it, and leave it to itself")
    .option("--timeout <time>", "how long to follow it, such as 10m or 1h", "1h")
    .action(async (name: string, options: { dryRun: boolean; wait: boolean; timeout: string }, command: Command) => {
      const session = sessionOf(command);
      const seconds = secondsOf(options.timeout);
      const { workflow, id } = taskNamed(name);
      if (options.dryRun) return preview(session, name, "run again");
      const { project_key: projectKey } = await taskOf(session, workflow, id);
      const path = { workflowKey: workflow, taskID: String(id) };
      await session.slipway.POST("/openapi/workflows/custom/{workflowKey}/task/{taskID}", {
        params: { path, query: { projectKey } },
      });
      const task = options.wait
        ? await follow(session, workflow, id, seconds)
        : { workflow, task_id: id, retried: true };
      if (session.isJson) printJson(task);
      else if (!options.wait) print(`${name} runs again.`);
    });
}
