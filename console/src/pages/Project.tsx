import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { environmentsQuery } from "../environmentQueries.ts";
import { Operate } from "../operations/Operate.tsx";
import { OperationLinks } from "../operations/OperationLinks.tsx";
import { Ago, Loaded, Status, When } from "../parts.tsx";
import { mayOne, projectsQuery, rightsQuery, searchOf } from "../queries.ts";
import { useWords } from "../words.tsx";
import { runsQuery, workflowsQuery } from "../workflowQueries.ts";

/** A project: its environments, and its workflows with the last run of each. */
export default function Project() {
  const { t } = useWords();
  const { project } = useParams({ from: "/shell/v1/projects/detail/$project" });
  const { data: projects } = useQuery(projectsQuery);
  const known = projects?.find(({ project_key }) => project_key === project);
  return (
    <>
      <h1>
        {known?.project_name ?? project} <code>{project}</code>
      </h1>
      {known !== undefined && known.description !== "" && <p className="quiet">{known.description}</p>}
      <OperationLinks
        label={t("Builds, tests and scans")}
        given={{ projectKey: project }}
        operations={{ listBuilds: t("Builds"), listTests: t("Tests"), listScans: t("Code scans") }}
      />
      <Environments project={project} />
      <Workflows project={project} />
    </>
  );
}

function Environments({ project }: { project: string }) {
  const { t } = useWords();
  const { data: rights } = useQuery(rightsQuery(project));
  const may = (verb: string): boolean => rights !== undefined && mayOne(rights, [], verb);
  return (
    <>
      <div className="head">
        <h2>{t("Environments")}</h2>
        <div className="actions">
          {may("create_environment") && (
            <Operate operation="createTestEnvironment" label={t("New environment")} given={{ projectKey: project }} />
          )}
          {may("create_production_environment") && (
            <Operate
              operation="createProductionEnvironment"
              label={t("New production environment")}
              given={{ projectKey: project }}
            />
          )}
        </div>
      </div>
      <Loaded from={useQuery(environmentsQuery(project))}>
        {(all) =>
          all.length === 0 ? (
            <p className="empty">{t("No environments yet. ./slipway apply -f FOLDER creates one named dev.")}</p>
          ) : (
            <ul className="rows" aria-label={t("Environments")}>
              {all.map(({ env_key, namespace, production, status, update_by, update_time }) => (
                <li key={env_key}>
                  <Link
                    to="/v1/projects/detail/$project/envs/detail"
                    params={{ project }}
                    search={searchOf({ env: env_key, production })}
                  >
                    {env_key}
                  </Link>
                  <Status status={status} />
                  {production && <span className="tag">{t("production")}</span>}
                  <span className="quiet">{t("Namespace {name}", { name: namespace })}</span>
                  <span className="quiet away">
                    {update_time > 0 && <When who={update_by} seconds={update_time} />}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function Workflows({ project }: { project: string }) {
  const { t } = useWords();
  const { data: rights } = useQuery(rightsQuery(project));
  return (
    <>
      <div className="head">
        <h2>{t("Workflows")}</h2>
        {rights !== undefined && mayOne(rights, [], "create_workflow") && (
          <Link to="/v1/projects/detail/$project/pipelines/new" params={{ project }}>
            {t("New workflow")}
          </Link>
        )}
      </div>
      <Loaded from={useQuery(workflowsQuery(project))}>
        {(all) =>
          all.length === 0 ? (
            <p className="empty">
              {t("No workflows yet. A workflow builds, tests, deploys and asks people, stage by stage.")}
            </p>
          ) : (
            <ul className="rows" aria-label={t("Workflows")}>
              {all.map(({ workflow_key, workflow_name, update_by }) => (
                <li key={workflow_key}>
                  <Link
                    to="/v1/projects/detail/$project/pipelines/custom/$workflow"
                    params={{ project, workflow: workflow_key }}
                  >
                    {workflow_name}
                  </Link>
                  <LastRun project={project} workflow={workflow_key} />
                  <span className="quiet away">{t("Changed by {name}", { name: update_by })}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function LastRun({ project, workflow }: { project: string; workflow: string }) {
  const { t } = useWords();
  const { data } = useQuery(runsQuery(project, workflow, 1));
  const run = data?.workflow_tasks[0];
  if (run === undefined) return data !== undefined && <span className="quiet">{t("Nothing has run yet.")}</span>;
  return (
    <>
      <Link
        className="run"
        to="/v1/projects/detail/$project/pipelines/custom/$workflow/$task"
        params={{ project, workflow, task: String(run.task_id) }}
      >
        #{run.task_id}
      </Link>
      <Status status={run.status} />
      <span className="quiet">
        <Ago seconds={run.create_time} />
      </span>
    </>
  );
}
