import type { EnvironmentName } from "../../environments/requireEnvironment.ts";
import type { TaskActor } from "../../workflows/records/task.ts";

/** Who looks at a preview: each answers why something may not be seen, undefined when it may. */
export interface PreviewReader {
  actor: TaskActor;
  workflowRefusal(workflow: { projectKey: string; key: string }): Promise<string | undefined>;
  environmentRefusal(environment: EnvironmentName): Promise<string | undefined>;
}
