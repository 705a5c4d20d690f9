import * as z from "zod";
import { log } from "../../../shared/base/settings/log.ts";
import { packageCharts } from "../../../shared/delivery/packageCharts.ts";
import { concludeVersion, copyImages, giveUpVersion, resolveImages } from "../../../shared/delivery/versionSteps.ts";

const attempt = { versionId: z.string(), attempt: z.int() };

const taskEvent = z.discriminatedUnion("task", [
  z.object({ task: z.literal("resolve"), ...attempt }),
  z.object({ task: z.literal("charts"), ...attempt }),
  z.object({ task: z.literal("copy"), ...attempt }),
  z.object({ task: z.literal("conclude"), ...attempt }),
  z.object({ task: z.literal("giveUp"), ...attempt, error: z.string() }),
]);

/** The task handlers of the state machine `delivery-version`; each may run twice with the same outcome. */
export async function handler(event: unknown): Promise<unknown> {
  const task = taskEvent.parse(event);
  switch (task.task) {
    case "resolve":
      return resolveImages(task);
    case "charts":
      return packageCharts(task);
    case "copy":
      return copyImages(task);
    case "conclude":
      return concludeVersion(task);
    case "giveUp":
      log.error("delivery version given up", { versionId: task.versionId, internal: task.error.slice(0, 2000) });
      return giveUpVersion(task);
  }
}
