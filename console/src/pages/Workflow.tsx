import { Button, Input, NativeSelect } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { OperationLinks } from "../operations/OperationLinks.tsx";
import { Failure, Loaded, Pages, Status, When } from "../parts.tsx";
import { mayOne, rightsQuery } from "../queries.ts";
import { useWords } from "../words.tsx";
import { mayRunQuery, runsOnPage, runsQuery, startRun, workflowQuery } from "../workflowQueries.ts";

const here = "/shell/v1/projects/detail/$project/pipelines/custom/$workflow";

/** A workflow: what it consists of, a form that starts it, and its runs. */
export default function Workflow() {
  const { t } = useWords();
  const { project, workflow } = useParams({ from: here });
  const { data: mayRun = false } = useQuery(mayRunQuery(project, workflow));
  const { data: rights } = useQuery(rightsQuery(project));
  const mayEdit = rights !== undefined && mayOne(rights, rights.workflow_verbs_map[workflow], "edit_workflow");
  const [isStarting, setStarting] = useState(false);
  return (
    <>
      <Loaded from={useQuery(workflowQuery(project, workflow))}>
        {({ workflow_name, description, stages, params }) => (
          <>
            <div className="head">
              <h1>{workflow_name}</h1>
              {mayEdit && (
                <Link to="/v1/projects/detail/$project/pipelines/custom/$workflow/edit" params={{ project, workflow }}>
                  {t("Edit")}
                </Link>
              )}
              {mayRun && (
                <Button
                  type="button"
                  variant="filled"
                  aria-expanded={isStarting}
                  onClick={() => setStarting(!isStarting)}
                >
                  {t("Start a run")}
                </Button>
              )}
            </div>
            {description !== "" && <p className="quiet">{description}</p>}
            {isStarting && (
              <StartForm
                project={project}
                workflow={workflow}
                jobs={stages.flatMap((stage) => stage.jobs.map(({ name }) => name))}
                params={params.filter(({ type }) => type !== "repo")}
              />
            )}
          </>
        )}
      </Loaded>
      {mayEdit && (
        <>
          <h2>{t("Triggers")}</h2>
          <OperationLinks
            label={t("Triggers")}
            given={{ projectKey: project, projectName: project, workflowName: workflow }}
            operations={{
              listGitTriggers: t("Pushes and pull requests"),
              listCrons: t("By the clock"),
              listGeneralHooks: t("Hooks"),
              listJiraHooks: "Jira",
              listWorkflowHooks: t("After another workflow"),
              listHookDeliveries: t("What set it going"),
            }}
          />
        </>
      )}
      <h2>{t("Runs")}</h2>
      <Runs project={project} workflow={workflow} />
    </>
  );
}

interface Param {
  name: string;
  description: string;
  type: string;
  value: string | number | boolean;
  choice_option?: string[] | null;
  is_credential: boolean;
  required?: boolean | null;
}

function StartForm({
  project,
  workflow,
  jobs,
  params,
}: {
  project: string;
  workflow: string;
  jobs: string[];
  params: Param[];
}) {
  const { t } = useWords();
  const navigate = useNavigate();
  const starting = useMutation({
    mutationFn: (given: FormData) => {
      // A parameter that was left as it is keeps the workflow's value, which is never shown for a secret.
      const changed = params
        .map(({ name, value }) => ({ name, before: String(value), value: String(given.get(`param:${name}`) ?? "") }))
        .filter(({ before, value }) => before !== value);
      const chosen = jobs.filter((job) => given.has(`job:${job}`));
      return startRun(
        project,
        workflow,
        changed.map(({ name, value }) => ({ name, value })),
        chosen,
      );
    },
    onSuccess: (id) =>
      navigate({
        to: "/v1/projects/detail/$project/pipelines/custom/$workflow/$task",
        params: { project, workflow, task: String(id) },
      }),
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    starting.mutate(new FormData(event.currentTarget));
  };
  return (
    <form className="details" onSubmit={send}>
      {params.map((param) => (
        <ParamField key={param.name} param={param} />
      ))}
      <fieldset>
        <legend>{t("Jobs")}</legend>
        {jobs.map((job) => (
          <label key={job} className="check">
            <input type="checkbox" name={`job:${job}`} defaultChecked /> {job}
          </label>
        ))}
      </fieldset>
      {starting.error !== null && <Failure error={starting.error} />}
      <Button type="submit" variant="filled" disabled={starting.isPending}>
        {t("Start")}
      </Button>
    </form>
  );
}

function ParamField({ param }: { param: Param }) {
  const id = useId();
  const { name, description, value, type, choice_option, is_credential, required } = param;
  const common = { id, name: `param:${name}`, defaultValue: String(value), required: required === true };
  return (
    <>
      <label htmlFor={id}>
        {name} {description !== "" && <span className="quiet">{description}</span>}
      </label>
      {type === "choice" ? (
        <NativeSelect {...common}>
          {(choice_option ?? []).map((option) => (
            <option key={option}>{option}</option>
          ))}
        </NativeSelect>
      ) : (
        <Input {...common} type={is_credential ? "password" : "text"} autoComplete="off" />
      )}
    </>
  );
}

function Runs({ project, workflow }: { project: string; workflow: string }) {
  const { t } = useWords();
  const { page = 1 } = useSearch({ from: here });
  return (
    <Loaded from={useQuery(runsQuery(project, workflow, page))}>
      {({ total, workflow_tasks }) =>
        total === 0 ? (
          <p className="empty">{t("Nothing has run yet.")}</p>
        ) : (
          <>
            <ul className="rows" aria-label={t("Runs")}>
              {workflow_tasks.map(({ task_id, status, task_creator, create_time }) => (
                <li key={task_id}>
                  <Link
                    to="/v1/projects/detail/$project/pipelines/custom/$workflow/$task"
                    params={{ project, workflow, task: String(task_id) }}
                  >
                    #{task_id}
                  </Link>
                  <Status status={status} />
                  <span className="quiet">
                    <When who={task_creator} seconds={create_time} />
                  </span>
                </li>
              ))}
            </ul>
            <Pages page={page} isLast={page * runsOnPage >= total} />
          </>
        )
      }
    </Loaded>
  );
}
