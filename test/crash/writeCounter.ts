import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/** The process dies at write `number` (from 1): before it is received, or when it is done and being answered. */
export interface Aim {
  number: number;
  moment: "before" | "after";
}

/** Counts the writes that the servers of this process receive, from the moment it is aimed, and kills the process. */
export class WriteCounter {
  readonly #except: number;
  readonly #numbers = new WeakMap<IncomingMessage, number>();
  readonly #names: string[] = [];
  #aim: Aim | undefined;

  /** @param except port of the server whose requests come from outside and are no writes of Slipway's own */
  constructor({ except }: { except: number }) {
    this.#except = except;
    subscribe("http.server.request.start", (message) =>
      this.#starts((message as { request: IncomingMessage }).request),
    );
    subscribe("http.server.response.finish", (message) =>
      this.#ends((message as { request: IncomingMessage }).request),
    );
  }

  aim(aim: Aim): void {
    this.#aim = aim;
  }

  /** What was written since the aim, in order. */
  names(): string[] {
    return this.#names;
  }

  #starts(request: IncomingMessage): void {
    const name = request.socket.localPort === this.#except ? undefined : writeName(request);
    if (name === undefined || this.#aim === undefined) return;
    this.#names.push(name);
    this.#numbers.set(request, this.#names.length);
    if (this.#aim.moment === "before" && this.#aim.number === this.#names.length) die();
  }

  #ends(request: IncomingMessage): void {
    if (this.#aim?.moment === "after" && this.#numbers.get(request) === this.#aim.number) die();
  }
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

const readingTargets = /\.(Get|Query|BatchGet|Scan|Describe|List|Decrypt|Encrypt|GenerateDataKey)\w*$/;

/** A write in words; undefined for what only reads. */
function writeName({ headers, method = "GET", url = "" }: IncomingMessage): string | undefined {
  const target = headers["x-amz-target"];
  if (typeof target === "string") return readingTargets.test(target) ? undefined : target.replace(/^.*\./, "");
  return method === "GET" || method === "HEAD" ? undefined : `${method} ${url.split("?")[0]}`;
}
