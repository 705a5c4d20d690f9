import { SlipwayError, taken } from "@slipway/client";
import type { Command } from "commander";
import { projectOf } from "./defaults.ts";
import { nearest } from "./nearest.ts";
import { kinds } from "./resources.ts";
import { sessionOf } from "./session.ts";

/**
 * What a name that Slipway does not know was probably meant to be: the nearest name of a project, environment, service or
 * workflow to one that was typed.
 * @returns a line for people; "" where nothing is close, or where names cannot be read
 */
export async function suggestionFor(error: unknown, command: Command | undefined): Promise<string> {
  if (!(error instanceof SlipwayError) || error.status !== 404 || command === undefined) return "";
  try {
    const typed = [...command.processedArgs, ...Object.values(command.opts())].flat().flatMap(wordsOf);
    const known = await knownNames(command);
    const wrong = typed.filter((word) => !known.has(word));
    const found = wrong.map((word) => nearest(word, known)).find((one) => one !== undefined);
    return found === undefined ? "" : `Did you mean ${found}?`;
  } catch {
    return "";
  }
}

const wordsOf = (value: unknown): string[] => (typeof value === "string" ? [value, value.replace(/\/\d+$/, "")] : []);

async function knownNames(command: Command): Promise<Set<string>> {
  const session = sessionOf(command);
  const { project } = command.opts<{ project?: string }>();
  const answer = await taken(
    session.slipway.GET("/openapi/projects/project", { params: { query: { pageSize: "100" } } }),
  );
  const keys = answer.projects.map(({ project_key }) => project_key);
  const key = await projectOf(session, project);
  if (!keys.includes(key)) return new Set(keys);
  const scope = { project: async () => key, production: false };
  const ofProject = kinds.filter(({ plural }) => ["environments", "services", "workflows"].includes(plural));
  const lists = await Promise.all(ofProject.map(async (one) => (await one.list(session, scope)).map(one.name)));
  return new Set([...keys, ...lists.flat()]);
}
