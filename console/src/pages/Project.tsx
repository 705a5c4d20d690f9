import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { environmentsQuery } from "../environmentQueries.ts";
import { Loaded, Status } from "../parts.tsx";
import { mayOne, rightsQuery, searchOf } from "../queries.ts";
import { useWords } from "../words.tsx";
import { workflowsQuery } from "../workflowQueries.ts";

export default function Project() {
  const { t } = useWords();
  const { project } = useParams({ from: "/shell/v1/projects/detail/$project" });
  const { data: rights } = useQuery(rightsQuery(project));
  const mayReadVersions = rights !== undefined && mayOne(rights, [], "get_delivery");
  return (
    <>
      <div className="head">
        <h1>{project}</h1>
        <nav className="actions" aria-label={t("This project")}>
          {rights !== undefined && mayOne(rights, [], "get_service", "get_production_service") && (
            <Link to="/v1/projects/detail/$project/services" params={{ project }}>
              {t("Services")}
            </Link>
          )}
          {mayReadVersions && (
            <Link to="/v1/projects/detail/$project/version" params={{ project }}>
              {t("Delivery versions")}
            </Link>
          )}
          {rights !== undefined && mayOne(rights) && (
            <>
              <Link to="/administration/roles" search={{ namespace: project }}>
                {t("Roles")}
              </Link>
              <Link to="/v1/projects/detail/$project/boundary" params={{ project }}>
                {t("Boundary")}
              </Link>
            </>
          )}
        </nav>
      </div>
      <h2>{t("Environments")}</h2>
      <Loaded from={useQuery(environmentsQuery(project))}>
        {(all) =>
          all.length === 0 ? (
            <p className="empty">{t("No environments yet. ./slipway apply -f FOLDER creates one named dev.")}</p>
          ) : (
            <ul className="cards">
              {all.map(({ env_key, namespace, production, status }) => (
                <li key={env_key}>
                  <Link
                    to="/v1/projects/detail/$project/envs/detail"
                    params={{ project }}
                    search={searchOf({ env: env_key, production })}
                  >
                    {env_key}
                  </Link>{" "}
                  <Status status={status} />
                  {production && <span className="tag">{t("production")}</span>}
                  <p className="quiet">{t("Namespace {name}", { name: namespace })}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
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
            <ul className="cards">
              {all.map(({ workflow_key, workflow_name, update_by }) => (
                <li key={workflow_key}>
                  <Link
                    to="/v1/projects/detail/$project/pipelines/custom/$workflow"
                    params={{ project, workflow: workflow_key }}
                  >
                    {workflow_name}
                  </Link>
                  <p className="quiet">{t("Changed by {name}", { name: update_by })}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
