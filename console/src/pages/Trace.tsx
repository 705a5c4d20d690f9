import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { traceQuery } from "../deliveryQueries.ts";
import { Loaded, Search, Status, When } from "../parts.tsx";
import { searchOf } from "../queries.ts";
import { useWords } from "../words.tsx";

const here = "/shell/v1/artifacts/trace";

/** The way of an image: from commits and builds to the versions that have it and the environments that run it now. */
export default function Trace() {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/v1/artifacts/trace" });
  const { image } = useSearch({ from: here });
  const [typed, setTyped] = useState(image);
  return (
    <>
      <div className="head">
        <h1>{t("Trace of an image")}</h1>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void navigate({ search: { image: typed.trim() } });
          }}
        >
          <Search label={t("Image or digest, then Enter")} text={typed} onChange={setTyped} />
        </form>
      </div>
      {image === "" ? (
        <p className="empty">{t("Type an image, such as registry.example.com/shop/web:1.0, or its digest.")}</p>
      ) : (
        <Way key={image} image={image} />
      )}
    </>
  );
}

function Way({ image }: { image: string }) {
  const { t } = useWords();
  return (
    <Loaded from={useQuery(traceQuery(image))}>
      {({ image_digest, builds, tests, deploys, versions, release_plans, environments }) => (
        <>
          <p>
            <code>{image}</code>
          </p>
          {image_digest !== "" && image_digest !== image && (
            <p>
              <code>{image_digest}</code>
            </p>
          )}
          <Found title={t("Runs now in")} count={environments.length}>
            {environments.map(({ project_key, env_key, production, service_name, containers, image: running }) => (
              <li key={`${project_key}/${env_key}/${service_name}`}>
                <Link
                  to="/v1/projects/detail/$project/envs/detail"
                  params={{ project: project_key }}
                  search={{ ...searchOf({ env: env_key, production }), service: service_name }}
                >
                  {project_key}/{env_key}
                </Link>
                {production && <span className="tag">{t("production")}</span>}
                <span className="quiet">
                  {service_name}: {containers.join(", ")}
                </span>
                <code>{running}</code>
              </li>
            ))}
          </Found>
          <Found title={t("Delivery versions")} count={versions.length}>
            {versions.map(({ id, version, project_key }) => (
              <li key={id}>
                <Link to="/v1/projects/detail/$project/version/$version" params={{ project: project_key, version: id }}>
                  {project_key} {version}
                </Link>
              </li>
            ))}
          </Found>
          <Found title={t("Release plans")} count={release_plans.length}>
            {release_plans.map(({ id, index, name, status }) => (
              <li key={id}>
                <Link to="/v1/releasePlan/detail" search={{ id }}>
                  {index} {name}
                </Link>
                <Status status={status} />
              </li>
            ))}
          </Found>
          <Found title={t("Builds")} count={builds.length}>
            {builds.map((build) => (
              <Run key={keyOf(build)} of={build}>
                {build.commits.map(({ repo_owner, repo_name, branch, commit_id, commit_message, author_name }) => (
                  <code key={commit_id + repo_name}>
                    {repo_owner}/{repo_name} {branch} {commit_id.slice(0, 8)} {commit_message} {author_name}
                  </code>
                ))}
              </Run>
            ))}
          </Found>
          <Found title={t("Tests")} count={tests.length}>
            {tests.map((one) => (
              <Run key={keyOf(one)} of={one}>
                <span className="quiet">{one.content}</span>
              </Run>
            ))}
          </Found>
          <Found title={t("Deployments")} count={deploys.length}>
            {deploys.map((deploy) => (
              <Run key={keyOf(deploy)} of={deploy}>
                <span className="quiet">{deploy.env_name}</span>
              </Run>
            ))}
          </Found>
        </>
      )}
    </Loaded>
  );
}

function Found({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul className="rows" aria-label={title}>
        {children}
      </ul>
    </>
  );
}

interface Job {
  project_key: string;
  workflow_key: string;
  task_id: number;
  job_task_name: string;
  created_by: string;
  end_time: number;
}

const keyOf = ({ workflow_key, task_id, job_task_name, end_time }: Job): string =>
  [workflow_key, task_id, job_task_name, end_time].join("/");

/** What a job did, with the way to its run when it was one of a workflow. */
function Run({ of, children }: { of: Job; children: ReactNode }) {
  const { project_key: project, workflow_key: workflow, task_id, job_task_name, created_by, end_time } = of;
  return (
    <li>
      {workflow === "" ? (
        <span className="name">{job_task_name}</span>
      ) : (
        <Link
          to="/v1/projects/detail/$project/pipelines/custom/$workflow/$task"
          params={{ project, workflow, task: String(task_id) }}
        >
          {workflow} #{task_id} {job_task_name}
        </Link>
      )}
      <span className="quiet">
        <When who={created_by} seconds={end_time} />
      </span>
      {children}
    </li>
  );
}
