import { adapters } from "../adapters.ts";

/**
 * An address under which its holder may write or read one object, for so many seconds; in AWS no longer than the
 * credentials of this process last.
 */
export async function signAddress(
  method: "GET" | "PUT",
  objectKey: string,
  seconds: number,
  now: Date = new Date(),
): Promise<string> {
  return (
    adapters()?.objects.sign(method, objectKey, seconds, now) ??
    (await import("./signInAws.ts")).sign(method, objectKey, seconds, now)
  );
}
