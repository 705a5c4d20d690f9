import type { Page } from "playwright-core";

/** What a tab asked its change sockets for, in order. */
export interface Followed {
  action: "follow";
  after?: string;
  environment?: string;
  task?: string;
}

export const isTicket = (url: string): boolean => url.includes("/openapi/events/socket");

/** Notes what a tab asks for, and how many sockets it opens. */
export function noteSockets(page: Page): { follows: Followed[]; opened(): number } {
  const follows: Followed[] = [];
  let count = 0;
  page.on("websocket", (socket) => {
    count += 1;
    socket.on("framesent", ({ payload }) => {
      const message = JSON.parse(String(payload)) as Followed;
      if (message.action === "follow") follows.push(message);
    });
  });
  return { follows, opened: () => count };
}
