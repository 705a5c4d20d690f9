import { createHash, timingSafeEqual } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Followed } from "../../functions/api/events/followed.ts";
import { ServicesNews } from "../../functions/api/events/servicesNews.ts";
import { groups, isStreaming } from "../../functions/api/groups.ts";
import { metaApi } from "../../functions/api/meta/metaApi.ts";
import { withConsole } from "../../functions/api/meta/withConsole.ts";
import { machines } from "../../functions/engine/machines.ts";
import { authenticateToken } from "../../shared/access/identity/session/authenticateToken.ts";
import { bootstrapAdministrator } from "../../shared/access/identity/session/bootstrapAdministrator.ts";
import { callerNow } from "../../shared/access/identity/session/callerNow.ts";
import { readCaller } from "../../shared/access/identity/session/readCaller.ts";
import { invokeLater } from "../../shared/base/aws/functions/invokeLater.ts";
import { ApiError } from "../../shared/base/errors/apiError.ts";
import { config, removeConfig } from "../../shared/base/settings/config.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { followServices } from "../../shared/environments/apply/followServices.ts";
import { findEnvironment } from "../../shared/environments/store/environments.ts";
import { localSocketPath } from "../../shared/http/changes/socketProtocol.ts";
import type { ApiHandler } from "../../shared/http/createApi.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { seedLocalCluster } from "../../shared/kube/clusters/seedLocalCluster.ts";
import { seedLocalRegistry } from "../../shared/packaging/registries/seedLocalRegistry.ts";
import { findRegistry, localRegistryId } from "../../shared/packaging/registries/store/registries.ts";
import { objectsPath } from "./aws/objects/signedAddresses.ts";
import type { ScheduleDefinition } from "./aws/scheduler/scheduleDefinition.ts";
import type { Scheduler } from "./aws/scheduler/scheduler.ts";
import type { FollowServices } from "./aws/sockets/socketServer.ts";
import { type AdapterOptions, type LocalAws, startAdapters } from "./aws/start.ts";
import { startSandbox } from "./cluster/start.ts";
import { startConsole } from "./console.ts";
import { type GatewayGroup, startGateway } from "./gateway.ts";
import { handlers } from "./handlers.ts";
import { startFigures } from "./metrics/figures.ts";
import type { Credentials } from "./registry/basicAuth.ts";
import { type Registry, startRegistry } from "./registry/start.ts";
import { registryLogin } from "./registryLogin.ts";
import { isPortTaken } from "./requireFreePort.ts";
import { startTable } from "./table/startTable.ts";
import { localWorkers, type WorkerOptions } from "./workers.ts";

/** Between two looks where nothing is heard; news are told at once. */
const restMilliseconds = 10_000;

/**
 * Tells a change socket that the services of an environment changed, at most once a second, as the stream does: one machine
 * can watch a cluster as long as a connection is open, which a function in AWS cannot.
 */
const socketServices: FollowServices = async ({ tokenHash, environment }, post, signal) => {
  const { projectKey, envKey } = environment;
  const found = await findEnvironment(projectKey, envKey);
  const news = new ServicesNews();
  if (found === undefined) news.hear("lost");
  else followServices(found, (state) => news.hear(state), signal);
  const record = found && ({ kind: "environment", projectKey, key: envKey, production: found.production } as const);
  const followed = new Followed({ type: "services", project_key: projectKey, key: envKey }, record);
  while (!signal.aborted) {
    const state = news.take();
    const told = state && followed.tell(state, await callerNow(tokenHash), Date.now());
    for (const { bytes } of told ?? [])
      if (!(await post(`{"type":"changes","changes":[${bytes.toString().trim()}]}`))) return;
    await news.wait(restMilliseconds, signal);
  }
};

export interface RuntimeOptions {
  dataDir: string;
  /** 0 takes any free port. */
  port: number;
  /** Port of the OCI registry; 0 takes any free one. */
  registryPort?: number;
  adminToken?: string;
  adminPassword?: string;
  bootstrapSecret?: string;
  /** Reads `/metrics`, and nothing else. */
  metricsToken?: string;
  /** The operator's own cluster; without it the sandbox cluster is started. */
  kubeconfig?: string;
  /** How long a pod that the sandbox plays takes to become ready. */
  podDelayMilliseconds?: number;
  /** Settings of the functions, as their environment in AWS would hold them. */
  settings?: Readonly<Record<string, string>>;
  log?: (line: string) => void;
  /** Whether cluster watchers run in threads of their own, which can be killed; otherwise in this one. */
  hasWatcherThreads?: boolean;
  /** Serves the console, which is built first where it is not. */
  withConsole?: boolean;
  /** In a test of an update: the definitions of an earlier release. */
  definitions?: WorkerOptions["definitions"];
  /** Takes the adapters for AWS, in a test that counts their calls. */
  provide?: AdapterOptions["provide"];
}

