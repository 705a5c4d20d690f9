import { readFileSync } from "node:fs";
import { taken } from "@slipway/client";
import { WrongUsage } from "./endings.ts";
import type { Session } from "./session.ts";

/** Written by `slipway init`; commands in its folder need neither `-p` nor `-e`. */
export const settingsFile = "slipway.yaml";

interface Defaults {
  project?: string;
  environment?: string;
}

/** Lines of `slipway.yaml` in this folder: `project: shop`. @throws WrongUsage for any other line */
function readDefaults(): Defaults {
  let text: string;
  try {
    text = readFileSync(settingsFile, "utf8");
  } catch {
    return {};
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^(project|environment): *([\w-]+) *$/.exec(line.trimEnd()) ?? [];
      if (name === undefined) throw new WrongUsage(`${settingsFile}: ${line}: write project: KEY or environment: KEY`);
      return [name, value];
    }),
  );
}

/** The environment of commands that name none. */
export const defaultEnvironment = (): string => process.env.SLIPWAY_ENVIRONMENT || readDefaults().environment || "dev";

/**
 * The project of a command: of `-p`, else of `SLIPWAY_PROJECT`, `slipway.yaml` or the context (`slipway context project KEY`),
 * else the only one there is.
 * @throws WrongUsage when it is not clear
 */
export async function projectOf(session: Session, named: string | undefined): Promise<string> {
  const chosen = named ?? (process.env.SLIPWAY_PROJECT || readDefaults().project || session.project);
  if (chosen !== undefined) return chosen;
  const answer = await taken(
    session.slipway.GET("/openapi/projects/project", { params: { query: { pageSize: "20" } } }),
  );
  const keys = answer.projects.map(({ project_key }) => project_key);
  const [only, ...others] = keys;
  if (only === undefined) throw new WrongUsage("there is no project yet; `slipway apply -f FOLDER` makes one");
  if (others.length === 0) return only;
  throw new WrongUsage(
    `there are several projects: choose one with -p, or for all commands with \`slipway context project KEY\`: ${keys.join(", ")}`,
  );
}
