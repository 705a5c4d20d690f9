import { type Applier, type ApplyReport, applyManifests, taken } from "@slipway/client";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { showProgress, untilChangeable, untilRunning } from "../environment.ts";
import { readManifests } from "../manifests.ts";
import { type Session, sessionOf } from "../session.ts";
import { note, print, printJson } from "../terminal/print.ts";
import { shownDiff } from "../terminal/words.ts";
import { secondsOf } from "../until.ts";

interface Options {
  file: string;
  project?: string;
  env: string;
  namespace?: string;
  cluster?: string;
  prune: boolean;
  dryRun: boolean;
  wait: boolean;
  timeout: string;
}

export function applyCommand(program: Command): void {
  program
    .command("apply")
    .description("make the project, services and environment of a folder of manifests, or change them to what it says")
    .requiredOption("-f, --file <path>", "folder of manifests, or one of its files; each file is a service")
    .option("-p, --project <key>", "project; without it the folder's name")
    .option("-e, --env <key>", "environment", "dev")
    .option("-n, --namespace <name>", "namespace of a new environment; without it <project>-<env>")
    .option("--cluster <name>", "cluster of a new environment, where there are several")
    .option("--prune", "remove services from the environment that the folder does not have", false)
    .option("--dry-run", "say what would change, and change nothing", false)
    .option("--no-wait", "do not wait until everything runs")
    .option("--timeout <time>", "how long to wait, such as 90s or 10m", "5m")
    .action(async (options: Options, command: Command) => {
      const session = sessionOf(command);
      const seconds = secondsOf(options.timeout);
      const manifests = readManifests(options.file);
      const place = { project: options.project ?? manifests.name, env: options.env, production: false };
      const applier = applierOf(session, options.cluster, seconds);
      const report = await applyManifests(applier, manifests.services, { ...options, ...place });
      if (options.wait && !options.dryRun) await untilRunning(session, place, seconds, showProgress());
      if (session.isJson) printJson(report);
      else print(summary(report));
    });
}

/**
 * What `applyManifests` needs of a command.
 * @param cluster name of the cluster of a new environment, where there are several
 * @param seconds how long to wait for a change that is under way
 */
export function applierOf(session: Session, cluster: string | undefined, seconds: number): Applier {
  return {
    slipway: session.slipway,
    cluster: () => clusterId(session, cluster),
    untilChangeable: (place) => untilChangeable(session, place, seconds),
    say: note,
    // What comes or goes as a whole needs no difference to be understood.
    show: ({ action, kind, name, diff }) =>
      note(`${action} ${kind} ${name}${action === "change" ? `\n${shownDiff(diff)}` : ""}`),
  };
}

/** @throws WrongUsage when it is not clear which */
export async function clusterId({ slipway }: Session, named: string | undefined): Promise<string> {
  const clusters = await taken(slipway.GET("/openapi/system/cluster"));
  const [only, ...others] = clusters.filter(({ name }) => named === undefined || name === named);
  if (only !== undefined && others.length === 0) return only.cluster_id;
  const known = clusters.map(({ name }) => name).join(", ");
  if (named === undefined) throw new WrongUsage(`there are several clusters (${known}): choose one with --cluster`);
  throw new WrongUsage(`there is no cluster ${named}; known are ${known}`);
}

function summary({ project, env, dry_run, created, changed, removed, unchanged }: ApplyReport): string {
  const parts = Object.entries({ created, changed, removed, unchanged })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${names.length} ${what}`);
  const next = dry_run ? "nothing was changed" : `\`slipway status ${env} -p ${project}\` shows it`;
  return `${project}/${env}: ${dry_run ? "would be " : ""}${parts.join(", ")} (${next})`;
}
