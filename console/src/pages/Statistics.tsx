import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Bars } from "../Bars.tsx";
import { Loaded } from "../parts.tsx";
import { projectsQuery } from "../queries.ts";
import { type Cost, costQuery, mayKnowCostQuery, rangeDays, statisticsQuery } from "../statisticsQueries.ts";
import { useWords } from "../words.tsx";
import { useMoney } from "./Cost.tsx";

const here = "/shell/v1/statistics";

/** How much was built, tested and deployed, the four figures of delivery, and what runs cost, by range and project. */
export default function Statistics() {
  const { t } = useWords();
  const { days = 30, project } = useSearch({ from: here });
  const projects = useQuery(projectsQuery);
  const { data: mayKnowCost = false } = useQuery(mayKnowCostQuery(project));
  const costs = useQuery({ ...costQuery(days, project), enabled: mayKnowCost });
  return (
    <>
      <div className="head">
        <h1>{t("Statistics")}</h1>
        <nav className="actions" aria-label={t("Range")}>
          {rangeDays.map((range) => (
            <Link key={range} to={"/v1/statistics"} search={{ days: range, ...(project && { project }) }}>
              {t("{count} days", { count: range })}
            </Link>
          ))}
        </nav>
      </div>
      <nav className="actions" aria-label={t("Projects")}>
        <Link to="/v1/statistics" search={{ days }} activeOptions={{ exact: true }}>
          {t("all projects")}
        </Link>
        {projects.data?.map(({ project_key, project_name }) => (
          <Link key={project_key} to="/v1/statistics" search={{ days, project: project_key }}>
            {project_name}
          </Link>
        ))}
      </nav>
      <Loaded from={useQuery(statisticsQuery(days, project))}>
        {({ build, deploy, test, dora }) => (
          <>
            <h2>{t("Production")}</h2>
            <dl className="figures">
              <Figure name={t("Deployments a day")} value={dora.deployment_frequency.toFixed(2)} />
              <Figure name={t("From commit to production")} value={duration(dora.lead_time_seconds)} />
              <Figure name={t("Changes that failed")} value={share(dora.change_failure_rate)} />
              <Figure name={t("Until restored")} value={duration(dora.time_to_restore_seconds)} />
            </dl>
            <h2>{t("Deployments")}</h2>
            <Bars days={deploy.data.map(amountOf)} />
            <h2>{t("Builds")}</h2>
            <Bars days={build.data.map(amountOf)} />
            <h2>{t("Test runs by week")}</h2>
            <Bars
              days={test.data.map(({ date, success_count, failed_count, timeout_count }) => ({
                date,
                good: success_count,
                bad: failed_count + timeout_count,
              }))}
            />
          </>
        )}
      </Loaded>
      {mayKnowCost && (
        <section aria-labelledby="cost">
          <h2 id="cost">{t("Cost")}</h2>
          <Loaded from={costs}>{(cost) => <Costs cost={cost} />}</Loaded>
        </section>
      )}
    </>
  );
}

/** What runs cost by workflow, the dearest first. */
function Costs({ cost: { currency, total, data, truncated } }: { cost: Cost }) {
  const { t } = useWords();
  const money = useMoney(currency);
  if (data.length === 0) return <p className="empty">{t("Nothing has cost anything.")}</p>;
  return (
    <>
      <p className="quiet">{t("{amount} in all, at the prices of now.", { amount: money(total) })}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("Workflow")}</th>
            <th scope="col">{t("Project")}</th>
            <th scope="col">{t("Cost")}</th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ project_key: project, workflow_key: workflow, total: amount }) => (
            <tr key={`${project}/${workflow}`}>
              <th scope="row">
                <Link to="/v1/projects/detail/$project/pipelines/custom/$workflow" params={{ project, workflow }}>
                  {workflow}
                </Link>
              </th>
              <td>{project}</td>
              <td>{money(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {truncated && (
        <p className="problem">{t("There is more than can be shown: choose a project or a shorter time.")}</p>
      )}
    </>
  );
}

function amountOf({
  date,
  success,
  failure,
  timeout,
}: Record<"success" | "failure" | "timeout", number> & { date: string }) {
  return { date, good: success, bad: failure + timeout };
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="details">
      <dt className="quiet">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const none = "–";

function share(rate: number | null): string {
  return rate === null ? none : `${Math.round(rate * 100)} %`;
}

function duration(seconds: number | null): string {
  if (seconds === null) return none;
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} d`;
}
