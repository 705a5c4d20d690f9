import { AwsError } from "./awsError.ts";

/** Where a page begins, from the token of the page before it. @throws AwsError InvalidToken, or the name given */
export function pageStart(token: string | undefined, errorName = "InvalidToken"): number {
  if (token === undefined) return 0;
  const start = Number(Buffer.from(token, "base64url").toString("utf8"));
  if (Number.isSafeInteger(start) && start > 0) return start;
  throw new AwsError(errorName, "the page token is not one of ours");
}

/** Cuts `items`, read with one more than `size`, to a page; `next` is the token of the page after it. */
export function page<T>(items: T[], start: number, size: number): { items: T[]; next: string | undefined } {
  const next = items.length > size ? Buffer.from(String(start + size)).toString("base64url") : undefined;
  return { items: items.slice(0, size), next };
}
