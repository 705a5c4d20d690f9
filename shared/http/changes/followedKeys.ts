import * as z from "zod";

/** `<project>/<environment>`, as its parts. */
export const environmentKey = z
  .string()
  .regex(/^[^/]{1,63}\/[^/]{1,63}$/, "must be a project and an environment, such as shop/dev")
  .transform((text) => {
    const [projectKey = "", envKey = ""] = text.split("/");
    return { projectKey, envKey };
  });

/** `<workflow>/<number>`, as its parts. */
export const taskKey = z
  .string()
  .regex(/^.{1,200}\/[1-9]\d{0,11}$/, "must be a workflow and the number of a task, such as ship/7")
  .transform((text) => {
    const at = text.lastIndexOf("/");
    return { key: text.slice(0, at), taskId: Number(text.slice(at + 1)) };
  });
