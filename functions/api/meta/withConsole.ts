import type { ApiHandler } from "../../../shared/http/createApi.ts";
import { headersOf } from "../../../shared/http/headersOf.ts";

/**
 * The API with the console below `/console`. Browsers that ask for the API's own address are sent there; programs are
 * answered as ever.
 */
export function withConsole(api: ApiHandler, console: ApiHandler): ApiHandler {
  return async (event, context) => {
    if (event.path === "/console" || event.path.startsWith("/console/")) return console(event, context);
    const isBrowser = event.httpMethod === "GET" && /\btext\/html\b/.test(headersOf(event).accept ?? "");
    if (!isBrowser || event.path !== "/") return api(event, context);
    // Where a stage precedes the path, the stage's address works without a slash at the end, too.
    const root = (event.requestContext.path ?? "/").replace(/\/$/, "");
    return { statusCode: 302, headers: { location: `${root}/console/`, vary: "accept" }, body: "" };
  };
}
