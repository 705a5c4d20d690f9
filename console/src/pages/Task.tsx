import { Button } from "@mantine/core";
import { hasEnded, hasLog, jobLogPath } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { Action, Decision } from "../Decision.tsx";
import { FollowedLog } from "../FollowedLog.tsx";
import { useLiveJobs } from "../liveChanges.ts";
import { Loaded, Status, When } from "../parts.tsx";
import { useWords } from "../words.tsx";
import {
  type Approval,
  cancelRun,
  decide,
  decideOnFailure,
  executeStage,
  executionQuery,
  type Job,
  mayRunQuery,
  retryRun,
  type Stage,
  type Task as TaskDetail,
  taskQuery,
} from "../workflowQueries.ts";
import { Cost } from "./Cost.tsx";
import { RolloutControl } from "./RolloutControl.tsx";

/** A run of a workflow, live until it has ended. */
export default function Task() {
  const { t } = useWords();
  const { project, workflow, task } = useParams({
    from: "/shell/v1/projects/detail/$project/pipelines/custom/$workflow/$task",
  });
  const run = useQuery(taskQuery(workflow, task));
  useLiveJobs(workflow, task, run.data !== undefined && !hasEnded(run.data));
  const { data: mayRun = false } = useQuery(mayRunQuery(project, workflow));
  return (
    <Loaded from={run}>
      {(detail) => (
        <>
          <div className="head">
            <h1>
              #{detail.task_id} <Status status={detail.status} />
            </h1>
            {mayRun && !hasEnded(detail) && <Action label={t("Cancel the run")} run={() => cancelRun(detail)} />}
            {mayRun && ["failed", "timeout", "cancelled", "reject"].includes(detail.status) && (
              <Action label={t("Retry")} run={() => retryRun(detail)} />
            )}
          </div>
          <p className="quiet">
            <When who={detail.task_creator} seconds={detail.create_time} />
          </p>
          {detail.cost !== undefined && <Cost cost={detail.cost} />}
          {detail.error !== undefined && detail.error !== "" && <p className="failure">{detail.error}</p>}
          {detail.params.length > 0 && (
            <p>
              {detail.params.map(({ name, value }) => (
                <code key={name}>{`${name}=${String(value ?? "")} `}</code>
              ))}
            </p>
          )}
          <ol className="stages" aria-label={t("Stages")}>
            {detail.stages.map((stage) => (
              <li key={stage.name}>
                <StageOf task={detail} stage={stage} mayRun={mayRun} />
              </li>
            ))}
          </ol>
        </>
      )}
    </Loaded>
  );
}

function StageOf({ task, stage, mayRun }: { task: TaskDetail; stage: Stage; mayRun: boolean }) {
  return (
    <section className="details" aria-label={stage.name}>
      <h2>
        {stage.name} {stage.status !== "" && <Status status={stage.status} />}
      </h2>
      {stage.error !== "" && <p className="problem">{stage.error}</p>}
      {stage.status === "wait_for_approval" && stage.approval !== null && (
        <Decision
          approval={stage.approval.native_approval}
          say={(approve, comment) => decide(task, stage.name, approve, comment)}
        />
      )}
      {task.status === "pause" && stage.status === "pause" && <Execution task={task} stage={stage.name} />}
      <ul className="rows">
        {stage.jobs.map((job) => (
          <JobOf key={job.name} task={task} stage={stage} job={job} mayRun={mayRun} />
        ))}
      </ul>
    </section>
  );
}

/** The stage at which a run waits until a user executes it. */
function Execution({ task, stage }: { task: TaskDetail; stage: string }) {
  const { t } = useWords();
  return (
    <Loaded from={useQuery(executionQuery(task, stage))}>
      {({ can_execute, executors }) => (
        <div className="decision">
          <p>
            {t("It goes on when somebody says so.")} {executors.map(({ user_name }) => user_name).join(", ")}
          </p>
          {can_execute && (
            <Action label={t("Execute {name}", { name: stage })} isMain run={() => executeStage(task, stage)} />
          )}
        </div>
      )}
    </Loaded>
  );
}

function JobOf({ task, stage, job, mayRun }: { task: TaskDetail; stage: Stage; job: Job; mayRun: boolean }) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <span className="name">{job.display_name}</span>
      {job.status !== "" && <Status status={job.status} />}
      <span className="quiet">
        {job.type}
        {job.cost_seconds > 0 && `, ${t("{count} s", { count: job.cost_seconds })}`}
      </span>
      {hasLog(job) && (
        <Button
          type="button"
          aria-label={t("Log of {name}", { name: job.display_name })}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t("Log")}
        </Button>
      )}
      {job.error !== "" && <p className="problem">{job.error}</p>}
      {job.status === "wait_for_approval" && (
        <Decision
          approval={(job.spec as Approval).native_approval}
          say={(approve, comment) => decide(task, job.name, approve, comment)}
        />
      )}
      {job.status === "wait_for_manual_error_handling" && (
        <div className="decision">
          <p>{t("This job failed. Somebody decides whether the run goes on.")}</p>
          <Action label={t("Go on without it")} run={() => decideOnFailure(task, job.name, "ignore")} />
          <Action label={t("End the run")} run={() => decideOnFailure(task, job.name, "reject")} />
        </div>
      )}
      <RolloutControl task={task} stage={stage} job={job} mayRun={mayRun} />
      {isOpen && <FollowedLog name={job.display_name} path={jobLogPath(task, job)} />}
    </li>
  );
}
