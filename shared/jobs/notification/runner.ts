import { tryName } from "../../domain/task/tryName.ts";
import { sendNotificationJob } from "../../notify/sendNotificationJob.ts";
import { findWholeTask } from "../../store/tasks/findTasks.ts";
import { notificationRenderer } from "../../tasks/notificationRenderer.ts";
import { taskNotice } from "../../tasks/taskNotice.ts";
import { failed, immediate, passed } from "../runner.ts";

/** Sends the message and waits for it; a try that runs again after a crash sends nothing twice (contract W 5). */
export const notificationRunner = immediate(async ({ task, job, spec }) => {
  const whole = await findWholeTask(task.owner.id, task.taskId);
  if (whole === undefined) return failed("the task is gone");
  const error = await sendNotificationJob(await taskNotice(whole), {
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
