import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * Runs `work` and counts by their names what the AWS stand-in of this process is asked for meanwhile, by whichever thread.
 * Actions that have no name of their own go by method and first word of the path: `GET schedules`.
 */
export async function recordAwsCalls<T>(work: () => Promise<T>): Promise<{ result: T; calls: Record<string, number> }> {
  const port = Number(new URL(process.env.SLIPWAY_AWS_ENDPOINT ?? "").port);
  const calls: Record<string, number> = {};
  const note = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage };
    if (request.socket.localPort !== port) return;
    const name = nameOf(request);
    calls[name] = (calls[name] ?? 0) + 1;
  };
  subscribe("http.server.request.start", note);
  try {
    return { result: await work(), calls };
  } finally {
    unsubscribe("http.server.request.start", note);
  }
}

function nameOf({ headers, method, url = "" }: IncomingMessage): string {
  const target = headers["x-amz-target"];
  return typeof target === "string" ? target.replace(/^.*\./, "") : `${method} ${url.split(/[/?]/)[1]}`;
}
