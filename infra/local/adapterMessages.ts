import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { MessagePort } from "node:worker_threads";
import { type Adapters, adapters } from "../../shared/base/aws/adapters.ts";
import { isStorageFull } from "../../shared/base/errors/storageFull.ts";

/** One call of an adapter, and its outcome under the same number. A stream passes as all of its content. */
type Call = { id: number; port: keyof Adapters; method: string; values: unknown[] };
type Outcome =
  | { id: number; result: unknown }
  | { id: number; content: Uint8Array }
  | { id: number; error: { name: string; message: string; code?: "ENOSPC" } };
type Method = (...values: unknown[]) => Promise<unknown>;

/** Answers the calls that a thread makes at the other end by the adapters of this one. */
export function answerAdapterCalls(messages: MessagePort): void {
  messages.on("message", async ({ id, port, method, values }: Call) => {
    const reply = (outcome: Outcome): void => messages.postMessage(outcome);
    try {
      const target = adapters()?.[port] as unknown as Record<string, Method> | undefined;
      if (target?.[method] === undefined) throw new Error(`there is no adapter ${port}.${method}`);
      const result = await target[method](...values);
      reply(result instanceof Readable ? { id, content: await buffer(result) } : { id, result });
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      // By that the thread knows that it is worth waiting.
      reply({ id, error: { name, message, ...(isStorageFull(error) && { code: "ENOSPC" }) } });
    }
  });
  messages.unref();
}

/** Adapters of which every call is made by the thread at the other end. */
export function adaptersByMessages(messages: MessagePort): Adapters {
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  messages.on("message", (outcome: Outcome) => {
    const call = open.get(outcome.id);
    open.delete(outcome.id);
    if ("error" in outcome) call?.reject(Object.assign(new Error(outcome.error.message), outcome.error));
    else call?.resolve("content" in outcome ? Readable.from([Buffer.from(outcome.content)]) : outcome.result);
  });
  const call = (port: string, method: string, values: unknown[]): Promise<unknown> => {
    last += 1;
    const outcome = Promise.withResolvers<unknown>();
    open.set(last, outcome);
    messages.postMessage({ id: last, port, method, values });
    return outcome.promise;
  };
  const methodsOf = (port: string) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...values: unknown[]) =>
            call(port, String(method), values),
      },
    );
  return new Proxy({}, { get: (_, port) => methodsOf(String(port)) }) as Adapters;
}
