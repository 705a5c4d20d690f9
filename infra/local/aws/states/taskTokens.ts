import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { AwsError } from "../awsError.ts";
import type { Json } from "./json.ts";

export type TokenCallbacks = {
  heartbeat(): void;
  succeed(output: Json): void;
  fail(error: string, cause: string): void;
};

/**
 * The task tokens that something waits for. A token is 32 random bytes with a seal of this data folder, so that one we
 * gave out and forgot (its run is gone, or it was used) can be told from one we never gave out, without storing any.
 */
export class TaskTokens {
  readonly #secret: Buffer;
  readonly #waiting = new Map<string, TokenCallbacks>();

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  open(callbacks: TokenCallbacks): string {
    const random = randomBytes(32);
    const token = Buffer.concat([random, this.#seal(random)]).toString("base64url");
    this.#waiting.set(token, callbacks);
    return token;
  }

  close(token: string): void {
    this.#waiting.delete(token);
  }

  /** Hands out the callbacks of a token once. @throws AwsError TaskTimedOut, TaskDoesNotExist, InvalidToken */
  take(token: string): TokenCallbacks {
    const callbacks = this.find(token);
    this.#waiting.delete(token);
    return callbacks;
  }

  /** @throws AwsError as take() */
  find(token: string): TokenCallbacks {
    const callbacks = this.#waiting.get(token);
    if (callbacks) return callbacks;
    const bytes = Buffer.from(token, "base64url");
    if (bytes.length !== 64) throw new AwsError("InvalidToken", "Invalid Token: 'Invalid token'");
    if (!timingSafeEqual(this.#seal(bytes.subarray(0, 32)), bytes.subarray(32))) {
      throw new AwsError("TaskDoesNotExist", "Task does not exist");
    }
    throw new AwsError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
  }

  #seal(random: Buffer): Buffer {
    return createHmac("sha256", this.#secret).update(random).digest();
  }
}
