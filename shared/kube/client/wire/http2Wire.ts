import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { PassThrough, type Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import { outboundSocket } from "../../../base/outbound/outboundSocket.ts";
import type { ClusterEndpoint } from "../endpoint/ClusterEndpoint.ts";
import { wholeOf } from "./wholeOf.ts";
import type { Wire, WireAnswer, WireRequest } from "./wire.ts";

/** A connection silent for longer is asked for a sign of life before it is used: a frozen process loses connections. */
const idleMs = 5_000;
const pingMs = 2_000;
const streamWindowBytes = 4 * 1024 * 1024;

/** HTTP/2 over one connection, opened again when it is gone. `first` is the connection that negotiated it. */
export function http2Wire(endpoint: ClusterEndpoint, first: TLSSocket): Wire {
  let current: Promise<Session> = Promise.resolve(sessionOver(endpoint.server, first));

  async function usable({ isRepeated = false, signal }: WireRequest): Promise<Session> {
    const found = current;
    const session = await found.catch(() => undefined);
    if (session !== undefined && isOpen(session)) {
      const alive = isAlive(session).then((answered) => {
        if (!answered) session.http2.destroy();
        return answered;
      });
      // What is repeated anyway does not wait: on a connection that turns out to be dead it fails.
      if (isRepeated || (await alive)) return session;
    }
    // Of several calls that find the connection gone, the first opens the next one.
    if (current === found) current = reopen(endpoint, signal);
    return current;
  }

  return {
    send: async (request) => sendOver(await usable(request), request, contentOf),
    read: async (request) => {
      const answer = await sendOver(await usable(request), request, (stream) =>
        wholeOf(stream, () => isComplete(stream)),
      );
      return { ...answer, body: await answer.body };
    },
    close: () => void current.then(({ http2 }) => http2.destroy()).catch(() => undefined),
  };
}

interface Session {
  http2: ClientHttp2Session;
  open: number;
  /** When something came over it last, on the clock of `performance.now()`. */
  heardAt: number;
  /** Under way while it is asked for a sign of life. */
  asked?: Promise<boolean> | undefined;
}

async function reopen({ rule, server, tls }: ClusterEndpoint, signal: AbortSignal): Promise<Session> {
  return sessionOver(server, await outboundSocket(rule, server, tls, ["h2"], signal));
}

function sessionOver(server: URL, socket: TLSSocket): Session {
  const http2 = connect(server, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: streamWindowBytes },
  });
  http2.setLocalWindowSize(4 * streamWindowBytes);
  // Its streams report what broke; unheard, the event would end the process.
  http2.on("error", () => undefined);
  http2.unref();
  return { http2, open: 0, heardAt: performance.now() };
}

function isOpen({ http2 }: Session): boolean {
  return !http2.closed && !http2.destroyed;
}

/** A caller that asks while another one waits for a sign of life waits for the same one. */
function isAlive(session: Session): Promise<boolean> {
  if (performance.now() - session.heardAt < idleMs) return Promise.resolve(true);
  session.asked ??= askForLife(session).finally(() => {
    session.asked = undefined;
  });
  return session.asked;
}

async function askForLife(session: Session): Promise<boolean> {
  const answered = await new Promise<boolean>((resolve) => {
    const late = setTimeout(() => resolve(false), pingMs);
    session.http2.ping((error) => {
      clearTimeout(late);
      resolve(error === null);
    });
  });
  if (answered) session.heardAt = performance.now();
  return answered;
}

function sendOver<Body>(
  session: Session,
  { method, path, headers, body, signal }: WireRequest,
  read: (stream: ClientHttp2Stream) => Body,
): Promise<WireAnswer<Body>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stream: ClientHttp2Stream = session.http2.request(
      { ...headers, ":method": method, ":path": path },
      { endStream: body === undefined },
    );
    session.open += 1;
    session.http2.ref();
    const abort = () => {
      stream.destroy(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    signal.addEventListener("abort", abort, { once: true });
    stream.on("error", reject);
    stream.once("response", (answer) => {
      session.heardAt = performance.now();
      const retryAfter = answer["retry-after"];
      resolve({
        status: answer[":status"] ?? 0,
        retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
        contentType: answer["content-type"],
        body: read(stream),
      });
    });
    stream.once("close", () => {
      signal.removeEventListener("abort", abort);
      session.open -= 1;
      if (session.open === 0) session.http2.unref();
      // A refused or reset stream may close without an error of its own.
      reject(new Error("the connection closed before an answer came"));
    });
    if (body !== undefined) stream.end(body);
  });
}

/**
 * A stream that ends before it is read loses its content, so reading starts at once. By hand, because `pipeline` aborts
 * a signal of its own at every end, which costs more than reading a short answer.
 */
function contentOf(stream: ClientHttp2Stream): Readable {
  const content = new PassThrough();
  content.on("error", () => undefined);
  stream.pipe(content, { end: false });
  stream.once("end", () => {
    if (isComplete(stream)) content.end();
    else content.destroy(new Error("the connection closed before the answer was complete"));
  });
  stream.once("error", (error) => content.destroy(error));
  stream.once("close", () => {
    if (!stream.readableEnded) content.destroy(new Error("the connection closed before the answer was complete"));
  });
  // Who stops reading wants no more of it.
  content.once("close", () => stream.close(constants.NGHTTP2_CANCEL));
  return content;
}

/** A connection that is lost ends its streams as an answer's end does; the code alone tells them apart. */
function isComplete({ rstCode }: ClientHttp2Stream): boolean {
  return rstCode === constants.NGHTTP2_NO_ERROR;
}
