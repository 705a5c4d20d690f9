export const spans = ["month", "week"] as const;
export type Span = (typeof spans)[number];

/** An entry of a calendar; times are Unix seconds, and it no longer lasts at `end`. */
export interface Lasting {
  start: number;
  end: number;
}

/** The place of an entry in a week, in hours since its first midnight as clocks show them, so that every day has 24. */
export interface Bar<T> {
  item: T;
  /** Where it is drawn. */
  from: number;
  to: number;
  /** From 0, downwards. */
  lane: number;
}

const hoursOfDay = 24;
export const hoursOfWeek = 7 * hoursOfDay;
/** So much is drawn of what is shorter: its name has to be read. */
const leastHours: Readonly<Record<Span, number>> = { month: hoursOfDay, week: 36 };

/** @returns `YYYY-MM-DD` as clocks in this browser's time zone show it */
export function dayOf(date: Date): string {
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return [String(year).padStart(4, "0"), String(month).padStart(2, "0"), String(day).padStart(2, "0")].join("-");
}

/** Its midnight here. @param day `YYYY-MM-DD` */
export function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00`);
}

/** Whether it is a day that calendars have, as addresses name it. */
export function isDay(text: unknown): text is string {
  return typeof text === "string" && /^[12]\d{3}-\d\d-\d\d$/.test(text) && dayOf(dateOf(text)) === text;
}

export function plusDays(day: string, count: number): string {
  const date = dateOf(day);
  date.setDate(date.getDate() + count);
  return dayOf(date);
}

/** A day of the month or week that comes so many later. */
export function plusSpans(span: Span, day: string, count: number): string {
  if (span === "week") return plusDays(day, count * 7);
  const date = dateOf(day);
  return dayOf(new Date(date.getFullYear(), date.getMonth() + count, 1));
}

/** First days, all Mondays, of the weeks that a month has a day in, or of the one week. */
export function weeksOf(span: Span, day: string): string[] {
  if (span === "week") return [mondayOf(day)];
  const first = plusSpans("month", day, 0);
  const next = plusSpans("month", day, 1);
  const weeks: string[] = [];
  for (let monday = mondayOf(first); monday < next; monday = plusDays(monday, 7)) weeks.push(monday);
  return weeks;
}

function mondayOf(day: string): string {
  return plusDays(day, -((dateOf(day).getDay() + 6) % 7));
}

/** @returns Unix seconds, from the first midnight until before the last */
export function secondsOf(weeks: readonly string[]): { from: number; to: number } {
  const [first = "", last = first] = [weeks[0], weeks.at(-1)];
  return { from: midnight(first), to: midnight(plusDays(last, 7)) - 1 };
}

const midnight = (day: string): number => dateOf(day).getTime() / 1000;

/** Whether it lasts between two times; what takes no time does at its own. */
export function isWithin({ start, end }: Lasting, from: number, to: number): boolean {
  return start <= to && (end > from || start >= from);
}

/** The entries of a week, each in the first free lane; in a month by whole days. @param monday its first day */
export function barsOf<T extends Lasting>(items: readonly T[], monday: string, span: Span): Bar<T>[] {
  const { from: begin, to: end } = secondsOf([monday]);
  const hoursOf = (seconds: number): number => {
    if (seconds <= begin) return 0;
    if (seconds > end) return hoursOfWeek;
    const date = new Date(seconds * 1000);
    const days = Math.round((midnight(dayOf(date)) - begin) / 86_400);
    return days * hoursOfDay + date.getHours() + date.getMinutes() / 60;
  };
  const unit = span === "month" ? hoursOfDay : 1;
  const ends: number[] = [];
  return items
    .filter((item) => isWithin(item, begin, end))
    .map((item) => {
      const start = Math.floor(hoursOf(item.start) / unit) * unit;
      const to = Math.min(Math.max(Math.ceil(hoursOf(item.end) / unit) * unit, start + leastHours[span]), hoursOfWeek);
      return { item, from: Math.min(start, hoursOfWeek - leastHours[span]), to };
    })
    .sort((a, b) => a.from - b.from || b.to - a.to)
    .map((bar) => {
      const free = ends.findIndex((taken) => taken <= bar.from);
      const lane = free === -1 ? ends.length : free;
      ends[lane] = bar.to;
      return { ...bar, lane };
    });
}

/** Whose midnights these are: the browser's. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Two times, or one, as a locale writes them, in the browser's time zone. @param start Unix seconds, as `end` */
export function rangeText(locale: string, start: number, end: number): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  return format.formatRange(start * 1000, Math.max(start, end) * 1000);
}
