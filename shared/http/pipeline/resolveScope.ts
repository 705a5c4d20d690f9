import { badRequest, type Problem } from "../../base/errors/apiError.ts";
import { findTaskOwner } from "../../workflows/records/taskHeads.ts";
import { eitherPlace, fillProject, sentName, textAt } from "../eitherPlace.ts";
import { type Exchange, type Middleware, rawRequest } from "../exchange.ts";
import type { Place } from "../route.ts";

/** Longer than any name, and short enough for a key of the store. */
const maxCharacters = 256;

/**
 * Finds project, environment and workflow in the places that the declaration names; absent is 400 (decisions 1), and so
 * is whatever is too long in the path. For the project, query and body replace each other.
 */
export function resolveScope(): Middleware {
  return {
    before: async ({ internal }) => {
      const { project, projectOf, environment, workflow, production } = internal.route?.scope ?? {};
      const either = internal.route && eitherPlace(internal.route);
      const problems = either === undefined ? [] : fillProject(internal, either);
      for (const [name, value] of Object.entries(internal.params)) refuseLong(problems, { in: "path", name, value });
      const named = project && valueAt(internal, [project].flat(), problems);
      const environments = environment && [environment].flat();
      const environmentName = environments && valueAt(internal, environments, problems);
      const workflowKey = workflow && valueAt(internal, [workflow], problems);
      if (problems.length > 0) throw badRequest(problems);
      const projectKey = projectOf === "workflow" ? await projectOfWorkflow(workflowKey ?? "") : named;
      internal.scope = {
        ...(projectKey !== undefined && { projectKey }),
        ...(environmentName !== undefined && { environment: environmentName }),
        ...(workflowKey !== undefined && { workflow: workflowKey }),
        ...(production && { production: isTrueAt(rawRequest(internal), production) }),
        ...(internal.params.uid !== undefined && { uid: internal.params.uid }),
      };
    },
  };
}

function isTrueAt({ body, query }: ReturnType<typeof rawRequest>, { in: part, name }: Place): boolean {
  return part === "body" ? body[name] === true : query[name] === "true";
}

/** An empty key for an unknown workflow: a caller who may not see a workflow is refused in the same words. */
async function projectOfWorkflow(workflowKey: string): Promise<string> {
  return (await findTaskOwner(workflowKey))?.projectKey ?? "";
}

function refuseLong(problems: Problem[], given: { in: Place["in"]; name: string; value: string }): void {
  if (given.value.length > maxCharacters)
    problems.push({ in: given.in, path: given.name, problem: `must have at most ${maxCharacters} characters` });
}

function valueAt(exchange: Exchange, places: readonly Place[], problems: Problem[]): string | undefined {
  const raw = rawRequest(exchange);
  for (const place of places) {
    const value = textAt(raw, place);
    if (value === undefined) continue;
    if (place.in !== "path") refuseLong(problems, { in: place.in, name: sentName(exchange, place), value });
    return value;
  }
  const [first] = places;
  if (first !== undefined)
    problems.push({ in: first.in, path: first.name, problem: "must be given as a text that is not empty" });
  return undefined;
}
