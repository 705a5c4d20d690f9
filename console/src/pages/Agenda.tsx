import { dateOf, dayOf, type Span, secondsOf } from "../calendarDays.ts";
import type { CalendarItem } from "../planQueries.ts";
import { useWords } from "../words.tsx";
import { CalendarEntry } from "./CalendarEntry.tsx";

/** The calendar as a list of the days on which something begins; what began before is listed on the first day. */
export function Agenda(props: {
  items: readonly CalendarItem[];
  weeks: readonly string[];
  at: { span: Span; day: string };
}) {
  const { locale } = useWords();
  const { items, weeks, at } = props;
  const days = daysOf(items, secondsOf(weeks).from);
  return [...days].map(([day, begun]) => (
    <section key={day}>
      <h3>{dateOf(day).toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long" })}</h3>
      <ul className="rows agenda">
        {begun.map((item) => (
          <li key={`${item.kind}/${item.id}/${item.start}`} className={item.kind}>
            <CalendarEntry item={item} at={at} says="all" />
          </li>
        ))}
      </ul>
    </section>
  ));
}

/** @param from Unix seconds @returns by `YYYY-MM-DD`, in the order of the items, which is that of their starts */
function daysOf(items: readonly CalendarItem[], from: number): Map<string, CalendarItem[]> {
  const days = new Map<string, CalendarItem[]>();
  for (const item of items) {
    const day = dayOf(new Date(Math.max(item.start, from) * 1000));
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  return days;
}
