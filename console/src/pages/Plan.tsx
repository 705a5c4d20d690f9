import { Input } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useId, useState } from "react";
import { Action, Decision } from "../Decision.tsx";
import { Loaded, Status, When } from "../parts.tsx";
import {
  decideOnPlan,
  executeJob,
  movePlan,
  type Plan as PlanDetail,
  type PlanJob,
  planLogQuery,
  planQuery,
  type Step,
} from "../planQueries.ts";
import { useSession } from "../session.ts";
import { useWords } from "../words.tsx";

/** Where a plan's manager can move it; the API knows what is allowed and why something is not. */
function stepsOf({ status, approval }: PlanDetail): Step[] {
  switch (status) {
    case "planning":
      return ["finish_planning", "cancel"];
    case "finish_planning":
      return [approval?.enabled === true ? "wait_for_approval" : "executing", "planning", "cancel"];
    case "wait_for_approval":
    case "denied":
      return ["planning", "cancel"];
    case "executing":
      return ["success", "cancel"];
    default:
      return [];
  }
}

export default function Plan() {
  const { t } = useWords();
  const session = useSession();
  const { id } = useSearch({ from: "/shell/v1/releasePlan/detail" });
  const words: Readonly<Record<Step, string>> = {
    planning: t("Plan again"),
    finish_planning: t("Finish planning"),
    wait_for_approval: t("Ask for approval"),
    executing: t("Begin the release"),
    success: t("Finish the release"),
    cancel: t("Cancel the plan"),
  };
  return (
    <>
      <Loaded from={useQuery(planQuery(id))}>
        {(plan) => {
          const isManager = plan.manager_id === session?.uid;
          return (
            <>
              <div className="head">
                <h1>
                  {plan.index} {plan.name} <Status status={plan.status} />
                </h1>
                {isManager && (
                  <div className="actions">
                    {stepsOf(plan).map((step, at) => (
                      <Action
                        key={step}
                        label={words[step]}
                        isMain={at === 0 && step !== "planning"}
                        run={() => movePlan(plan, step)}
                      />
                    ))}
                  </div>
                )}
              </div>
              <p className="quiet">
                <When who={plan.manager} seconds={plan.create_time} />
              </p>
              {plan.description !== "" && <p>{plan.description}</p>}
              {plan.external_check_failed_reason !== "" && (
                <p className="failure">{plan.external_check_failed_reason}</p>
              )}
              {plan.approval?.enabled === true && plan.approval.native_approval !== undefined && (
                <Decision
                  approval={plan.approval.native_approval}
                  isOpen={plan.status === "wait_for_approval"}
                  say={(approve, comment) => decideOnPlan(plan, approve, comment)}
                />
              )}
              <h2>{t("Jobs")}</h2>
              <ul className="rows" aria-label={t("Jobs")}>
                {plan.jobs?.map((job) => (
                  <JobOf key={job.id} plan={plan} job={job} isManager={isManager} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
      <h2>{t("What was done")}</h2>
      <Loaded from={useQuery(planLogQuery(id))}>
        {(log) => (
          <ul className="rows">
            {log.map((entry) => (
              <li key={entry.id}>
                <span className="name">{entry.detail}</span>
                <span className="quiet">
                  <When who={entry.username} seconds={entry.created_at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function JobOf({ plan, job, isManager }: { plan: PlanDetail; job: PlanJob; isManager: boolean }) {
  const { t } = useWords();
  const session = useSession();
  const id = useId();
  const [remark, setRemark] = useState("");
  const mayExecute =
    (isManager || job.manager_id === session?.uid) &&
    plan.status === "executing" &&
    ["", "todo", "failed"].includes(job.status);
  const content = job.type === "text" ? String(job.spec?.content ?? "") : "";
  return (
    <li>
      <span className="name">{job.name}</span>
      {job.status !== "" && <Status status={job.status} />}
      <span className="quiet">
        {job.type} {job.executed_time > 0 && <When who={job.executed_by} seconds={job.executed_time} />}
      </span>
      {content !== "" && <pre className="wraps">{content}</pre>}
      {mayExecute && (
        <div className="decision">
          {job.type === "text" && (
            <>
              <label htmlFor={id}>{t("What was done")}</label>
              <Input id={id} value={remark} onChange={({ target }) => setRemark(target.value)} />
            </>
          )}
          <Action
            label={job.type === "text" ? t("It is done") : t("Run it")}
            run={() => executeJob(plan, job, remark)}
          />
        </div>
      )}
    </li>
  );
}
