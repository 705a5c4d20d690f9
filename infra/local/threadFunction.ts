import { setFlagsFromString } from "node:v8";
import { MessageChannel, Worker } from "node:worker_threads";
import { type Noted, passOn } from "../../shared/base/metrics/recordMetric.ts";
import { answerAdapterCalls } from "./adapterMessages.ts";

// V8 aborts at times when it collects code of WebAssembly (here the HTTP parser of `fetch`) that threads compiled:
// "Check failed: jit_page_->allocations_.erase(addr) == 1", nodejs/node#64500. It keeps some kilobytes more instead.
setFlagsFromString("--no-wasm-code-gc");

/** What a thread sends: the answer to its event, and what it measured on the way. */
export type FromThread = { answer: unknown } | { noted: Noted };

export interface ThreadFunction {
  run(event: unknown, context: { signal: AbortSignal }): Promise<unknown>;
  /** Ends every thread wherever it is, as a machine that fails would. */
  kill(): Promise<void>;
}

/** Loading the modules of a thread costs half a second of processor time, keeping them some memory. */
const idleMilliseconds = 60_000;

/**
 * A function that runs in a thread of its own, so that it can fail without taking the rest along. The entry answers each
 * event that it is sent; like Lambda's, a thread that has answered takes the next event.
 * @param data for `workerData` of each thread, which has the port to the adapters of this one besides
 */
export function threadFunction(entry: URL, data: object = {}): ThreadFunction {
  const threads = new Set<Worker>();
  const idle = new Map<Worker, NodeJS.Timeout>();

  function start(): Worker {
    const { port1: ours, port2: adapters } = new MessageChannel();
    answerAdapterCalls(ours);
    const worker = new Worker(entry, { workerData: { ...data, adapters }, transferList: [adapters] });
    threads.add(worker);
    worker.once("exit", () => {
      threads.delete(worker);
      clearTimeout(idle.get(worker));
      idle.delete(worker);
    });
    return worker;
  }

  function takeIdle(): Worker | undefined {
    const [worker] = idle.keys();
    if (worker === undefined) return undefined;
    clearTimeout(idle.get(worker));
    idle.delete(worker);
    worker.ref();
    return worker;
  }

  function rest(worker: Worker): void {
    worker.unref();
    idle.set(worker, setTimeout(() => void worker.terminate(), idleMilliseconds).unref());
  }

  return {
    run: (event, { signal }) => {
      const worker = takeIdle() ?? start();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const exit = (code: number): void => reject(new Error(`the function's thread ended with code ${code}`));
      const stop = (): void => void worker.terminate();
      const hear = (message: FromThread): void => {
        if ("noted" in message) {
          passOn(message.noted);
          return;
        }
        worker.off("message", hear).off("error", reject).off("exit", exit);
        signal.removeEventListener("abort", stop);
        rest(worker);
        resolve(message.answer);
      };
      signal.addEventListener("abort", stop, { once: true });
      worker.on("message", hear).once("error", reject).once("exit", exit);
      worker.postMessage(event);
      return promise;
    },
    kill: async () => {
      await Promise.all([...threads].map((worker) => worker.terminate()));
    },
  };
}
