/** An address that may not be reached, whatever is tried again. `host` never carries credentials. */
export class OutboundRefused extends Error {
  override readonly name = "OutboundRefused";
  readonly host: string;

  constructor(host: string, wrong: string, right: string) {
    super(`${host}: ${wrong}; ${right}`);
    this.host = host;
  }
}

/** What answers sends more than was asked for. */
export class AnswerTooLong extends OutboundRefused {}

/** An allowed address that did not answer in time or at all: worth another try. */
export class OutboundFailed extends Error {
  override readonly name = "OutboundFailed";
  readonly host: string;
  /** Node's error code, such as `ECONNREFUSED`, or `ETIMEDOUT` for a limit of ours. */
  readonly code: string;

  constructor(host: string, wrong: string, code: string, cause?: unknown) {
    super(`${host}: ${wrong}`, { cause });
    this.host = host;
    this.code = code;
  }
}
