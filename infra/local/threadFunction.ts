import { Worker } from "node:worker_threads";

export interface ThreadFunction {
  run(event: unknown, context: { signal: AbortSignal }): Promise<unknown>;
  /** Ends every running thread where it stands, as a machine that fails would. */
  kill(): Promise<void>;
}

/** A function that runs in a thread of its own, so that it can fail without taking the rest along. */
export function threadFunction(entry: URL): ThreadFunction {
  const threads = new Set<Worker>();
  return {
    run: (event, { signal }) => {
      const worker = new Worker(entry, { workerData: event });
      threads.add(worker);
      const stop = (): void => void worker.terminate();
      signal.addEventListener("abort", stop, { once: true });
      return new Promise((resolve, reject) => {
        worker.once("message", resolve);
        worker.once("error", reject);
        worker.once("exit", (code) => {
          threads.delete(worker);
          signal.removeEventListener("abort", stop);
          reject(new Error(`the function's thread ended with code ${code}`));
        });
      });
    },
    kill: async () => {
      await Promise.all([...threads].map((worker) => worker.terminate()));
    },
  };
}
