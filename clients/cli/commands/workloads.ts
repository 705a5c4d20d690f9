import { type components, type Place, taken } from "@slipway/client";
import type { Command } from "commander";
import { defaultEnvironment } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";
import { showProgress, untilRunning } from "../environment.ts";
import { addWaiting, changeQuery, dryRunOption, reportChange } from "../report.ts";
import { type Session, sessionOf } from "../session.ts";
import { printList, shownTime } from "../terminal/list.ts";
import { secondsOf } from "../until.ts";
import { aboutEnvironment, type PlaceOptions, placeOf } from "./status.ts";

interface Options extends PlaceOptions {
  env: string;
}

interface ChangeOptions extends Options {
  dryRun: boolean;
  wait: boolean;
  timeout: string;
  workload?: string;
}

type Workload = components["schemas"]["ServiceInstance"]["scales"][number];

function aboutService(command: Command): Command {
  return aboutEnvironment(command)
    .argument("<service>", "name of the service")
    .option("-e, --env <key>", "environment", defaultEnvironment());
}

/** A command that changes a service, may only say what would change, and waits until it runs. */
function changing(command: Command): Command {
  return addWaiting(command.option(...dryRunOption));
}

async function workloadsOf({ slipway }: Session, { project, env, production }: Place, service: string) {
  const params = { path: { envName: env, serviceName: service }, query: { projectKey: project } };
  const instance = await taken(
    production
      ? slipway.GET("/openapi/environments/production/{envName}/services/{serviceName}", { params })
      : slipway.GET("/openapi/environments/{envName}/services/{serviceName}", { params }),
  );
  return instance.scales;
}

/** @throws WrongUsage when it is not clear which of the service's workloads is meant */
function onlyOne(workloads: readonly Workload[], service: string, named: string | undefined): Workload {
  const [only, ...others] = workloads.filter(({ name }) => named === undefined || name === named);
  if (only !== undefined && others.length === 0) return only;
  const known = workloads.map(({ type, name }) => `${type} ${name}`).join(", ") || "none";
  throw new WrongUsage(
    named === undefined && workloads.length > 0
      ? `${service} has several workloads, choose one with --workload: ${known}`
      : `${service} has no such workload; it has ${known}`,
  );
}

export function imageCommand(program: Command): void {
  changing(aboutService(program.command("image")))
    .description("change the image of a service's container")
    .argument("<[container=]image>", "such as nginx:1.29, or web=nginx:1.29 where there are several containers")
    .option("--workload <name>", "its workload, where the service has several")
    .action(async (service: string, text: string, options: ChangeOptions, command: Command) => {
      const session = sessionOf(command);
      const place = await placeOf(session, options.env, options);
      const seconds = secondsOf(options.timeout);
      const target = await containerOf(session, place, { service, text, workload: options.workload });
      const answer = await setImage(session, place, { ...target, service, isPreview: options.dryRun });
      if (options.wait && !options.dryRun) await untilRunning(session, place, seconds, showProgress());
      reportChange(session, answer, {
        ...{ isPreview: options.dryRun, facts: { ...place, service, image: target.image } },
        ...{ done: `${service} runs ${target.image}.`, planned: `${service} would run ${target.image}.` },
      });
    });
}

async function containerOf(
  session: Session,
  place: Place,
  { service, text, workload }: { service: string; text: string; workload: string | undefined },
) {
  const [, container, image = ""] = /^(?:([a-z0-9-]+)=)?(\S+)$/.exec(text) ?? [];
  const all = await workloadsOf(session, place, service);
  const having =
    container === undefined ? all : all.filter(({ images }) => images.some(({ name }) => name === container));
  const { name, type, images } = onlyOne(having.length > 0 ? having : all, service, workload);
  const names = images.map((one) => one.name);
  const [only = ""] = names;
  if (container === undefined && names.length > 1)
    throw new WrongUsage(`${name} has several containers: write CONTAINER=IMAGE with one of ${names.join(", ")}`);
  if (container !== undefined && !names.includes(container))
    throw new WrongUsage(`${name} has no container ${container}; it has ${names.join(", ")}`);
  return { name, type, container: container ?? only, image };
}

async function setImage(
  { slipway }: Session,
  { project, env }: Place,
  target: { service: string; name: string; type: string; container: string; image: string; isPreview: boolean },
) {
  const params = { path: { envName: env }, query: changeQuery(project, target.isPreview) };
  const { name, image, container: container_name } = target;
  const given = { params, body: { service_name: target.service, name, container_name, image } };
  switch (target.type.toLowerCase()) {
    case "deployment":
      return taken(slipway.POST("/openapi/environments/image/deployment/{envName}", given));
    case "statefulset":
      return taken(slipway.POST("/openapi/environments/image/statefulset/{envName}", given));
    case "cronjob":
      return taken(slipway.POST("/openapi/environments/image/cronjob/{envName}", given));
    case "job":
      return taken(slipway.POST("/openapi/environments/image/job/{envName}", given));
    default:
      throw new WrongUsage(`the image of a ${target.type} cannot be changed by this command: change the service`);
  }
}

