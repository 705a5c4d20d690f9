import * as z from "zod";
import { filled } from "../../../shared/http/schemas.ts";
import { allProjects } from "../../../shared/integrations/rules/projectsOf.ts";

export const keysOfProjects = z
  .array(filled("a project key", 64), "must be a list of project keys")
  .min(1, `must name a project, or ${allProjects}`)
  .meta({ description: `Keys of the projects whose workflows may use it; ${allProjects} for every one` });

/** Of an integration that every project may use unless it says which (record 211). */
export const forProjects = keysOfProjects.default([allProjects]);
