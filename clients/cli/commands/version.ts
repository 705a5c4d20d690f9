import { createVersion, environmentDetail, everyPage, type Place, runsCharts, taken } from "@slipway/client";
import type { Command } from "commander";
import { WorkFailed, WrongUsage } from "../endings.ts";
import { showProgress, untilRunning } from "../environment.ts";
import { recordChanges } from "../recordChanges.ts";
import { type Session, sessionOf } from "../session.ts";
import { ask } from "../terminal/ask.ts";
import { print, printJson } from "../terminal/print.ts";
import { Progress } from "../terminal/progress.ts";
import { shownDiff, shownStatus, table } from "../terminal/words.ts";
import { secondsOf, until } from "../until.ts";
import { aboutEnvironment, type PlaceOptions, placeOf } from "./status.ts";

type Version = Awaited<ReturnType<typeof versionNamed>>;

interface ProjectOptions {
  project?: string;
}

interface CreateOptions extends PlaceOptions {
  from: string;
  registry?: string;
  chartRepository?: string;
  label: string[];
  description: string;
  wait: boolean;
  timeout: string;
}

interface DeployOptions extends PlaceOptions {
  env: string;
  dryRun: boolean;
  yes: boolean;
  wait: boolean;
  timeout: string;
}

export function versionCommand(program: Command): void {
  const version = program.command("version").description("see, make, compare and deploy delivery versions");
  ofProject(version.command("list", { isDefault: true }))
    .description("list delivery versions, the newest first")
    .action(async (options: ProjectOptions, command: Command) => {
      const session = sessionOf(command);
      await list(session, await projectOf(session, options));
    });
  ofProject(version.command("show"))
    .description("show a version with its images, each by its digest")
    .argument("<name>")
    .action(async (name: string, options: ProjectOptions, command: Command) => {
      const session = sessionOf(command);
      show(session, await versionNamed(session, await projectOf(session, options), name));
    });
  ofProject(version.command("manifest"))
    .description("print a version as one YAML, its images by digest")
    .argument("<name>")
    .action(async (name: string, options: ProjectOptions, command: Command) => {
      const session = sessionOf(command);
      const { id } = await versionNamed(session, await projectOf(session, options), name);
      const params = { path: { id } };
      const path = "/openapi/delivery/releases/{id}/manifest";
      print(await taken(session.slipway.GET(path, { params, parseAs: "text" })));
    });
  ofProject(version.command("diff"))
    .description("show what is different between two versions")
    .argument("<before>")
    .argument("<after>")
    .action(async (before: string, after: string, options: ProjectOptions, command: Command) => {
      const session = sessionOf(command);
      const project = await projectOf(session, options);
      const [one, other] = await Promise.all([before, after].map((name) => versionNamed(session, project, name)));
      await compare(session, one as Version, other as Version);
    });
  aboutEnvironment(version.command("create"))
    .description("make a version of what an environment runs, and copy its images to a registry")
    .argument("<name>", "becomes the tag of the copies")
    .requiredOption("--from <env>", "the environment")
    .option("--registry <id>", "where images are copied to, by its id; without it they stay where they are")
    .option("--chart-repository <name>", "where charts are pushed to, of an environment that runs charts")
    .option("--label <text...>", "labels", [])
    .option("--description <text>", "what is new", "")
    .option("--no-wait", "do not wait until its images are copied")
    .option("--timeout <time>", "how long to wait, such as 90s or 10m", "10m")
    .action(async (name: string, options: CreateOptions, command: Command) => {
      const session = sessionOf(command);
      const seconds = secondsOf(options.timeout);
      const place = await placeOf(session, options.from, options);
      await create(session, place, name, options);
      const read = () => versionNamed(session, place.project, name);
      const made = options.wait ? await untilOver(name, seconds, read) : await read();
      show(session, made);
      if (made.status === "failed") throw new WorkFailed(`version ${name} failed: ${made.error}`);
    });
  aboutEnvironment(version.command("deploy"))
    .description("deploy the images of a version into an environment, by their digests")
    .argument("<name>")
    .requiredOption("-e, --env <key>", "environment")
    .option("--dry-run", "only show what would change", false)
    .option("-y, --yes", "do not ask", false)
    .option("--no-wait", "do not wait until it runs")
    .option("--timeout <time>", "how long to wait, such as 90s or 10m", "5m")
    .action(async (name: string, options: DeployOptions, command: Command) => {
      const session = sessionOf(command);
      await deploy(session, await placeOf(session, options.env, options), name, options);
    });
}

function ofProject(command: Command): Command {
  return command.option("-p, --project <key>", "project; without it the only one there is");
}

async function projectOf(session: Session, { project }: ProjectOptions): Promise<string> {
  return (await placeOf(session, "", { ...(project !== undefined && { project }), production: false })).project;
}

async function list({ slipway, isJson }: Session, projectKey: string): Promise<void> {
  const versions = [];
  for await (const version of everyPage(
    async (query) =>
      (await taken(slipway.GET("/openapi/delivery/releases", { params: { query: { ...query, projectKey } } }))).list,
  ))
    versions.push(version);
  if (isJson) return printJson(versions);
  if (versions.length === 0) return print(`Project ${projectKey} has no delivery version yet.`);
  const rows = versions.map((one) => [
    ...[one.version_name, shownStatus(one.status), one.source, one.created_by],
    ...[new Date(one.create_time * 1000).toISOString(), one.labels.join(", ")],
  ]);
  print(table(["VERSION", "STATUS", "SOURCE", "MADE BY", "MADE AT", "LABELS"], rows));
}

