import { sendNotificationJob } from "../../../integrations/notify/sendNotificationJob.ts";
import { findWholeTask } from "../../records/findTasks.ts";
import { tryName } from "../../records/rules/tryName.ts";
import { notificationRenderer } from "../notificationRenderer.ts";
import { failed, immediate, passed } from "../runner.ts";

/** Sends the message and waits for it; a try that runs again after a crash sends nothing twice (contract W 5). */
export const runner = immediate(async ({ task, job, spec, engine }) => {
  const whole = await findWholeTask(task.owner.id, task.taskId);
  if (whole === undefined) return failed("the task is gone");
  const error = await sendNotificationJob(await engine.taskNotice(whole), {
    jobName: job.name,
    tryName: tryName(job),
    spec,
    title: textOf(spec.title),
    content: textOf(spec.content),
    render: notificationRenderer(whole),
  });
  return error === "" ? passed() : failed(error);
});

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
