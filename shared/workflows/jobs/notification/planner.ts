import * as z from "zod";
import { readPart } from "../container/readSpec.ts";
import { type JobPlanner, single } from "../planner.ts";

const chosen = z.looseObject({
  title: z.string("must be a text").nullish(),
  content: z.string("must be a text").nullish(),
});

/** A message that is a job of its own; a start may bring its title and content (contract W 3, 5). */
export const notificationPlanner: JobPlanner = {
  ...single(),
  select: async ({ name, spec }, parameters) => {
    const { title, content } = readPart(chosen, parameters, `job ${name}`);
    return {
      ...spec,
      ...(typeof title === "string" && { title }),
      ...(typeof content === "string" && { content }),
    };
  },
};
