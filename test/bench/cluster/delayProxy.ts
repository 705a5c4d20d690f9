import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface DelayProxy {
  port: number;
  /** Milliseconds that every round trip takes longer from now on. */
  setDelay(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** A TCP proxy on loopback, in a thread of its own, so that what is measured does not share its event loop. */
export async function startDelayProxy(host: string, port: number): Promise<DelayProxy> {
  const worker = new Worker(new URL("./delayProxyThread.ts", import.meta.url), { workerData: { host, port } });
  const [listening] = (await once(worker, "message")) as [number];
  return {
    port: listening,
    setDelay: async (milliseconds) => {
      worker.postMessage(milliseconds);
      await once(worker, "message");
    },
    close: async () => void (await worker.terminate()),
  };
}
