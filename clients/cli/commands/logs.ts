import { environmentDetail, lines, type Place, taken } from "@slipway/client";
import type { Command } from "commander";
import { defaultEnvironment } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";

import { type Session, sessionOf } from "../session.ts";
import { print } from "../terminal/print.ts";
import { aboutEnvironment, type PlaceOptions, placeOf } from "./status.ts";

const quietMilliseconds = 1500;

interface LogOptions extends PlaceOptions {
  env: string;
  container?: string;
  pod?: string;
  follow: boolean;
  tail: string;
}

export function logsCommand(program: Command): void {
  aboutEnvironment(program.command("logs"))
    .description("show what a service's pod says")
    .argument("<service>")
    .option("-e, --env <key>", "environment", defaultEnvironment())
    .option("-c, --container <name>", "container; without it the service's first")
    .option("--pod <name>", "pod; without it the newest")
    .option("-f, --follow", "go on until Ctrl-C", false)
    .option("--tail <lines>", "how many lines of before", "100")
    .action(async (service: string, options: LogOptions, command: Command) => {
      const session = sessionOf(command);
      const place = await placeOf(session, options.env, options);
      const pod = options.pod ?? (await newestPod(session, place, service));
      const container = options.container ?? (await firstContainer(session, place, service));
      const query = new URLSearchParams({ projectKey: place.project, envName: place.env, tails: options.tail });
      const path = `/openapi/logs/sse/pods/${encodeURIComponent(pod)}/containers/${encodeURIComponent(container)}?${query}`;
      await show(session, path, options.follow);
    });
}

/** Who does not follow has seen all when nothing more comes for a moment: a pod's log has no end while it runs. */
async function show({ connection }: Session, path: string, isFollowing: boolean): Promise<void> {
  const silence = new AbortController();
  const leave = () => silence.abort();
  const timer = isFollowing ? undefined : setTimeout(leave, quietMilliseconds);
  try {
    for await (const { text } of lines(connection, path, silence.signal)) {
      print(text);
      timer?.refresh();
    }
  } catch (error) {
    if (!silence.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function newestPod({ slipway }: Session, place: Place, service: string): Promise<string> {
  const params = { path: { envName: place.env, serviceName: service }, query: { projectKey: place.project } };
  const { pods } = place.production
    ? await taken(slipway.GET("/openapi/environments/production/{envName}/service/{serviceName}/pods", { params }))
    : await taken(slipway.GET("/openapi/environments/{envName}/service/{serviceName}/pods", { params }));
  const [newest] = pods.toSorted((a, b) => b.create_time - a.create_time);
  if (newest === undefined) throw new WrongUsage(`${service} has no pod in ${place.project}/${place.env}`);
  return newest.pod_name;
}

async function firstContainer(session: Session, place: Place, service: string): Promise<string> {
  const { services } = await environmentDetail(session.slipway, place);
  const found = services.find(({ service_name }) => service_name === service);
  const container = found?.containers.find(({ type }) => type !== "init");
  if (container === undefined) throw new WrongUsage(`${service} has no container in ${place.project}/${place.env}`);
  return container.name;
}
