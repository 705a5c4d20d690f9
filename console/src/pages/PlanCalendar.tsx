import { Input } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { dateOf, dayOf, isDay, plusSpans, type Span, secondsOf, spans, timeZone, weeksOf } from "../calendarDays.ts";
import { Loaded } from "../parts.tsx";
import { calendarAt, calendarQuery } from "../planQueries.ts";
import { useWords } from "../words.tsx";
import { Agenda } from "./Agenda.tsx";
import { CalendarWeek } from "./CalendarWeek.tsx";
import { FreezeDetails } from "./FreezeDetails.tsx";

/** Too narrow for seven days beside each other. */
const narrow = matchMedia("(width < 48rem)");
function watchWidth(changed: () => void): () => void {
  narrow.addEventListener("change", changed);
  return () => narrow.removeEventListener("change", changed);
}

/** A month or a week with plans when they run, their windows, and freezes; where there is no room for it, day by day. */
export function PlanCalendar() {
  const { t, locale } = useWords();
  const { span = "month", day: asked, freeze } = useSearch({ from: "/shell/v1/releasePlan" });
  const day = asked ?? dayOf(new Date());
  const weeks = weeksOf(span, day);
  const { from, to } = secondsOf(weeks);
  const isNarrow = useSyncExternalStore(watchWidth, () => narrow.matches);
  const names: Readonly<Record<Span, string>> = { month: t("Month"), week: t("Week") };
  return (
    <>
      <div className="head">
        <h2 aria-live="polite">{titleOf(span, day, weeks, locale)}</h2>
        <div className="actions">
          <nav className="actions" aria-label={t("Time shown")}>
            <Link to="/v1/releasePlan" search={calendarAt(span, plusSpans(span, day, -1))}>
              {t("Earlier")}
            </Link>
            <Link to="/v1/releasePlan" search={calendarAt(span)} activeOptions={{ explicitUndefined: true }}>
              {t("Today")}
            </Link>
            <Link to="/v1/releasePlan" search={calendarAt(span, plusSpans(span, day, 1))}>
              {t("Later")}
            </Link>
          </nav>
          <GoTo key={day} day={day} span={span} />
          <nav className="actions" aria-label={t("Length")}>
            {spans.map((one) => (
              <Link
                key={one}
                to="/v1/releasePlan"
                search={calendarAt(one, asked)}
                activeOptions={{ explicitUndefined: true }}
              >
                {names[one]}
              </Link>
            ))}
          </nav>
        </div>
      </div>
      <p className="quiet">{t("Times are those of {zone}.", { zone: timeZone() })}</p>
      <Loaded from={useQuery(calendarQuery(from, to))}>
        {({ items, truncated }) => {
          const now = Date.now() / 1000;
          // What runs lasts until now at least.
          const shown = items.map((item) =>
            item.status === "executing" ? { ...item, end: Math.max(item.end, now) } : item,
          );
          return (
            <>
              {truncated && <p className="problem">{t("There is more than can be shown: choose a shorter time.")}</p>}
              {isNarrow ? (
                <Agenda items={shown} weeks={weeks} at={{ span, day }} />
              ) : (
                <div className="calendar">
                  {weeks.map((monday) => (
                    <CalendarWeek key={monday} monday={monday} items={shown} at={{ span, day }} />
                  ))}
                </div>
              )}
              {items.length === 0 && <p className="empty">{t("Nothing is planned or frozen in this time.")}</p>}
            </>
          );
        }}
      </Loaded>
      {freeze !== undefined && <FreezeDetails id={freeze} />}
    </>
  );
}

/** As people say a month, or the days of a week. */
function titleOf(span: Span, day: string, weeks: readonly string[], locale: string): string {
  if (span === "month") return new Intl.DateTimeFormat(locale, { year: "numeric", month: "long" }).format(dateOf(day));
  const { from, to } = secondsOf(weeks);
  return new Intl.DateTimeFormat(locale, { dateStyle: "long" }).formatRange(from * 1000, to * 1000);
}

/** Any day that people know, by its date. */
function GoTo({ day, span }: { day: string; span: Span }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/v1/releasePlan" });
  return (
    <Input
      type="date"
      aria-label={t("Go to the day")}
      defaultValue={day}
      onChange={({ target: { value } }) => isDay(value) && void navigate({ search: calendarAt(span, value) })}
    />
  );
}
