/** Milliseconds, then what tells two of one moment apart. */
const form = /^(\d{13})\.[0-9a-f]{8}$/;

/** The id of an event of a moment (Unix milliseconds); ids sort by their time. @param own eight hex characters */
export function eventIdAt(time: number, own = "00000000"): string {
  return `${String(time).padStart(13, "0")}.${own}`;
}

/** Unix milliseconds; undefined for what is no id. */
export function timeOfEventId(id: string): number | undefined {
  const [, time] = form.exec(id) ?? [];
  return time === undefined ? undefined : Number(time);
}
