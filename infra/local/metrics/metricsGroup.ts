import { createHash, timingSafeEqual } from "node:crypto";
import { ApiError } from "../../../shared/errors/apiError.ts";
import { authenticateToken } from "../../../shared/identity/session/authenticateToken.ts";
import { loadCaller } from "../../../shared/identity/session/loadCaller.ts";
import type { GatewayGroup } from "../gateway.ts";

/** `GET /metrics`, for system administrators and for callers that have the scrape token. */
export function metricsGroup(text: () => Promise<string>, scrapeToken: string | undefined): GatewayGroup {
  return {
    prefixes: ["/metrics"],
    handle: async (event) => {
      try {
        if (event.path !== "/metrics") throw new ApiError(404, "no such path; metrics are at /metrics");
        if (event.httpMethod !== "GET") throw new ApiError(405, "metrics are read with GET");
        await admit(event.headers?.authorization, scrapeToken);
        const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
        return { statusCode: 200, headers, body: await text() };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const headers = { "content-type": "application/json; charset=utf-8" };
        return { statusCode: error.status, headers, body: JSON.stringify(error.body) };
      }
    },
  };
}

/** @throws ApiError 401 without a valid token, 403 for a user who is no system administrator */
async function admit(authorization: string | undefined, scrapeToken: string | undefined): Promise<void> {
  const token = /^bearer ([^ ]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) throw new ApiError(401, "missing authorization header");
  if (scrapeToken !== undefined && isSame(token, scrapeToken)) return;
  const { caller } = await loadCaller(await authenticateToken(token), "everywhere");
  if (!caller.grants.systemAdmin) throw new ApiError(403, "metrics are for system administrators and the scrape token");
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