export function scaleCommand(program: Command): void {
  changing(aboutService(program.command("scale")))
    .description("set how many pods a service has")
    .argument("<pods>", "a number")
    .option("--workload <name>", "its workload, where the service has several")
    .action(async (service: string, pods: string, options: ChangeOptions, command: Command) => {
      if (!/^\d{1,5}$/.test(pods)) throw new WrongUsage(`${pods} is no number of pods: write one such as 3`);
      const session = sessionOf(command);
      const place = await placeOf(session, options.env, options);
      const seconds = secondsOf(options.timeout);
      const { name, type } = onlyOne(await workloadsOf(session, place, service), service, options.workload);
      const kind = (["Deployment", "StatefulSet", "CloneSet"] as const).find(
        (one) => one.toLowerCase() === type.toLowerCase(),
      );
      if (kind === undefined) throw new WrongUsage(`a ${type} has no number of pods`);
      const body = {
        ...{ env_key: place.env, service_name: service, workload_name: name, workload_type: kind },
        target_replicas: Number(pods),
      };
      const params = { query: changeQuery(place.project, options.dryRun) };
      const answer = await taken(session.slipway.POST("/openapi/environments/scale", { params, body }));
      if (options.wait && !options.dryRun) await untilRunning(session, place, seconds, showProgress());
      reportChange(session, answer, {
        ...{ isPreview: options.dryRun, facts: { ...place, service, pods: Number(pods) } },
        ...{ done: `${name} has ${pods} pods.`, planned: `${name} would have ${pods} pods.` },
      });
    });
}

export function restartCommand(program: Command): void {
  changing(aboutService(program.command("restart")))
    .description("restart every workload of a service")
    .action(async (service: string, options: ChangeOptions, command: Command) => {
      const session = sessionOf(command);
      const place = await placeOf(session, options.env, options);
      const seconds = secondsOf(options.timeout);
      const params = {
        path: { envName: place.env, serviceName: service },
        query: changeQuery(place.project, options.dryRun),
      };
      const answer = await taken(
        place.production
          ? session.slipway.POST("/openapi/environments/production/{envName}/service/{serviceName}/restart", { params })
          : session.slipway.POST("/openapi/environments/{envName}/service/{serviceName}/restart", { params }),
      );
      if (options.wait && !options.dryRun) await untilRunning(session, place, seconds, showProgress());
      reportChange(session, answer, {
        ...{ isPreview: options.dryRun, facts: { ...place, service } },
        ...{ done: `${service} is restarted.`, planned: `${service} would be restarted.` },
      });
    });
}

export function eventsCommand(program: Command): void {
  aboutService(program.command("events"))
    .description("show the Kubernetes events of a service's workloads and pods, the newest last")
    .action(async (service: string, options: Options, command: Command) => {
      const session = sessionOf(command);
      const place = await placeOf(session, options.env, options);
      const workloads = await workloadsOf(session, place, service);
      const objects = workloads.flatMap(({ type, name, pods }) => [
        { type, name },
        ...pods.map((pod) => ({ type: "Pod", name: pod.name })),
      ]);
      const lists = await Promise.all(objects.map((object) => eventsOf(session, place, object)));
      const sorted = lists.flat().sort((a, b) => (a.last_seen ?? 0) - (b.last_seen ?? 0));
      printList(session, sorted, {
        name: ({ object }) => object,
        columns: [
          { heading: "LAST SEEN", of: ({ last_seen }) => shownTime(last_seen) },
          { heading: "TYPE", of: ({ type = "" }) => type },
          { heading: "TIMES", of: ({ count = 1 }) => count },
          { heading: "OBJECT", of: ({ object }) => object },
          { heading: "REASON", of: ({ reason = "" }) => reason },
          { heading: "MESSAGE", of: ({ message = "" }) => message },
        ],
        none: `The cluster has no events of ${service}.`,
      });
    });
}

async function eventsOf({ slipway }: Session, { project, env }: Place, object: { type: string; name: string }) {
  const query = { projectKey: project, envName: env, name: object.name, type: object.type };
  const events = await taken(slipway.GET("/openapi/environments/kube/events", { params: { query } }));
  return events.map((event) => ({ ...event, object: `${object.type}/${object.name}` }));
}

export function historyCommand(program: Command): void {
  aboutService(program.command("history"))
    .description(
      "show the versions that a service had in an environment, the newest first; `rollback --to` goes to one",
    )
    .action(async (service: string, options: Options, command: Command) => {
      const session = sessionOf(command);
      const place = await placeOf(session, options.env, options);
      printList(session, await versionsOf(session, place, service), {
        name: ({ revision }) => String(revision),
        columns: [
          { heading: "VERSION", of: ({ revision }) => revision },
          { heading: "BY", of: ({ operation }) => operation },
          { heading: "WHO", of: ({ create_by }) => create_by },
          { heading: "WHEN", of: ({ create_time }) => shownTime(create_time) },
          {
            heading: "TASK",
            of: ({ workflow_key, task_id }) => (workflow_key === undefined ? "" : `${workflow_key}/${task_id}`),
            isWide: true,
          },
          { heading: "IMAGES", of: ({ images }) => images.join(", ") },
        ],
        none: `${service} was not deployed there yet.`,
      });
    });
}

/** The versions of a service in an environment, the newest first. */
export function versionsOf({ slipway }: Session, { project, env, production }: Place, service: string) {
  const params = { path: { envName: env, serviceName: service }, query: { projectKey: project } };
  return taken(
    production
      ? slipway.GET("/openapi/environments/production/{envName}/service/{serviceName}/versions", { params })
      : slipway.GET("/openapi/environments/{envName}/service/{serviceName}/versions", { params }),
  );
}