export interface Runtime {
  url: string;
  generatedToken: string | undefined;
  registryAddress: string;
  registryLogin: Credentials;
  /** Of the sandbox cluster; absent with the operator's own. */
  sandboxKubeconfigPath: string | undefined;
  /** What takes the place of AWS: its executions and schedules. */
  aws: LocalAws;
  /** Looks after what a crash left, as the schedule does once a minute. */
  reconcile(): Promise<void>;
  /** Ends running cluster watchers where they stand. */
  killWatchers(): Promise<void>;
  close(): Promise<void>;
}

type Closer = () => Promise<unknown>;

/**
 * Starts the table, the adapters for AWS, the registry, the sandbox cluster and the gateway in this process, parts before
 * the parts that use them, and stops in reverse.
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const closers: Closer[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await startParts(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(options: RuntimeOptions, closers: Closer[]): Promise<Omit<Runtime, "close">> {
  const { dataDir, log = () => {} } = options;
  const startedAt = nowSeconds();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { SLIPWAY_TABLE: tableName = "slipway", SLIPWAY_DYNAMODB_ENDPOINT: endpoint } = options.settings ?? {};
  const started = await startTable({ dataDir, tableName, ...(endpoint !== undefined && { endpoint }) });
  closers.push(async () => started.close());

  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  const { hasWatcherThreads = true, definitions } = options;
  const workers = localWorkers(ready.promise, { dataDir, hasWatcherThreads, definitions });
  closers.push(workers.killWatchers);
  const aws = startAdapters({
    dataDir: join(dataDir, "aws"),
    eventsFile: join(dataDir, "events.ndjson"),
    log,
    followServices: socketServices,
    ...workers,
    ...(options.provide !== undefined && { provide: options.provide }),
  });
  closers.push(aws.close);
  // Work that a start which fails holds back would otherwise be waited for.
  closers.push(async () => ready.reject(new Error("the start failed")));
  Object.assign(process.env, options.settings, {
    // Machines and functions go by their names here.
    ...Object.fromEntries(Object.entries(machines).map(([name, { setting }]) => [setting, name])),
    SLIPWAY_SOCKET_ADDRESS: localSocketPath,
    SLIPWAY_SLEEP_SCHEDULE_ARN: "sleep-schedule",
    SLIPWAY_PLAN_FOLLOWER_ARN: "plan-follower",
    SLIPWAY_APPROVAL_FOLLOWER_ARN: "approval-follower",
    SLIPWAY_TRIGGER_STARTER_ARN: "trigger-starter",
    ...(options.bootstrapSecret !== undefined && { SLIPWAY_BOOTSTRAP_SECRET: options.bootstrapSecret }),
  });
  removeConfig();

  const credentials = registryLogin(dataDir);
  const registry = await startRegistryOnSomePort(options, credentials);
  closers.push(registry.close);
  const sandbox = options.kubeconfig === undefined ? await sandboxCluster(options, closers) : undefined;
  const administrator = options.bootstrapSecret === undefined ? await bootstrapAdministrator(options) : {};
  const kubeconfig = options.kubeconfig ?? sandbox?.kubeconfig ?? "";
  await seedLocalCluster(kubeconfig);
  await seedLocalRegistry({ address: registry.address, ...credentials });
  ensureReconcilerSchedule(aws.scheduler);
  ensureRecountSchedule(aws.scheduler);
  const local = options.withConsole === true ? startConsole() : undefined;
  if (local !== undefined) closers.push(local.close);
  const figures = startFigures(groups.map(({ routes }) => routes));
  closers.push(async () => figures.stop());
  const cluster = connect({ kind: "kubeconfig", text: kubeconfig, trusted: true });
  closers.push(async () => cluster.close());
  const meta = metaApi({ cluster: () => cluster.version({ deadlineSeconds: 2 }), registry: registry.ping });
  const gateway = await startGateway({
    port: options.port,
    groups: [
      metricsGroup(figures.text, options.metricsToken),
      ...gatewayGroups({ ...handlers, meta: local === undefined ? meta : withConsole(meta, local.handle) }),
    ],
    raw: { path: objectsPath, answer: aws.answerObject },
    sockets: { path: localSocketPath, ...aws.sockets },
    observe: figures.observe,
  });
  closers.push(gateway.close);
  aws.serveObjectsAt(gateway.url);
  // Known only now, and before the first request and the first work.
  process.env.SLIPWAY_CONSOLE_ADDRESS = options.settings?.SLIPWAY_CONSOLE_ADDRESS ?? `${gateway.url}/console`;
  removeConfig();
  ready.resolve();
  await invokeLater("reconciler", { requestsEndedBefore: startedAt });

  return {
    url: gateway.url,
    aws,
    generatedToken: administrator.generatedToken,
    registryAddress: registry.address,
    registryLogin: credentials,
    sandboxKubeconfigPath: sandbox?.kubeconfigPath,
    reconcile: () => invokeLater("reconciler", {}),
    killWatchers: workers.killWatchers,
  };
}

/** On its port or, where that is taken, on the one that it had last, which images are named by, or on any free one. */
async function startRegistryOnSomePort(
  { dataDir, registryPort = 0, log = () => {} }: RuntimeOptions,
  credentials: Credentials,
): Promise<Registry> {
  const known = await findRegistry(localRegistryId);
  const [first, ...others] = [registryPort, Number(URL.parse(known?.address ?? "")?.port ?? 0), 0];
  const start = (port: number) => startRegistry({ dataDir: join(dataDir, "registry"), port, credentials, log });
  let started = start(first ?? 0);
  for (const port of others)
    started = started.catch((error: unknown) => {
      if (!isPortTaken(error)) throw error;
      return start(port);
    });
  return started;
}

