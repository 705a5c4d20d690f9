import { handler as identity } from "../../functions/api/identity/handler.ts";
import { handler as meta } from "../../functions/api/meta/handler.ts";
import { handler as operations } from "../../functions/api/operations/handler.ts";
import type { ApiHandler } from "../../shared/http/createApi.ts";

/** The handler of each endpoint group by the group's name. */
export const handlers: Readonly<Record<string, ApiHandler>> = { identity, meta, operations };