function versionNamed({ slipway }: Session, projectKey: string, versionName: string) {
  const params = { query: { projectKey, versionName } };
  return taken(slipway.GET("/openapi/delivery/releases/detail", { params }));
}

function show({ isJson }: Session, version: Version): void {
  if (isJson) printJson(version);
  else print(shownVersion(version));
}

function shownVersion(version: Version): string {
  const rows = version.services.flatMap(({ service_name, images }) =>
    images.map((one) => [
      ...[`  ${service_name}/${one.container_name}`, shownStatus(one.push_image ? one.status : "unmoved")],
      one.error || `${one.target_image}${one.digest && `@${one.digest}`}`,
    ]),
  );
  const head = `${version.project_key}/${version.version_name}  ${shownStatus(version.status)}`;
  const error = version.error === "" ? [] : [version.error];
  const images = rows.length === 0 ? [] : [table(["  IMAGE", "STATUS", "WHERE IT IS"], rows)];
  return [head, ...error, ...images].join("\n");
}

async function compare({ slipway, isJson }: Session, before: Version, after: Version): Promise<void> {
  const params = { path: { id: before.id, other: after.id } };
  const found = await taken(slipway.GET("/openapi/delivery/releases/{id}/diff/{other}", { params }));
  if (isJson) return printJson(found);
  const changed = found.services.filter(({ change }) => change !== "unchanged");
  if (changed.length === 0) return print(`${before.version_name} and ${after.version_name} are the same.`);
  for (const { service_name, change, images, yaml_diff } of changed) {
    const moved = images.filter((one) => one.change !== "unchanged");
    const lines = moved.map(
      (one) => `  ${one.container_name}\n- ${shownImage(one.before)}\n+ ${shownImage(one.after)}`,
    );
    print([`${change} ${service_name}`, ...[...lines, yaml_diff].filter(Boolean).map(shownDiff)].join("\n"));
  }
}

function shownImage(image: { image: string; digest: string } | null): string {
  return image === null ? "(none)" : `${image.image}${image.digest && ` ${image.digest}`}`;
}

/** @throws WrongUsage where there is nothing to make it of, or no such registry */
async function create(session: Session, place: Place, name: string, options: CreateOptions): Promise<void> {
  const environment = await environmentDetail(session.slipway, place);
  if (environment.services.length === 0) throw new WrongUsage(`${place.project}/${place.env} has no services`);
  const { label: labels, description, registry, chartRepository } = options;
  if (runsCharts(environment) && chartRepository === undefined)
    throw new WrongUsage(
      `${place.project}/${place.env} runs charts: name where they are pushed to by --chart-repository`,
    );
  await createVersion(session.slipway, environment, {
    ...{ name, production: place.production, labels, description, chartRepository: chartRepository ?? "" },
    registry: registry === undefined ? undefined : await registryOf(session, registry),
  });
}

async function registryOf({ slipway }: Session, id: string) {
  const registries = await taken(slipway.GET("/openapi/system/registry"));
  const found = registries.find(({ registry_id }) => registry_id === id);
  if (found !== undefined) return found;
  const rows = registries.map((one) => [one.registry_id, one.address, one.namespace]);
  throw new WrongUsage(`--registry takes an id:\n${table(["ID", "ADDRESS", "NAMESPACE"], rows)}`);
}

async function untilOver(name: string, seconds: number, read: () => Promise<Version>): Promise<Version> {
  const progress = new Progress();
  return until(`that version ${name} is made`, seconds, async () => {
    const version = await read();
    const images = version.services.flatMap((service) => service.images);
    progress.show(images.map((one) => `${one.target_image}  ${shownStatus(one.status || "waiting")}`));
    return version.status === "success" || version.status === "failed" ? version : undefined;
  });
}

async function deploy(session: Session, place: Place, name: string, options: DeployOptions): Promise<void> {
  const seconds = secondsOf(options.timeout);
  const { id } = await versionNamed(session, place.project, name);
  const send = (isPreview: boolean) => {
    const query = { projectKey: place.project, ...(isPreview && { dryRun: "true" as const }) };
    const body = { env_key: place.env, production: place.production };
    return taken(
      session.slipway.POST("/openapi/delivery/releases/{id}/deploy", { params: { path: { id }, query }, body }),
    );
  };
  const preview = await send(true);
  if (options.dryRun && session.isJson) return printJson(preview);
  const objects = recordChanges(preview);
  if (options.dryRun) return print(`${objects.length} objects of ${place.project}/${place.env} would change.`);
  const question = `Deploy ${name} into ${place.project}/${place.env}? Type the environment's name: `;
  if (!options.yes && (await ask(question, "--yes")) !== place.env) throw new WrongUsage("nothing was changed");
  await send(false);
  if (options.wait) await untilRunning(session, place, seconds, showProgress());
  if (session.isJson) printJson({ version: name, ...place });
  else print(`${name} is deployed into ${place.project}/${place.env}.`);
}
