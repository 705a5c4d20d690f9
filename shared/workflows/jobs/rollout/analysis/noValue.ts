/** A look that saw nothing; the message says why, in words for users. */
export class NoValue extends Error {
  override readonly name = "NoValue";
}