async function sandboxCluster(
  options: RuntimeOptions,
  closers: Closer[],
): Promise<{ kubeconfig: string; kubeconfigPath: string }> {
  const { dataDir, podDelayMilliseconds, log = (line) => console.error(`sandbox cluster: ${line}`) } = options;
  const sandbox = await startSandbox({
    dataDir: join(dataDir, "sandbox"),
    hidden: [dataDir],
    ...(podDelayMilliseconds !== undefined && { podDelayMilliseconds }),
    log,
  });
  closers.push(sandbox.close);
  return sandbox;
}

function gatewayGroups(handlers: Readonly<Record<string, ApiHandler>>): GatewayGroup[] {
  return groups.map((group): GatewayGroup => {
    const handle = handlers[group.name];
    if (handle === undefined) throw new Error(`endpoint group ${group.name} has no handler`);
    return { prefixes: group.prefixes, streams: isStreaming(group), handle };
  });
}

/** `GET /metrics`, for system administrators and for callers that have the scrape token. */
function metricsGroup(text: () => Promise<string>, scrapeToken: string | undefined): GatewayGroup {
  return {
    prefixes: ["/metrics"],
    handle: async (event) => {
      try {
        if (event.path !== "/metrics") throw new ApiError(404, "no such path; metrics are at /metrics");
        if (event.httpMethod !== "GET") throw new ApiError(405, "metrics are read with GET");
        await admit(event.headers?.authorization, scrapeToken);
        const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
        return { statusCode: 200, headers, body: await text() };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const headers = { "content-type": "application/json; charset=utf-8" };
        return { statusCode: error.status, headers, body: JSON.stringify(error.body) };
      }
    },
  };
}

/** @throws ApiError 401 without a valid token, 403 for a user who is no system administrator */
async function admit(authorization: string | undefined, scrapeToken: string | undefined): Promise<void> {
  const token = /^bearer ([^ ]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw new ApiError(401, "missing authorization header");
  if (scrapeToken !== undefined && isSame(token, scrapeToken)) return;
  const { caller } = await readCaller(await authenticateToken(token), "everywhere");
  if (!caller.grants.systemAdmin) throw new ApiError(403, "metrics are for system administrators and the scrape token");
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The reconciler's schedules, which the stack makes in AWS; functions switch them on and off. */
export function ensureReconcilerSchedule(scheduler: Scheduler): void {
  const { SLIPWAY_RECONCILER_SCHEDULE, SLIPWAY_SWEEP_SCHEDULE } = config();
  scheduler.ensure(SLIPWAY_RECONCILER_SCHEDULE, definition("rate(1 minute)", "ENABLED", "reconciler"));
  scheduler.ensure(SLIPWAY_SWEEP_SCHEDULE, definition("rate(10 minutes)", "DISABLED", "reconciler"));
}

/** The daily count of everything that statistics show, which the stack makes in AWS, too. */
function ensureRecountSchedule(scheduler: Scheduler): void {
  scheduler.ensure("slipway-statistics-recount", definition("rate(1 day)", "ENABLED", "statistics-recount"));
}

function definition(ScheduleExpression: string, State: ScheduleDefinition["State"], Arn: string): ScheduleDefinition {
  return { ScheduleExpression, State, Target: { Arn, Input: "{}" } };
}
