/**
 * Why an image cannot be copied or read. The message is for users: registry, repository, what happened, what to do. It never
 * holds a login, a token or the query of an address.
 */
export class ImageProblem extends Error {
  override readonly name = "ImageProblem";
  /** Whether the same call may go well later without anybody changing anything. */
  readonly retryable: boolean;

  constructor(message: string, { retryable, cause }: { retryable: boolean; cause?: unknown }) {
    super(message, { cause });
    this.retryable = retryable;
  }
}
