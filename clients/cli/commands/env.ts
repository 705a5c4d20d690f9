import { environmentDetail, type Place, type Preview, taken } from "@slipway/client";
import type { Command } from "commander";
import { showProgress, untilChangeable, untilRunning } from "../environment.ts";
import { addWaiting, changeQuery, dryRunOption, reportChange } from "../report.ts";
import { type Session, sessionOf } from "../session.ts";
import { secondsOf } from "../until.ts";
import { clusterId } from "./apply.ts";
import { aboutEnvironment, type PlaceOptions, placeOf } from "./status.ts";

interface Options extends PlaceOptions {
  dryRun: boolean;
  wait: boolean;
  timeout: string;
}

interface Change {
  name: string;
  description: string;
  /** Whether it takes the names of services. */
  services?: "some" | "any";
  carryOut(session: Session, place: Place, services: string[], isPreview: boolean): Promise<Preview>;
  /** Whether services run after it. */
  runs?: boolean;
  /** What happened, behind the name of the environment. */
  done: string;
}

const paramsOf = ({ project, env }: Place, isPreview: boolean) => ({
  path: { envName: env },
  query: changeQuery(project, isPreview),
});

const inList = (services: string[]) => services.map((service_name) => ({ service_name }));

const changes: readonly Change[] = [
  {
    ...{ name: "add", description: "add services of the project to an environment", services: "some", runs: true },
    done: "has the services, too",
    carryOut: ({ slipway }, { project, env, production }, services, isPreview) => {
      const body = { env_key: env, service_list: inList(services) };
      const params = { query: changeQuery(project, isPreview) };
      return taken(
        production
          ? slipway.POST("/openapi/environments/production/service/yaml", { params, body })
          : slipway.POST("/openapi/environments/service/yaml", { params, body }),
      );
    },
  },
  {
    ...{ name: "remove", description: "remove services from an environment", services: "some" },
    done: "no longer has the services",
    carryOut: ({ slipway }, { project, env, production }, services, isPreview) => {
      const body = { env_key: env, service_names: services };
      const params = { query: changeQuery(project, isPreview) };
      return taken(
        production
          ? slipway.DELETE("/openapi/environments/production/service/yaml", { params, body })
          : slipway.DELETE("/openapi/environments/service/yaml", { params, body }),
      );
    },
  },
  {
    ...{ name: "update", description: "bring services of an environment to their newest revision; without names all" },
    ...{ services: "any", runs: true, done: "is brought to the newest revisions" },
    carryOut: async (session, place, services, isPreview) => {
      const service_list = inList(services.length > 0 ? services : await deployedServices(session, place));
      const params = paramsOf(place, isPreview);
      return taken(
        place.production
          ? session.slipway.PUT("/openapi/environments/production/{envName}/services", {
              params,
              body: { service_list },
            })
          : session.slipway.PUT("/openapi/environments/{envName}/services", { params, body: { service_list } }),
      );
    },
  },
  {
    ...{
      name: "sleep",
      description: "put an environment to sleep: no pods, CronJobs suspended",
      done: "goes to sleep",
    },
    carryOut: ({ slipway }, place, _, isPreview) => {
      const params = paramsOf(place, isPreview);
      return taken(
        place.production
          ? slipway.POST("/openapi/environments/production/{envName}/sleep", { params })
          : slipway.POST("/openapi/environments/{envName}/sleep", { params }),
      );
    },
  },
  {
    ...{ name: "wake", description: "wake an environment: every workload as it was before", done: "wakes", runs: true },
    carryOut: ({ slipway }, place, _, isPreview) => {
      const params = paramsOf(place, isPreview);
      return taken(
        place.production
          ? slipway.POST("/openapi/environments/production/{envName}/wake", { params })
          : slipway.POST("/openapi/environments/{envName}/wake", { params }),
      );
    },
  },
];

async function deployedServices({ slipway }: Session, place: Place): Promise<string[]> {
  const { services } = await environmentDetail(slipway, place);
  return services.map(({ service_name }) => service_name);
}

export function envCommand(program: Command): void {
  const env = program.command("env").description("create environments, and change which services they have");
  addCreate(env);
  for (const change of changes) addChange(env, change);
}

function addChange(env: Command, change: Change): void {
  const command = aboutEnvironment(env.command(change.name)).description(change.description).argument("<env>");
  if (change.services !== undefined)
    command.argument(change.services === "some" ? "<service...>" : "[service...]", "names of services");
  command.option(...dryRunOption);
  if (change.runs) addWaiting(command, "everything runs");
  command.action(async (name: string, ...rest: unknown[]) => {
    const services = change.services === undefined ? [] : (rest.shift() as string[]);
    const options = rest[0] as Options;
    const session = sessionOf(command);
    const place = await placeOf(session, name, options);
    const seconds = change.runs ? secondsOf(options.timeout) : 0;
    const answer = await change.carryOut(session, place, services, options.dryRun);
    if (change.runs && options.wait && !options.dryRun) await untilRunning(session, place, seconds, showProgress());
    const planned = `${place.project}/${name}: the preview of \`env ${change.name}\`.`;
    reportChange(session, answer, {
      ...{ isPreview: options.dryRun, done: `${place.project}/${name} ${change.done}.`, planned },
      facts: { ...place, services },
    });
  });
}

interface CreateOptions extends Options {
  namespace?: string;
  cluster?: string;
  service: string[];
}

function addCreate(env: Command): void {
  const create = aboutEnvironment(env.command("create"))
    .description("create an environment")
    .argument("<env>")
    .option("-n, --namespace <name>", "its namespace; without it <project>-<env>")
    .option("--cluster <name>", "its cluster, where there are several")
    .option("-s, --service <names...>", "services that it begins with", [])
    .option(...dryRunOption);
  addWaiting(create, "everything runs");
  create.action(async (name: string, options: CreateOptions, command: Command) => {
    const session = sessionOf(command);
    const place = await placeOf(session, name, options);
    const seconds = secondsOf(options.timeout);
    const answer = await createEnvironment(session, place, options);
    if (options.production && options.service.length > 0 && !options.dryRun) {
      await untilChangeable(session, place, seconds);
      await changes[0]?.carryOut(session, place, options.service, false);
    }
    if (options.wait && !options.dryRun && options.service.length > 0)
      await untilRunning(session, place, seconds, showProgress());
    reportChange(session, answer, {
      ...{ isPreview: options.dryRun, done: `${place.project}/${name} is created.` },
      ...{ planned: `${place.project}/${name} would be created.`, facts: place },
    });
  });
}

async function createEnvironment(session: Session, { project, env, production }: Place, options: CreateOptions) {
  const { slipway } = session;
  const shared = {
    ...{ env_key: env, namespace: options.namespace ?? `${project}-${env}` },
    cluster_id: await clusterId(session, options.cluster),
  };
  const params = { query: changeQuery(project, options.dryRun) };
  // A production environment is created empty; its services are added after.
  return production
    ? taken(slipway.POST("/openapi/environments/production", { params, body: shared }))
    : taken(slipway.POST("/openapi/environments", { params, body: { ...shared, services: inList(options.service) } }));
}
