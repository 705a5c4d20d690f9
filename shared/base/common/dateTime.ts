/** A time in words of RFC 3339. @param seconds Unix seconds */
export function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

/** `YYYY-MM-DD hh:mm:ss` in UTC (contract W 18). @param seconds Unix seconds */
export function utcText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

/** Unix seconds of an RFC 3339 time; 0 when absent. */
export function unixSeconds(time: string | undefined): number {
  const milliseconds = Date.parse(time ?? "");
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}
