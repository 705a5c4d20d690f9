import { type Place, taken } from "@slipway/client";
import type { Command } from "commander";
import { defaultEnvironment } from "../defaults.ts";
import { WorkFailed, WrongUsage } from "../endings.ts";
import { showProgress, untilRunning } from "../environment.ts";
import { recordChanges } from "../recordChanges.ts";
import { type Session, sessionOf } from "../session.ts";
import { ask } from "../terminal/ask.ts";
import { print, printJson } from "../terminal/print.ts";
import { shownDiff, table } from "../terminal/words.ts";
import { secondsOf } from "../until.ts";
import { aboutEnvironment, type PlaceOptions, placeOf } from "./status.ts";
import { versionsOf } from "./workloads.ts";

export function diffCommand(program: Command): void {
  aboutEnvironment(program.command("diff"))
    .description("show where the cluster differs from what was deployed; exit code 1 when it does")
    .argument("<env>")
    .action(async (env: string, options: PlaceOptions, command: Command) => {
      const session = sessionOf(command);
      const place = await placeOf(session, env, options);
      const params = { path: { envName: env }, query: { projectKey: place.project } };
      const drift = await taken(
        place.production
          ? session.slipway.GET("/openapi/environments/production/{envName}/drift", { params })
          : session.slipway.GET("/openapi/environments/{envName}/drift", { params }),
      );
      if (drift.error !== "") throw new WorkFailed(`the cluster could not be read: ${drift.error}`);
      if (session.isJson) printJson(drift);
      else for (const object of drift.objects) print(shownObject(object));
      if (!drift.in_sync) throw new WorkFailed(`${drift.objects.length} objects differ from what was deployed`);
      if (!session.isJson) print(`${place.project}/${env} is as it was deployed.`);
    });
}

function shownObject({
  service_name,
  state,
  kind,
  name,
  fields,
}: {
  service_name: string;
  state: string;
  kind: string;
  name: string;
  fields: { path: string; applied: unknown; live: unknown; manager: string }[];
}): string {
  const shown = fields.map(({ path, applied, live, manager }) => {
    const by = manager === "" ? "" : `  (${manager})`;
    return shownDiff(`  ${path}${by}\n- ${JSON.stringify(applied)}\n+ ${JSON.stringify(live)}`);
  });
  return [`${state} ${kind} ${name} of ${service_name}`, ...shown].join("\n");
}

interface RollbackOptions extends PlaceOptions {
  env: string;
  to?: string;
  yes: boolean;
  dryRun: boolean;
  wait: boolean;
  timeout: string;
}

export function rollbackCommand(program: Command): void {
  aboutEnvironment(program.command("rollback"))
    .description("bring a service back to a version that it had before")
    .argument("<service>")
    .option("-e, --env <key>", "environment", defaultEnvironment())
    .option("--to <revision>", "the version to go back to; without it the one before")
    .option("-y, --yes", "do not ask", false)
    .option("--dry-run", "say what would change, and change nothing", false)
    .option("--no-wait", "do not wait until it runs")
    .option("--timeout <time>", "how long to wait, such as 90s or 10m", "5m")
    .action(async (service: string, options: RollbackOptions, command: Command) => {
      const session = sessionOf(command);
      const seconds = secondsOf(options.timeout);
      const place = await placeOf(session, options.env, options);
      const revision = await targetOf(session, place, service, options.to);
      const preview = await rollBack(session, place, { service, revision, isPreview: true });
      recordChanges(preview);
      if (options.dryRun) return printPreview(session, place, service, revision);
      const question = `Bring ${service} in ${place.project}/${place.env} back to version ${revision}? Type its name: `;
      if (!options.yes && (await ask(question, "--yes")) !== service) throw new WrongUsage("nothing was changed");
      await rollBack(session, place, { service, revision, isPreview: false });
      if (options.wait) await untilRunning(session, place, seconds, showProgress());
      if (session.isJson) printJson({ service, revision, ...place });
      else print(`${service} is brought back to version ${revision}.`);
    });
}

function printPreview({ isJson }: Session, place: Place, service: string, revision: number): void {
  if (isJson) printJson({ service, revision, ...place, dry_run: true });
  else print(`${service} would be brought back to version ${revision}. Nothing was changed.`);
}

async function targetOf(session: Session, place: Place, service: string, named: string | undefined): Promise<number> {
  if (named !== undefined && /^\d{1,9}$/.test(named)) return Number(named);
  const versions = await versionsOf(session, place, service);
  if (named !== undefined) {
    const rows = versions.map((one) => [String(one.revision), one.operation, one.create_by, one.images.join(", ")]);
    throw new WrongUsage(`--to takes the number of a version:\n${table(["VERSION", "BY", "WHO", "IMAGES"], rows)}`);
  }
  const before = versions[1];
  if (before === undefined) throw new WrongUsage(`${service} has no earlier version in ${place.project}/${place.env}`);
  return before.revision;
}

function rollBack(
  { slipway }: Session,
  place: Place,
  { service, revision, isPreview }: { service: string; revision: number; isPreview: boolean },
) {
  const path = { envName: place.env, serviceName: service, revision: String(revision) };
  const query = { projectKey: place.project, ...(isPreview && { dryRun: "true" as const }) };
  const params = { path, query };
  return taken(
    place.production
      ? slipway.POST("/openapi/environments/production/{envName}/service/{serviceName}/versions/{revision}/rollback", {
          params,
        })
      : slipway.POST("/openapi/environments/{envName}/service/{serviceName}/versions/{revision}/rollback", { params }),
  );
}
