/** A time in words of RFC 3339. @param seconds Unix seconds */
export function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
