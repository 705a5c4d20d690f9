import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { rangeText } from "../calendarDays.ts";
import { Loaded, Status } from "../parts.tsx";
import { boardQuery, type Column, type FoundPlan } from "../planQueries.ts";
import { useWords } from "../words.tsx";

/** What is planned, waits, runs and has ended, side by side. */
export function PlanBoard() {
  const { t } = useWords();
  const names: Readonly<Record<Column, string>> = {
    ...{ planning: t("In planning"), planned: t("Planned"), approval: t("Approval") },
    ...{ execution: t("In execution"), over: t("Over") },
  };
  return (
    <Loaded from={useQuery(boardQuery)}>
      {({ columns, hidden }) => (
        <>
          <div className="board">
            {columns.map(({ name, plans }) => (
              <section key={name} aria-label={names[name]}>
                <h2>
                  {names[name]} <span className="tag">{plans.length + (name === "over" ? hidden.over : 0)}</span>
                </h2>
                {plans.length === 0 ? (
                  <p className="quiet">{t("No plan stands here.")}</p>
                ) : (
                  <ul className="cards">
                    {plans.map((plan) => (
                      <Card key={plan.id} plan={plan} />
                    ))}
                  </ul>
                )}
                {name === "over" && hidden.over > 0 && (
                  <Link to="/v1/releasePlan">{t("{count} older ones are in the list.", { count: hidden.over })}</Link>
                )}
              </section>
            ))}
          </div>
          {hidden.open > 0 && (
            <Link to="/v1/releasePlan">
              {t("{count} older ones that are not over are in the list.", { count: hidden.open })}
            </Link>
          )}
        </>
      )}
    </Loaded>
  );
}

function Card({ plan }: { plan: FoundPlan }) {
  const { t, locale } = useWords();
  const { id, index, name, status, manager, job_counts: jobs, start_time, end_time, schedule_execute_time } = plan;
  return (
    <li>
      <Link to="/v1/releasePlan/detail" search={{ id }}>
        {index} {name}
      </Link>
      <p>
        <Status status={status} />
      </p>
      <p className="quiet">{manager}</p>
      <p className="quiet">{t("{ended} of {total} jobs ended", jobs)}</p>
      {jobs.failed > 0 && <p className="problem">{t("{count} jobs failed", { count: jobs.failed })}</p>}
      {end_time > 0 && (
        <p className="quiet">{t("Window: {when}", { when: rangeText(locale, start_time, end_time) })}</p>
      )}
      {schedule_execute_time > 0 && (
        <p className="quiet">
          {t("Begins by itself: {when}", { when: rangeText(locale, schedule_execute_time, schedule_execute_time) })}
        </p>
      )}
      {status === "wait_for_approval" && <Approvals plan={plan} />}
    </li>
  );
}

/** How many have approved; what people of a chat service said is told there. */
function Approvals({ plan: { approval } }: { plan: FoundPlan }) {
  const { t } = useWords();
  const native = approval?.native_approval;
  if (native === undefined) return <p>{t("Waits for people of a chat service.")}</p>;
  const given = native.approve_users.filter(({ reject_or_approve }) => reject_or_approve === "approve").length;
  return <p>{t("{given} of {needed} approvals", { given, needed: native.needed_approvers })}</p>;
}
