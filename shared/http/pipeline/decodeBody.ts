import { ApiError, badRequest } from "../../base/errors/apiError.ts";
import type { ApiEvent, Middleware } from "../exchange.ts";

/** Decisions 4.4: bytes as received. */
export const maxBodyBytes = 5_000_000;
const maxJsonDepth = 64;

/**
 * Reads the body as JSON, or as the declaration says: 413 when it is too large, 400 when it cannot be decoded or nests
 * too deeply.
 */
export function decodeBody(): Middleware {
  return {
    before: ({ event, internal }) => {
      const bytes = bodyBytes(event);
      if (bytes.length > maxBodyBytes)
        throw new ApiError(413, `the body is larger than ${maxBodyBytes} bytes; send less in one request`);
      if (internal.route?.body === undefined) return;
      internal.bodyBytes = bytes;
      const { readBody } = internal.route;
      if (readBody?.magic !== undefined && bytes.toString("latin1", 0, readBody.magic.length) === readBody.magic) {
        internal.bodyText = bytes.toString("latin1");
        internal.body = readBody.read(bytes);
        return;
      }
      internal.bodyText = bytes.toString("utf8");
      if (internal.bodyText.trim() === "") return;
      if (readBody !== undefined && readBody.magic === undefined && !/^\s*[[{]/.test(internal.bodyText)) {
        internal.body = readBody.read(internal.bodyText);
        return;
      }
      if (tooDeep(internal.bodyText, maxJsonDepth))
        throw badRequest([{ in: "body", path: "", problem: `nests deeper than ${maxJsonDepth} levels` }]);
      try {
        internal.body = JSON.parse(internal.bodyText);
      } catch (error) {
        throw badRequest([{ in: "body", path: "", problem: `is not JSON: ${(error as Error).message}` }]);
      }
    },
  };
}

function bodyBytes(event: ApiEvent): Buffer {
  return Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
}

/** Tells whether a JSON text nests deeper than `limit`, in one pass and without parsing it. */
function tooDeep(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === 0x5c) at++;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > limit) return true;
    } else if (character === 0x7d || character === 0x5d) depth--;
  }
  return false;
}
