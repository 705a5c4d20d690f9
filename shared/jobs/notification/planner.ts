import * as z from "zod";
import { ApiError } from "../../domain/errors/apiError.ts";
import { type JobPlanner, single } from "../planner.ts";

const chosen = z.looseObject({
  title: z.string("must be a text").nullish(),
  content: z.string("must be a text").nullish(),
});

/** A message that is a job of its own; a start may bring its title and content (contract W 3, 5). */
export const notificationPlanner: JobPlanner = {
  ...single(),
  select: async ({ name, spec }, parameters) => {
    const read = chosen.safeParse(parameters);
    if (!read.success) {
      const problems = read.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
      throw new ApiError(6160, `job ${name}: ${problems}`);
    }
    const { title, content } = read.data;
    return {
      ...spec,
      ...(typeof title === "string" && { title }),
      ...(typeof content === "string" && { content }),
    };
  },
};
