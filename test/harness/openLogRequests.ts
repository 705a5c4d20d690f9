import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface OpenLogRequests {
  /** How many requests for a pod's log clusters of this process are answering now. */
  count(): number;
  stop(): void;
}

const channel = "http.server.request.start";

/** Watches the side of the clusters that run in this process. */
export function openLogRequests(): OpenLogRequests {
  let open = 0;
  const look = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!/^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log\b/.test(request.url ?? "")) return;
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
  };
  subscribe(channel, look);
  return { count: () => open, stop: () => void unsubscribe(channel, look) };
}
