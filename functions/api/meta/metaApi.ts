import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { keys } from "../../../shared/base/store/keys/keys.ts";
import { table } from "../../../shared/base/store/table.ts";
import { type ApiHandler, createApi } from "../../../shared/http/createApi.ts";
import { toOpenApi30 } from "../../../shared/http/document/toOpenApi30.ts";
import { readDocument } from "./readDocument.ts";
import { type Parts, readiness } from "./readiness.ts";
import { metaRoutes } from "./routes.ts";

let document30: Promise<ReturnType<typeof toOpenApi30>> | undefined;

/** Made of the document at the first call. */
function readDocument30(): Promise<ReturnType<typeof toOpenApi30>> {
  document30 ??= readDocument().then(toOpenApi30);
  return document30;
}

/**
 * The API's document and whether it is well.
 * @param more parts beside the table that an installation cannot do without
 */
export function metaApi(more: Parts = {}): ApiHandler {
  const failures = readiness({ table: () => table().add(keys.counter("readiness"), 1), ...more });
  return createApi(metaRoutes, {
    getDocument: readDocument,
    getDocument30: readDocument30,
    getHealth: async () => ({ status: "ok" as const }),
    getReadiness: async () => {
      const failed = await failures();
      if (failed.length === 0) return { status: "ready" as const };
      throw new ApiError(503, `not ready: ${failed.map(({ part }) => part).join(", ")}`, {
        internal: failed.map(({ part, reason }) => `${part}: ${reason}`).join("; "),
      });
    },
  });
}
