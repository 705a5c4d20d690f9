import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Job {
  /** Undefined: it takes none. */
  parameters?: readonly string[];
  disabled?: boolean;
  /** Looks at the queue before the build begins; Infinity: it stays there. */
  queueLooks?: number;
  /** Jenkins has forgotten the item when the build has started. */
  forgetsItem?: boolean;
  /** The console text, a piece more at each look at it. */
  console: readonly string[];
  result: string;
  /** It ends when it is stopped alone. */
  runsUntilStopped?: boolean;
  /** The status that a start is answered with. */
  startStatus?: number;
}

interface Build {
  job: string;
  number: number;
  queueId: number;
  parameters: Record<string, string>;
  pieces: number;
  stopped: boolean;
}

export interface JenkinsStandIn {
  url: string;
  builds: Build[];
  /** Names of jobs that a build was asked for of. */
  started: string[];
  /** Items that were taken out of the queue. */
  cancelled: number[];
  /** While set, each request but starts is answered with it. */
  fault: { status: number | undefined };
  close(): Promise<void>;
}

const crumb = { crumb: "f0f0f0", crumbRequestField: "Jenkins-Crumb" };

/**
 * Jenkins's remote access API on loopback, as its documentation says it answers: a POST wants a crumb of the same session,
 * a start is answered with the place in the queue, an item there has `executable` once its build runs, and
 * `logText/progressiveText` says by `X-Text-Size` where to continue.
 */
export async function startJenkinsServer(
  login: { username: string; password: string },
  jobs: Readonly<Record<string, Job>>,
): Promise<JenkinsStandIn> {
  const builds: Build[] = [];
  const started: string[] = [];
  const cancelled: number[] = [];
  const fault: JenkinsStandIn["fault"] = { status: undefined };
  const items = new Map<number, { job: string; looks: number; parameters: Record<string, string> }>();
  const expected = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  const numbers = { item: 100 };

  const begin = (queueId: number): Build => {
    const known = builds.find((build) => build.queueId === queueId);
    if (known !== undefined) return known;
    const { job = "", parameters = {} } = items.get(queueId) ?? {};
    const number = builds.filter((build) => build.job === job).length + 1;
    const build = { job, number, queueId, parameters, pieces: 0, stopped: false };
    builds.push(build);
    return build;
  };
  const isOver = (build: Build): boolean => {
    const { console, runsUntilStopped = false } = jobs[build.job] as Job;
    return build.stopped || (!runsUntilStopped && build.pieces >= console.length);
  };
  const textOf = (build: Build) => (jobs[build.job] as Job).console.slice(0, build.pieces).join("");

  async function start(name: string, job: Job, withParameters: boolean, request: IncomingMessage, answer: Answering) {
    const sent = Object.fromEntries(new URLSearchParams(await textIn(request)));
    if (job.startStatus !== undefined) return answer(job.startStatus, "");
    if (job.disabled) return answer(409, `${name} is not buildable`);
    if (withParameters && job.parameters === undefined) return answer(400, `${name} is not parameterized`);
    if (!withParameters && job.parameters !== undefined) return answer(400, "Nothing is submitted");
    const parameters = Object.fromEntries((job.parameters ?? []).map((key) => [key, sent[key] ?? `default ${key}`]));
    numbers.item += 1;
    started.push(name);
    items.set(numbers.item, { job: name, looks: job.queueLooks ?? 0, parameters });
    answer(201, "", { location: `https://jenkins.example.com/ci/queue/item/${numbers.item}/` });
  }

  function showItem(id: number, answer: Answering) {
    const item = items.get(id);
    if (item === undefined) return answer(404, "");
    if (cancelled.includes(id)) return answer(200, { id, cancelled: true, why: null });
    if (item.looks > 0) {
      item.looks -= 1;
      return answer(200, { id, cancelled: false, why: "Waiting for next available executor" });
    }
    const { number } = begin(id);
    if (jobs[item.job]?.forgetsItem) return answer(404, "");
    answer(200, {
      id,
      cancelled: false,
      why: null,
      executable: { number, url: `https://jenkins.example.com/${number}/` },
    });
  }

  function showBuild(build: Build, answer: Answering) {
    const result = build.stopped ? "ABORTED" : (jobs[build.job] as Job).result;
    const url = `https://jenkins.example.com/job/${build.job}/${build.number}/`;
    answer(200, { building: !isOver(build), result: isOver(build) ? result : null, url });
  }

  function showText(build: Build, from: number, answer: Answering) {
    build.pieces = Math.min(build.pieces + 1, (jobs[build.job] as Job).console.length);
    const text = Buffer.from(textOf(build));
    const more = isOver(build) ? {} : { "x-more-data": "true" };
    answer(200, text.subarray(from > text.length ? 0 : from).toString(), {
      "x-text-size": String(text.length),
      ...more,
    });
  }

  async function answerTo(request: IncomingMessage, answer: Answering) {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://jenkins");
    const path = pathname.replace(/^\/ci\//, "");
    const isStart = /\/build(WithParameters)?$/.test(path);
    if (fault.status !== undefined && !isStart) return answer(fault.status, "");
    if (request.headers.authorization !== expected) return answer(401, "");
    if (path === "crumbIssuer/api/json")
      return answer(200, crumb, { "set-cookie": "JSESSIONID.1=node0abc; Path=/; HttpOnly" });
    const hasCrumb =
      request.headers["jenkins-crumb"] === crumb.crumb && request.headers.cookie === "JSESSIONID.1=node0abc";
    if (request.method === "POST" && !hasCrumb) return answer(403, "No valid crumb was included in the request");
    const item = /^queue\/item\/(\d+)\/api\/json$/.exec(path);
    if (item) return showItem(Number(item[1]), answer);
    if (path === "queue/cancelItem" && request.method === "POST") {
      cancelled.push(Number(searchParams.get("id")));
      return answer(302, "", { location: "/ci/queue/" });
    }
    const [, folders = "", rest = ""] = /^((?:job\/[^/]+\/)+)(.*)$/.exec(path) ?? [];
    const name = decodeURIComponent(
      folders
        .replace(/^job\//, "")
        .replaceAll("/job/", "/")
        .replace(/\/$/, ""),
    );
    const job = jobs[name];
    if (job === undefined) return answer(404, "");
    const [, number, what] = /^(\d+)\/(api\/json|logText\/progressiveText|stop)$/.exec(rest) ?? [];
    const build = builds.find((one) => one.job === name && one.number === Number(number));
    if (isStart && request.method === "POST") return start(name, job, rest === "buildWithParameters", request, answer);
    if (rest === "api/json") {
      const definitions = job.parameters?.map((parameter) => ({ name: parameter }));
      const property = [{}, ...(definitions === undefined ? [] : [{ parameterDefinitions: definitions }])];
      const own = builds.filter((one) => one.job === name).map(({ number: of, queueId }) => ({ number: of, queueId }));
      return answer(200, { buildable: !job.disabled, property, builds: own });
    }
    if (build === undefined) return answer(404, "");
    if (what === "api/json") return showBuild(build, answer);
    if (what === "stop" && request.method === "POST") {
      build.stopped = true;
      return answer(302, "", { location: "." });
    }
    showText(build, Number(searchParams.get("start")), answer);
  }

  const server = createServer((request, response) => void answerTo(request, answering(response)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ci/`,
    ...{ builds, started, cancelled, fault },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

type Answering = (status: number, body: unknown, headers?: Record<string, string>) => void;

function answering(response: ServerResponse): Answering {
  return (status, body, headers = {}) =>
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
}

async function textIn(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
