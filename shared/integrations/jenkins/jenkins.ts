import * as z from "zod";
import { callServer, jsonAnswer, type Server, type ServerCall } from "../server/callServer.ts";
import { ServerRefused } from "../server/serverErrors.ts";

/** Of a server's console text at once. */
const longestPiece = 16 * 1024 * 1024;

/** What authenticates requests to a Jenkins server: its user's API token, or the password. */
export function jenkinsServer({
  url,
  username,
  password,
}: {
  url: string;
  username: string;
  password: string;
}): Server {
  const login = Buffer.from(`${username}:${password}`).toString("base64");
  return { name: "Jenkins", address: url, headers: { authorization: `Basic ${login}`, accept: "application/json" } };
}

/** `team/deploy` is job `deploy` of folder `team`. */
function jobPath(name: string): string {
  const parts = name.split("/").filter((part) => part !== "");
  return parts.map((part) => `job/${encodeURIComponent(part)}`).join("/");
}

const jobAnswer = z.object({
  buildable: z.boolean().default(true),
  property: z.array(z.object({ parameterDefinitions: z.array(z.object({ name: z.string() })).optional() })).default([]),
});

/** Names of a job's parameters; undefined where it has none. @throws ServerRefused, also for one that is disabled */
export async function readParameters(jenkins: Server, name: string): Promise<string[] | undefined> {
  const what = `job ${name}`;
  const path = `${jobPath(name)}/api/json?tree=buildable,property[parameterDefinitions[name]]`;
  const job = jsonAnswer(jenkins, await callServer(jenkins, path, { what }), jobAnswer, what);
  if (!job.buildable) throw new ServerRefused(`job ${name} of Jenkins is disabled`);
  const [definitions] = job.property.flatMap(({ parameterDefinitions: found }) => (found === undefined ? [] : [found]));
  return definitions?.map((parameter) => parameter.name);
}

const crumbAnswer = z.object({ crumb: z.string(), crumbRequestField: z.string() });

/** A POST with the crumb that Jenkins wants from a user with a password; a server without that protection has none. */
async function post(jenkins: Server, path: string, call: ServerCall) {
  const what = "a crumb";
  const issued = await callServer(jenkins, "crumbIssuer/api/json", { what, accepts: [404] });
  const cookie = (issued.headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");
  const crumb = issued.status === 404 ? undefined : jsonAnswer(jenkins, issued, crumbAnswer, what);
  const headers = {
    ...(crumb && { [crumb.crumbRequestField]: crumb.crumb }),
    ...(cookie !== "" && { cookie }),
    ...call.headers,
  };
  return callServer(jenkins, path, { ...call, method: "POST", headers });
}

/**
 * Starts a build.
 * @param parameters undefined for a job that has none
 * @returns the number of its item in the queue
 */
export async function startBuild(
  jenkins: Server,
  name: string,
  parameters: Readonly<Record<string, string>> | undefined,
): Promise<number> {
  const path = `${jobPath(name)}/${parameters === undefined ? "build" : "buildWithParameters"}`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = String(new URLSearchParams(parameters ?? {}));
  const answer = await post(jenkins, path, { what: `to build job ${name}`, headers, body });
  const [, item] = /\/queue\/item\/(\d+)/.exec(answer.headers.location ?? "") ?? [];
  if (item === undefined) throw new ServerRefused(`Jenkins did not say which build of job ${name} it has queued`);
  return Number(item);
}

const itemAnswer = z.object({
  cancelled: z.boolean().default(false),
  why: z.string().nullish(),
  executable: z.object({ number: z.int() }).nullish(),
});
const buildsAnswer = z.object({ builds: z.array(z.object({ number: z.int(), queueId: z.int() })).default([]) });

/** What became of an item of the queue: `why` it waits, or the number of its build. */
export type QueueItem = { state: "queued"; why: string } | { state: "cancelled" } | { state: "left"; build: number };

/** Jenkins forgets an item some minutes after its build has started: then the builds of the job say which it was. */
export async function readQueueItem(jenkins: Server, name: string, item: number): Promise<QueueItem> {
  const what = `item ${item} of the queue`;
  const answer = await callServer(jenkins, `queue/item/${item}/api/json`, { what, accepts: [404] });
  if (answer.status === 404) return { state: "left", build: await buildOf(jenkins, name, item) };
  const { cancelled, why, executable } = jsonAnswer(jenkins, answer, itemAnswer, what);
  if (executable) return { state: "left", build: executable.number };
  return cancelled ? { state: "cancelled" } : { state: "queued", why: why ?? "" };
}

async function buildOf(jenkins: Server, name: string, item: number): Promise<number> {
  const what = `the builds of job ${name}`;
  const path = `${jobPath(name)}/api/json?tree=builds[number,queueId]{0,100}`;
  const { builds } = jsonAnswer(jenkins, await callServer(jenkins, path, { what }), buildsAnswer, what);
  const found = builds.find(({ queueId }) => queueId === item);
  if (found === undefined) throw new ServerRefused(`Jenkins has neither item ${item} in its queue nor its build`);
  return found.number;
}

const buildAnswer = z.object({ building: z.boolean(), result: z.string().nullish(), url: z.string().default("") });

/** A build; `result` is SUCCESS, UNSTABLE, FAILURE, NOT_BUILT or ABORTED, and empty while it runs. */
export async function readBuild(jenkins: Server, name: string, build: number) {
  const what = `build ${build} of job ${name}`;
  const path = `${jobPath(name)}/${build}/api/json?tree=building,result,url`;
  const found = jsonAnswer(jenkins, await callServer(jenkins, path, { what }), buildAnswer, what);
  return { isRunning: found.building || !found.result, result: found.result ?? "", url: found.url };
}

/** The console text of a build from a place on, and the place where it continues. */
export async function readConsole(jenkins: Server, name: string, build: number, start: number) {
  const path = `${jobPath(name)}/${build}/logText/progressiveText?start=${start}`;
  const what = `the log of build ${build} of job ${name}`;
  const answer = await callServer(jenkins, path, { what, maxBytes: longestPiece, timeoutSeconds: 60 });
  return { text: answer.body.toString("utf8"), next: Number(answer.headers["x-text-size"] ?? start) };
}

/** Jenkins answers with a redirect to a page. */
const stopping = { accepts: [302, 303, 404] };

/** Takes an item out of the queue; one that has left it stays as it is. */
export async function cancelItem(jenkins: Server, item: number): Promise<void> {
  await post(jenkins, `queue/cancelItem?id=${item}`, { what: `to cancel item ${item} of the queue`, ...stopping });
}

/** Stops a build; one that has ended stays as it is. */
export async function stopBuild(jenkins: Server, name: string, build: number): Promise<void> {
  const what = `to stop build ${build} of job ${name}`;
  await post(jenkins, `${jobPath(name)}/${build}/stop`, { what, ...stopping });
}
