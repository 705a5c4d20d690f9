import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { ObjectFolder } from "./objectFolder.ts";

/** Below this path of the gateway every address is a signed one. */
export const objectsPath = "/objects";

/** As long as a signature of AWS counts. */
const LONGEST_SECONDS = 7 * 24 * 3600;
const KEPT_HEADERS = ["content-type", "content-encoding"];

/**
 * What an address answers beside the object. A job wrote it, so that a browser must neither guess what it is nor run it
 * as a page of this origin, and the address itself must not be passed on.
 */
const shownHeaders = {
  "content-security-policy": "sandbox",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

export interface SignedAddresses {
  /** The path and query that let their holder use one method on one object until so many seconds after `now`. */
  sign(method: "GET" | "PUT", key: string, seconds: number, now: Date): string;
  /** Answers one request below `objectsPath`. @throws when the body ends early or cannot be written */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Addresses of objects that are their own credential: a client that has one needs no other. */
export function signedAddresses(folder: ObjectFolder, key: Buffer): SignedAddresses {
  const signatureOf = (method: string, path: string, expires: string): string =>
    createHmac("sha256", key)
      .update(JSON.stringify([method, path, expires]))
      .digest("hex");

  /** The object's key; undefined when the address is not signed for this method, or no longer. */
  function grantedKey({ method = "", url = "", headers }: IncomingMessage): string | undefined {
    const [path = "", search] = url.split("?", 2);
    const query = new URLSearchParams(search);
    const expires = query.get("expires") ?? "";
    const given = Buffer.from(query.get("signature") ?? "");
    const signature = Buffer.from(signatureOf(method, path, expires));
    const isSigned = given.length === signature.length && timingSafeEqual(given, signature);
    // A page of another origin is refused even where it has the address.
    if (!isSigned || Number(expires) <= Date.now() / 1000 || headers.origin !== undefined) return undefined;
    return decodeURIComponent(path.slice(objectsPath.length + 1));
  }

  return {
    sign(method, objectKey, seconds, now) {
      const path = `${objectsPath}/${objectKey.split("/").map(encodeURIComponent).join("/")}`;
      const expires = String(Math.floor(now.getTime() / 1000) + Math.min(seconds, LONGEST_SECONDS));
      return `${path}?expires=${expires}&signature=${signatureOf(method, path, expires)}`;
    },
    async answer(request, response) {
      const objectKey = grantedKey(request);
      if (objectKey === undefined) return end(response, 403, "this address is not signed for that, or has expired\n");
      if (request.method === "PUT") {
        await folder.put(objectKey, request, keptHeaders(request));
        return end(response, 200, "");
      }
      const object = folder.open(objectKey);
      if (object === undefined) return end(response, 404, "there is no such object\n");
      const length = { "content-length": object.sizeBytes };
      response.writeHead(200, {
        "content-type": "application/octet-stream",
        ...object.headers,
        ...shownHeaders,
        ...length,
      });
      await pipeline(object.content, response);
    },
  };
}

/** A body that is not read would make its sender wait: the connection is closed. */
function end(response: ServerResponse, status: number, text: string): void {
  const close = status === 403 ? { connection: "close" } : {};
  response.writeHead(status, { "content-type": "text/plain", "content-length": text.length, ...close }).end(text);
}

function keptHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}
