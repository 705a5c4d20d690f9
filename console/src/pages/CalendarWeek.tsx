import { Link } from "@tanstack/react-router";
import { barsOf, dateOf, dayOf, hoursOfWeek, plusDays, type Span } from "../calendarDays.ts";
import { type CalendarItem, calendarAt } from "../planQueries.ts";
import { useWords } from "../words.tsx";
import { CalendarEntry } from "./CalendarEntry.tsx";

/** Of a week in a month; a week alone shows all. */
const mostLanes = 5;

/** Seven days beside each other; below them what is planned and frozen, as long as it lasts. */
export function CalendarWeek(props: {
  monday: string;
  items: readonly CalendarItem[];
  at: { span: Span; day: string };
}) {
  const { t, locale } = useWords();
  const { monday, items, at } = props;
  const bars = barsOf(items, monday, at.span);
  const lanes = at.span === "week" ? Number.POSITIVE_INFINITY : mostLanes;
  const shown = bars.filter(({ lane }) => lane < lanes);
  const days = [0, 1, 2, 3, 4, 5, 6].map((count) => plusDays(monday, count));
  const today = dayOf(new Date());
  const name = (day: string) =>
    dateOf(day).toLocaleDateString(locale, { weekday: "short", day: "numeric", month: "short" });
  return (
    <section className="week" aria-label={t("Week from {day}", { day: name(monday) })}>
      <ol className="days">
        {days.map((day) => (
          <li
            key={day}
            className={isOutside(day, at) ? "outside" : ""}
            {...(day === today && { "aria-current": "date" as const })}
          >
            <Link to="/v1/releasePlan" search={calendarAt("week", day)}>
              {name(day)}
            </Link>
          </li>
        ))}
      </ol>
      <ul className="lanes">
        {shown.map(({ item, from, to, lane }) => (
          <li
            key={`${item.kind}/${item.id}/${item.start}`}
            className={item.kind}
            style={{ gridColumn: `${from + 1} / ${Math.min(to, hoursOfWeek) + 1}`, gridRow: lane + 1 }}
          >
            <CalendarEntry item={item} at={at} says={at.span === "month" ? "name" : "hours"} />
          </li>
        ))}
      </ul>
      {shown.length < bars.length && (
        <Link to="/v1/releasePlan" search={calendarAt("week", monday)}>
          {t("{count} more in this week", { count: bars.length - shown.length })}
        </Link>
      )}
    </section>
  );
}

/** Days of the months before and after. */
function isOutside(day: string, at: { span: Span; day: string }): boolean {
  return at.span === "month" && day.slice(0, 7) !== at.day.slice(0, 7);
}
