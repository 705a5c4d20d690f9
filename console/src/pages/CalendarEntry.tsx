import { Link } from "@tanstack/react-router";
import { rangeText, type Span } from "../calendarDays.ts";
import { type CalendarItem, calendarAt } from "../planQueries.ts";
import { useWords } from "../words.tsx";

/**
 * What something in the calendar is, and the way to it.
 * @param says as much as there is room for: its name, its hours besides, or all, which its description says in any case
 */
export function CalendarEntry(props: {
  item: CalendarItem;
  at: { span: Span; day: string };
  says: "name" | "hours" | "all";
}) {
  const { t, word, locale } = useWords();
  const { item, at, says } = props;
  const { id, kind, start, end, status } = item;
  const kinds = { plan: t("Plan"), window: t("Window"), freeze: t("Freeze") };
  const name = t("{kind}: {name}", { kind: kinds[kind], name: item.name });
  const all = [name, rangeText(locale, start, end), ...(status === "" ? [] : [word(status)])].join(", ");
  const text = { name, hours: [name, hoursText(locale, start, end)].join(", "), all }[says];
  return kind === "freeze" ? (
    <Link to="/v1/releasePlan" search={{ ...calendarAt(at.span, at.day), freeze: id }} title={all}>
      {text}
    </Link>
  ) : (
    <Link to="/v1/releasePlan/detail" search={{ id }} title={all}>
      {text}
    </Link>
  );
}

/** Between which hours, where the days are seen. @param start Unix seconds, as `end` */
function hoursText(locale: string, start: number, end: number): string {
  const format = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
  const ends = end > start ? [start, end] : [start];
  return ends.map((seconds) => format.format(seconds * 1000)).join(" – ");
}
