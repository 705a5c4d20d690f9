import * as z from "zod";
import { text } from "../../definition/wireFields.ts";
import { type JobPlanner, single } from "../planner.ts";
import { readInputs } from "../readSpec.ts";

const chosen = z.looseObject({ title: text, content: text });

/** A message that is a job of its own; a start may bring its title and content (contract W 3, 5). */
export const planner: JobPlanner = {
  ...single(),
  select: async (job, parameters) => {
    const { title, content } = readInputs(chosen, parameters, job);
    return {
      ...job.spec,
      ...(typeof title === "string" && { title }),
      ...(typeof content === "string" && { content }),
    };
  },
};
