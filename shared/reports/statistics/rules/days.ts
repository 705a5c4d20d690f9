/** A day as statistics name it, `YYYY-MM-DD` in the zone of the installation; days sort as texts. */
export type Day = string;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of a time (Unix seconds) in a time zone. */
export function dayOf(seconds: number, timeZone: string): Day {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
    formats.set(timeZone, format);
  }
  return format.format(seconds * 1000);
}

/** The Monday of the week that a day lies in. */
export function mondayOf(day: Day): Day {
  return shifted(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}

/** So many days later; earlier where the number is negative. */
export function shifted(day: Day, days: number): Day {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
