import { useQuery } from "@tanstack/react-query";
import { rangeText } from "../calendarDays.ts";
import { Loaded, Status } from "../parts.tsx";
import { freezesQuery } from "../planQueries.ts";
import { useWords } from "../words.tsx";

/** Why a freeze holds, for what, and when. */
export function FreezeDetails({ id }: { id: string }) {
  const { t, locale } = useWords();
  return (
    <Loaded from={useQuery(freezesQuery)}>
      {(freezes) => {
        const freeze = freezes.find((one) => one.id === id);
        if (freeze === undefined) return <p className="empty">{t("This freeze was deleted.")}</p>;
        const { name, reason, projects, environments, start_time = 0, end_time = 0, cron, holds_until, next } = freeze;
        const title = t("{kind}: {name}", { kind: t("Freeze"), name });
        const places = [...projects, ...environments.map(({ project_key, env_name }) => `${project_key}/${env_name}`)];
        return (
          <section className="details" aria-label={title}>
            <h2>
              {title}{" "}
              {holds_until !== undefined && (
                <Status status="busy">
                  {t("holds until {when}", { when: rangeText(locale, holds_until, holds_until) })}
                </Status>
              )}
            </h2>
            <p>{reason}</p>
            <p>{places.length === 0 ? t("For all production.") : t("For {places}.", { places: places.join(", ") })}</p>
            {cron === undefined ? (
              <p>{rangeText(locale, start_time, end_time)}</p>
            ) : (
              <p>
                {t("{minutes} minutes from {cron}, by the clock of {zone}.", {
                  ...{ minutes: freeze.duration_minutes ?? 0, cron, zone: freeze.time_zone ?? "" },
                })}
              </p>
            )}
            {next !== undefined && (
              <p className="quiet">{t("Next: {when}", { when: rangeText(locale, next.start_time, next.end_time) })}</p>
            )}
          </section>
        );
      }}
    </Loaded>
  );
}
