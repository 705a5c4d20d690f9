import { ApiError } from "../../errors/apiError.ts";
import { authenticateToken } from "../../identity/session/authenticateToken.ts";
import type { Exchange, Middleware } from "../exchange.ts";
import { askedText } from "../route.ts";

/** Tells who bears the token: 401 with the reason (contract I 3.1, 3.5). Only streams and texts to subscribe to read it from the query, too. */
export function authenticate(): Middleware {
  return {
    before: async ({ internal }) => {
      if (internal.route?.permission.kind === "public") return;
      internal.bearer = await authenticateToken(bearerToken(internal));
    },
  };
}

function bearerToken(exchange: Exchange): string {
  const { route, query } = exchange;
  const mayBeInQuery = route?.responseType === "events" || askedText(route, query) !== undefined;
  const inQuery = mayBeInQuery ? takeQueryToken(exchange) : "";
  if (inQuery !== "") return inQuery;
  const header = exchange.headers.authorization;
  if (header === undefined || header === "") throw new ApiError(401, "missing authorization header");
  const token = /^bearer ([^ ]+)$/i.exec(header)?.[1];
  if (token === undefined) throw new ApiError(401, "invalid token: token is malformed");
  return token;
}

/** Clients of event streams and of calendars cannot set headers. The token is taken out of the query: nothing else may see it. */
function takeQueryToken({ query }: Exchange): string {
  const { token = "" } = query;
  delete query.token;
  if (typeof token !== "string") throw new ApiError(401, "invalid token: token is malformed");
  return token;
}
