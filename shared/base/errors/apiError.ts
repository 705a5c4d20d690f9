import { type ErrorCode, errorCatalogue, statusOfCode } from "./catalogue.ts";

/** One thing that is wrong with a request: where it is, what is wrong and what would be right. */
export interface Problem {
  in: "path" | "query" | "header" | "body";
  /** Path of the value inside its place, for example `service_list[0].yaml`; empty for the place as a whole. */
  path: string;
  problem: string;
}

/** The five keys of every error answer (contract I 2.1, [ours]). */
export interface ErrorBody {
  type: "error";
  code: number;
  message: string;
  description: string;
  extra: Record<string, unknown>;
}

/**
 * A failure with a code of the catalogue. `description` is public; `internal` goes to the log only.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly description: string;
  readonly extra: Record<string, unknown>;
  readonly internal: string | undefined;
  /** What the header `Retry-After` of the answer says; absent: it has none. */
  readonly retryAfterSeconds: number | undefined;
  readonly #message: string;

  /** `message` takes the place of the catalogue's text where the specification samples another one. */
  constructor(
    code: ErrorCode,
    description: string,
    options: {
      extra?: Record<string, unknown>;
      internal?: string;
      message?: string;
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(`${code} ${description}`, { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.description = description;
    this.extra = options.extra ?? {};
    this.internal = options.internal;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.#message = options.message ?? errorCatalogue[code];
  }

  get status(): number {
    return statusOfCode(this.code);
  }

  get body(): ErrorBody {
    return {
      type: "error",
      code: this.code,
      message: this.#message,
      description: this.description,
      extra: this.extra,
    };
  }
}

/** A body of megabytes may be wrong at every place; an answer stays readable. */
const maxProblems = 200;

/** 400 that lists every problem of the request at once, the first 200 of them. */
export function badRequest(problems: readonly Problem[]): ApiError {
  const shown = problems.slice(0, maxProblems);
  const more = problems.length > shown.length ? [`and ${problems.length - shown.length} more problems`] : [];
  const description = [...shown.map(describeProblem), ...more].join("; ");
  return new ApiError(400, description, { extra: { problems: shown } });
}

/** 404 of a record: `what` names it as the caller did, for example `project demo`. */
export function notFound(what: string): ApiError {
  return new ApiError(404, `${what} does not exist`);
}

function describeProblem(problem: Problem): string {
  const place = problem.path === "" ? problem.in : `${problem.in} ${problem.path}`;
  return `${place}: ${problem.problem}`;
}
