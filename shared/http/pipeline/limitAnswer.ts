import { ApiError } from "../../errors/apiError.ts";
import { fitsLambda, maxAnswerBytes } from "../answerSize.ts";
import { cutAnswer, mayBeCut } from "../cutAnswer.ts";
import type { Middleware } from "../exchange.ts";
import { askedText } from "../route.ts";

/**
 * The last guard before an answer that Lambda would not take, which API Gateway turns into a 502: 413 says what to do.
 * A list that grows with what is stored is cut instead, and says so.
 */
export function limitAnswer(): Middleware {
  return {
    after: (request) => {
      const { event, response, internal } = request;
      if (response == null || response.stream !== undefined || fitsLambda(response)) return;
      const { route, query } = internal;
      const isCut = route !== undefined && askedText(route, query) === undefined && mayBeCut(route);
      const cut = isCut ? cutAnswer(route, response) : undefined;
      if (cut !== undefined) {
        request.response = cut;
        return;
      }
      const done = event.httpMethod === "GET" ? "" : "the call was carried out, but ";
      throw new ApiError(
        413,
        `${done}the answer is larger than one answer carries (${maxAnswerBytes} bytes); ask for less: a page, one name, or a narrower filter`,
      );
    },
  };
}
