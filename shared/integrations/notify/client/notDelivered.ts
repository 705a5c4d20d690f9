/** A message that did not arrive; the text is for people and holds no secret. */
export class NotDelivered extends Error {
  override readonly name = "NotDelivered";
  /** Another try could help. */
  readonly isWorthAnother: boolean;

  constructor(problem: string, options: { isWorthAnother: boolean; cause?: unknown }) {
    super(problem, { cause: options.cause });
    this.isWorthAnother = options.isWorthAnother;
  }
}

/** What will be the same at every try: a setting that is missing or wrong. */
export function undeliverable(problem: string): NotDelivered {
  return new NotDelivered(problem, { isWorthAnother: false });
}
