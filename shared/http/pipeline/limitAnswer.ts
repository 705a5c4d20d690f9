import { ApiError } from "../../domain/errors/apiError.ts";
import { fitsLambda, mostAnswerBytes } from "../answerSize.ts";
import type { Middleware } from "../exchange.ts";

/**
 * The last guard before an answer that Lambda would not take, which API Gateway turns into a 502: 413 says what to do.
 * Where answers may grow, they are cut where they are made.
 */
export function limitAnswer(): Middleware {
  return {
    after: ({ event, response }) => {
      if (response == null || response.stream !== undefined || fitsLambda(response)) return;
      const done = event.httpMethod === "GET" ? "" : "the call was carried out, but ";
      throw new ApiError(
        413,
        `${done}the answer is larger than one answer carries (${mostAnswerBytes} bytes); ask for less: a page, one name, or a narrower filter`,
      );
    },
  };
}
