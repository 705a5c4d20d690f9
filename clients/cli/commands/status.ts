import { type Change, changes, environmentDetail, type Place, taken } from "@slipway/client";
import type { Command } from "commander";
import { projectOf } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";
import { headOf, shownEnvironment, shownProgress } from "../environment.ts";
import { listProjects } from "../projects.ts";
import { type Session, sessionOf } from "../session.ts";
import { print, printJson } from "../terminal/print.ts";
import { Progress } from "../terminal/progress.ts";
import { shownStatus, table } from "../terminal/words.ts";

export interface PlaceOptions {
  project?: string;
  production: boolean;
}

interface StatusOptions extends PlaceOptions {
  watch: boolean;
}

/** Options of commands about an environment. */
export function aboutEnvironment(command: Command): Command {
  return command
    .option("-p, --project <key>", "project; without it the one chosen, or the only one there is")
    .option("--production", "a production environment", false);
}

/** @throws WrongUsage when the project is not clear */
export async function placeOf(session: Session, env: string, { project, production }: PlaceOptions): Promise<Place> {
  return { project: await projectOf(session, project), env, production };
}

export function statusCommand(program: Command): void {
  aboutEnvironment(program.command("status"))
    .description("show environments, or the services of one")
    .argument("[env]", "environment; without it all environments that you may see")
    .option("-w, --watch", "go on with what changes until Ctrl-C", false)
    .action(async (env: string | undefined, options: StatusOptions, command: Command) => {
      const session = sessionOf(command);
      if (env === undefined) {
        if (options.watch) throw new WrongUsage("--watch follows one environment: name it");
        return overview(session, options);
      }
      const place = await placeOf(session, env, options);
      if (options.watch) return watch(session, place);
      const detail = await environmentDetail(session.slipway, place);
      if (session.isJson) printJson(detail);
      else print(shownEnvironment(detail).join("\n"));
    });
}

/** On a terminal in place, elsewhere each line that is new; for machines one line a change. */
async function watch(session: Session, place: Place): Promise<void> {
  const progress = new Progress(process.stdout);
  let last = "";
  const show = async () => {
    const detail = await environmentDetail(session.slipway, place);
    const line = JSON.stringify(detail);
    if (line === last) return;
    last = line;
    if (session.isJson) print(line);
    else progress.show([...headOf(detail), ...shownProgress(detail)]);
  };
  await show();
  const following = { project: place.project, environment: place };
  for await (const change of changes(session.connection, following)) if (concerns(change, place)) await show();
}

function concerns(change: Change, { env, production }: Place): boolean {
  if (change.type === "environment") return change.key === env && change.production === production;
  return change.type === "services" || change.type === "reset";
}

async function overview(session: Session, { project }: PlaceOptions): Promise<void> {
  const keys = project === undefined ? (await listProjects(session)).map(({ project_key }) => project_key) : [project];
  const lists = await Promise.all(keys.map((key) => environmentsOf(session, key)));
  const environments = lists.flat();
  if (session.isJson) return printJson(environments);
  if (environments.length === 0) return print("There is no environment yet; `slipway apply -f FOLDER` makes one.");
  const rows = environments.map((one) => [
    ...[one.project_key, one.env_key, one.production ? "production" : "test"],
    ...[shownStatus(one.status), one.namespace, one.update_by],
  ]);
  print(table(["PROJECT", "ENVIRONMENT", "KIND", "STATUS", "NAMESPACE", "CHANGED BY"], rows));
}

async function environmentsOf({ slipway }: Session, project: string) {
  const params = { query: { projectKey: project } };
  const [tests, production] = await Promise.all([
    taken(slipway.GET("/openapi/environments", { params })),
    taken(slipway.GET("/openapi/environments/production", { params })),
  ]);
  return [...tests, ...production].map((one) => ({ project_key: project, ...one }));
}
