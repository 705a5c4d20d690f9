import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SqliteEngine } from "../../infra/local/table/sqliteEngine.ts";

/** An exchange of a server of this process, as the channels tell it. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** The process dies at write `number` (from 1): before it is received, or when it is done and being answered. */
export interface Aim {
  number: number;
  moment: "before" | "after";
}

/** In the data folder: a line for every Job that was created. */
export const createdJobsFile = "created-jobs";

/** Counts the writes that the table and the servers of this process receive, from the moment it is aimed, and kills the process. */
export class WriteCounter {
  readonly #jobsFile: string;
  #except: number | undefined;
  readonly #numbers = new WeakMap<object, number>();
  readonly #names: string[] = [];
  #aim: Aim | undefined;

  /** @param jobsFile gets a line for every Job that is created, by whatever program uses it */
  constructor(jobsFile: string) {
    this.#jobsFile = jobsFile;
    this.#watchTable();
    subscribe("http.server.request.start", (message) => this.#receives((message as Exchange).request));
    subscribe("http.server.response.finish", (message) => this.#ends(message as Exchange));
  }

  /** The port of the server whose requests come from outside and are no writes of Slipway's own. */
  except(port: number): void {
    this.#except = port;
  }

  /** From here on writes are counted. */
  aim(aim: Aim): void {
    this.#aim = aim;
  }

  /** What was written since the aim, in order. */
  names(): string[] {
    return this.#names;
  }

  /** Every engine of this process, whoever opens it. */
  #watchTable(): void {
    for (const name of ["transact", "update"] as const) {
      const write = SqliteEngine.prototype[name] as (...given: unknown[]) => Promise<unknown>;
      const counted = async (engine: SqliteEngine, given: unknown[]) => {
        this.#starts(given, name);
        const outcome = await write.apply(engine, given);
        this.#finishes(given);
        return outcome;
      };
      Object.assign(SqliteEngine.prototype, {
        [name](this: SqliteEngine, ...given: unknown[]) {
          return counted(this, given);
        },
      });
    }
  }

  #receives(request: IncomingMessage): void {
    const name = request.socket.localPort === this.#except ? undefined : writeName(request);
    if (name !== undefined) this.#starts(request, name);
  }

  #starts(write: object, name: string): void {
    if (this.#aim === undefined) return;
    this.#names.push(name);
    this.#numbers.set(write, this.#names.length);
    if (this.#aim.moment === "before" && this.#aim.number === this.#names.length) die();
  }

  #finishes(write: object): void {
    if (this.#aim?.moment === "after" && this.#numbers.get(write) === this.#aim.number) die();
  }

  #ends({ request, response }: Exchange): void {
    const isNewJob = request.method === "POST" && response.statusCode === 201 && request.url?.endsWith("/jobs");
    if (isNewJob) appendFileSync(this.#jobsFile, `${request.url}\n`);
    this.#finishes(request);
  }
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

const readingTargets = /\.(Get|Query|BatchGet|Scan|Describe|List|Decrypt|Encrypt|GenerateDataKey)\w*$/;

/** A write in words; undefined for what only reads, and for events, of which nothing is ever read again. */
function writeName({ headers, method = "GET", url = "" }: IncomingMessage): string | undefined {
  const target = headers["x-amz-target"];
  if (typeof target === "string")
    return readingTargets.test(target) || target.endsWith(".PutEvents") ? undefined : target.replace(/^.*\./, "");
  return method === "GET" || method === "HEAD" ? undefined : `${method} ${url.split("?")[0]}`;
}
