import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { objectsPath } from "../../infra/local/aws/objects/signedAddresses.ts";
import { SqliteEngine } from "../../infra/local/table/sqliteEngine.ts";
import type { Adapters } from "../../shared/base/aws/adapters.ts";
import { aroundAdapters } from "../harness/awsCalls.ts";

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

/**
 * Counts the writes that the table, the adapters for AWS and the servers of this process receive, from the moment it is
 * aimed, and kills the process.
 */
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

  /** Adapters whose writes are counted. */
  around(adapters: Adapters): Adapters {
    return aroundAdapters(adapters, async (call, _, go) => {
      if (!writing.test(call)) return go();
      const write = {};
      this.#starts(write, call);
      const outcome = await go();
      this.#finishes(write);
      return outcome;
    });
  }

  /** The port of the gateway, whose requests come from outside and are no writes of Slipway's own, but for jobs' files. */
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
    const isOwn = request.socket.localPort !== this.#except || request.url?.startsWith(`${objectsPath}/`) === true;
    const name = isOwn ? writeName(request) : undefined;
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

/** Calls of adapters that change something; of events nothing is ever read again. */
const writing = /^(schedules|functions)\.|^objects\.put$|^stateMachines\.(start|stop|settle)$/;

/** A write in words; undefined for what only reads. */
function writeName({ method = "GET", url = "" }: IncomingMessage): string | undefined {
  return method === "GET" || method === "HEAD" ? undefined : `${method} ${url.split("?")[0]}`;
}
