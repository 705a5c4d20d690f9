import { randomBytes } from "node:crypto";
import type { Json } from "./json.ts";

type TokenCallbacks = {
  heartbeat(): void;
  succeed(output: Json): void;
  fail(error: string, cause: string): void;
};

/**
 * The task tokens that something waits for. Each is used once; what is told of one answers whether anybody waited.
 * @throws Error for what cannot be a token
 */
export class TaskTokens {
  readonly #waiting = new Map<string, TokenCallbacks>();

  open(callbacks: TokenCallbacks): string {
    const token = randomBytes(32).toString("base64url");
    this.#waiting.set(token, callbacks);
    return token;
  }

  close(token: string): void {
    this.#waiting.delete(token);
  }

  succeed(token: string, output: Json): boolean {
    return this.#tell(token, (waiting) => waiting.succeed(output));
  }

  fail(token: string, error: string, cause: string): boolean {
    return this.#tell(token, (waiting) => waiting.fail(error, cause));
  }

  heartbeat(token: string): boolean {
    const waiting = this.#find(token);
    waiting?.heartbeat();
    return waiting !== undefined;
  }

  #tell(token: string, what: (waiting: TokenCallbacks) => void): boolean {
    const waiting = this.#find(token);
    this.#waiting.delete(token);
    if (waiting !== undefined) what(waiting);
    return waiting !== undefined;
  }

  #find(token: string): TokenCallbacks | undefined {
    if (!/^[\w-]+$/.test(token)) throw new Error(`${JSON.stringify(token)} is no task token`);
    return this.#waiting.get(token);
  }
}
