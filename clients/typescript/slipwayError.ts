/** One thing that is wrong with a request, and where. */
export interface Problem {
  in: "path" | "query" | "header" | "body" | "file";
  /** Of the value inside its place, such as `service_list[0].yaml`, or of a file; empty for the place as a whole. */
  path: string;
  problem: string;
}

/** What Slipway answered to a request that it did not carry out. */
export class SlipwayError extends Error {
  override readonly name = "SlipwayError";
  /** Of HTTP; 0 when nothing answered. */
  readonly status: number;
  /** Of the error catalogue (docs/contract/identity.md); 0 when nothing answered. */
  readonly code: number;
  readonly description: string;
  readonly problems: readonly Problem[];
  /** Whether a sign-in was refused for want of a right code of the second factor: the password was right. */
  readonly needsCode: boolean;
  /** Finds the request in Slipway's log; empty when nothing answered. */
  readonly requestId: string;

  constructor(facts: {
    status: number;
    code: number;
    message: string;
    description: string;
    problems?: readonly Problem[];
    needsCode?: boolean;
    requestId: string;
    cause?: unknown;
  }) {
    super(facts.message, { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.description = facts.description;
    this.problems = facts.problems ?? [];
    this.needsCode = facts.needsCode ?? false;
    this.requestId = facts.requestId;
  }
}

/** What a call answers; undefined where there is no such record. */
export async function unlessMissing<T>(calling: Promise<T>): Promise<T | undefined> {
  try {
    return await calling;
  } catch (error) {
    if (error instanceof SlipwayError && error.status === 404) return undefined;
    throw error;
  }
}

/** The error that an answer holds. A gateway in between may answer something else than Slipway's five keys. */
export async function errorOf(answer: Response): Promise<SlipwayError> {
  const text = await answer.text();
  const told = asRecord(text);
  const problems = told.extra?.problems;
  return new SlipwayError({
    status: answer.status,
    code: told.code ?? answer.status,
    message: told.message || answer.statusText || `status ${answer.status}`,
    description: told.description ?? (told.code === undefined ? text.slice(0, 500) : ""),
    problems: Array.isArray(problems) ? problems : [],
    needsCode: answer.status === 401 && told.extra?.mfa_required === true,
    requestId: answer.headers.get("x-request-id") ?? "",
  });
}

interface Told {
  code?: number;
  message?: string;
  description?: string;
  extra?: { problems?: Problem[]; mfa_required?: boolean };
}

function asRecord(text: string): Told {
  try {
    const told: unknown = JSON.parse(text);
    return typeof told === "object" && told !== null ? told : {};
  } catch {
    return {};
  }
}
