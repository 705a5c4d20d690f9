import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect } from "vitest";
import { adminToken } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

export interface StreamEvent {
  event: string;
  data: string;
}

/** What a client of event streams understands (the parsing rules of the HTML standard). */
export function parseEvents(text: string): { events: StreamEvent[]; comments: number } {
  const events: StreamEvent[] = [];
  let comments = 0;
  let event = "message";
  let data: string[] = [];
  const lines = text.split(/\r\n|\n|\r/);
  for (const line of lines.slice(0, -1)) {
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (line.startsWith(":")) comments += 1;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
    if (line !== "") continue;
    if (data.length > 0) events.push({ event, data: data.join("\n") });
    event = "message";
    data = [];
  }
  return { events, comments };
}

export interface OpenStream {
  status: number;
  headers: IncomingMessage["headers"];
  /** Everything received so far. */
  text(): string;
  events(): StreamEvent[];
  /** Ids of the events, as far as they have any. */
  ids(): string[];
  /** The data of the first `count` events, once they are there. */
  lines(count: number): Promise<string[]>;
  /** Reads no further until `resume`. */
  pause(): void;
  resume(): void;
  hasEnded(): boolean;
  /** Settles when the server ends it. */
  ended(): Promise<void>;
  /** Leaves, as a client that is closed does. */
  leave(): void;
}

/** What the messages of a stream tell. */
export function messagesOf<T>(stream: OpenStream): T[] {
  return stream
    .events()
    .filter(({ event }) => event === "message")
    .map(({ data }) => JSON.parse(data) as T);
}

/** Streams of a suite that must open; `leave` leaves all of them. */
export class OpenStreams {
  readonly #open: OpenStream[] = [];

  async open(...asked: Parameters<typeof openStream>): Promise<OpenStream> {
    const stream = await openStream(...asked);
    this.#open.push(stream);
    expect(stream.status, stream.text()).toBe(200);
    return stream;
  }

  leave(): void {
    for (const stream of this.#open.splice(0)) stream.leave();
  }
}

/** Opens a stream as the administrator, or with the token given; null sends none. */
export async function openStream(
  url: string,
  path: string,
  {
    token = adminToken,
    paused = false,
    lastEventId,
  }: { token?: string | null; paused?: boolean; lastEventId?: string | undefined } = {},
): Promise<OpenStream> {
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
  };
  const sent = request(url + path, { agent: false, headers });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, "response");
  if (response === undefined) throw new Error("no response");
  const chunks: Buffer[] = [];
  let ended = false;
  if (!paused) response.on("data", (chunk: Buffer) => chunks.push(chunk));
  response.once("end", () => {
    ended = true;
  });
  response.on("error", () => {});
  const text = () => Buffer.concat(chunks).toString();
  const events = () => parseEvents(text()).events;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    events,
    ids: () => [...text().matchAll(/^id:(.*)$/gm)].map(([, id = ""]) => id),
    lines: async (count) => {
      await waitFor(
        `${count} events after ${JSON.stringify(text().slice(-300))}`,
        async () => events().length >= count,
      );
      return events().map(({ data }) => data);
    },
    pause: () => void response.pause(),
    resume: () => {
      if (response.listenerCount("data") === 0) response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.resume();
    },
    hasEnded: () => ended,
    ended: async () => void (await waitFor("the end of the stream", async () => ended)),
    leave: () => void sent.destroy(),
  };
}
