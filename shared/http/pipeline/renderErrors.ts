import { ApiError, type ErrorBody } from "../../base/errors/apiError.ts";
import { errorCatalogue } from "../../base/errors/catalogue.ts";
import { isServiceTrouble } from "../../base/errors/serviceTrouble.ts";
import { isStorageFull } from "../../base/errors/storageFull.ts";
import { log } from "../../base/settings/log.ts";
import { KeyTooLong } from "../../base/store/refusals.ts";
import { ConditionFailed, TransactionContended } from "../../base/store/tableClient.ts";
import type { ApiRequest, ApiResponse, Middleware } from "../exchange.ts";
import { fitsLambda } from "../stream/answerSize.ts";

/** The one error renderer: turns whatever was thrown into the five keys and the headers every answer carries. */
export function renderErrors(): Middleware {
  return {
    onError: (request) => {
      const error = toApiError(request.error, request.internal.requestId);
      const unexpected = error.status >= 500;
      if (unexpected || error.internal !== undefined) {
        const cause = error.cause instanceof Error ? error.cause : error;
        log.error("request failed", {
          requestId: request.internal.requestId,
          internal: error.internal ?? cause.message,
          stack: cause.stack,
        });
      }
      if (error.retryAfterSeconds !== undefined)
        request.internal.responseHeaders["retry-after"] = String(error.retryAfterSeconds);
      const { status, body } = request.internal.route?.legacyErrors ? legacyError(error) : error;
      const answer = jsonResponse(request, status, body);
      request.response = fitsLambda(answer) ? answer : jsonResponse(request, status, { ...body, extra: {} });
    },
  };
}

/** Both bodies in one (contract I 10.1): clients of the older API read `resultCode`, others `code`. */
function legacyError(error: ApiError): { status: number; body: ErrorBody } {
  const older = (resultCode: 400 | 401, errorMsg: string) => ({
    status: resultCode,
    body: { ...error.body, code: resultCode, message: errorCatalogue[resultCode], resultCode, errorMsg },
  });
  if (error.code === 401 || error.code === 403) return older(401, "auth failed!");
  return error.code === 400 ? older(400, "param is illegal!") : error;
}

/** Until a throttled service has room again. */
const busySeconds = 5;

export function toApiError(error: unknown, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ConditionFailed || error instanceof TransactionContended) {
    return new ApiError(409, "the record was changed by somebody else at the same moment; read it and try again");
  }
  if (error instanceof KeyTooLong)
    return new ApiError(400, "a name or an id in the request is longer than any that can be stored; shorten it", {
      internal: error.message,
    });
  if (isStorageFull(error))
    return new ApiError(
      507,
      "the disk is full, so the change could not be stored; make room, then send the request again",
      {
        cause: error,
      },
    );
  if (isServiceTrouble(error))
    return new ApiError(
      503,
      `a service that Slipway needs is throttled or fails at the moment; send the request again in ${busySeconds} seconds`,
      { cause: error, retryAfterSeconds: busySeconds },
    );
  return new ApiError(500, `unexpected failure; the log tells more under request id ${requestId}`, { cause: error });
}

export function jsonResponse(request: ApiRequest, statusCode: number, body: unknown): ApiResponse {
  return {
    statusCode,
    headers: { "content-type": "application/json; charset=utf-8", ...request.internal.responseHeaders },
    body: JSON.stringify(body),
  };
}
