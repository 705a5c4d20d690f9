import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Star } from "lucide-react";
import { useState } from "react";
import { systemRightsQuery } from "../adminQueries.ts";
import { environmentsQuery } from "../environmentQueries.ts";
import { Operate } from "../operations/Operate.tsx";
import { Loaded, Search, Status, toneOf, When } from "../parts.tsx";
import { projectsQuery, searchOf } from "../queries.ts";
import { useSeen } from "../useSeen.ts";
import { useWords } from "../words.tsx";

const place = "slipway.favourites";

/** Projects that a user wants first, kept in the browser. */
function useFavourites(): [ReadonlySet<string>, (key: string) => void] {
  const [all, setAll] = useState<ReadonlySet<string>>(
    () => new Set((localStorage.getItem(place) ?? "").split(",").filter((key) => key !== "")),
  );
  const toggle = (key: string): void => {
    const next = new Set(all);
    if (!next.delete(key)) next.add(key);
    localStorage.setItem(place, [...next].join(","));
    setAll(next);
  };
  return [all, toggle];
}

/** The start: each project with its environments. */
export default function Projects() {
  const { t } = useWords();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [favourites, toggle] = useFavourites();
  const projects = useQuery(projectsQuery);
  const { data: rights } = useQuery(systemRightsQuery);
  const wanted = text.trim().toLowerCase();
  return (
    <>
      <div className="head">
        <h1>{t("Projects")}</h1>
        <div className="actions">
          <Search label={t("Search projects")} text={text} onChange={setText} />
          {rights?.isAdmin === true && (
            <>
              <Link to="/apply">{t("Project from manifests")}</Link>
              <Operate
                operation="createProject"
                label={t("New project")}
                isMain
                onDone={() => void navigate({ to: "/" })}
              />
            </>
          )}
        </div>
      </div>
      <Loaded from={projects}>
        {(all) => {
          if (all.length === 0) {
            const hint =
              "No projects yet. Create one with ./slipway apply -f FOLDER, one folder of manifests a project.";
            return <p className="empty">{t(hint)}</p>;
          }
          const found = all
            .filter((one) => `${one.project_name} ${one.project_key}`.toLowerCase().includes(wanted))
            .sort((a, b) => Number(favourites.has(b.project_key)) - Number(favourites.has(a.project_key)));
          if (found.length === 0) return <p className="empty">{t("No project matches “{text}”.", { text })}</p>;
          return (
            <ul className="rows" aria-label={t("Projects")}>
              {found.map((one) => (
                <Row
                  key={one.project_key}
                  project={one}
                  isFavourite={favourites.has(one.project_key)}
                  toggle={() => toggle(one.project_key)}
                />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}

function Row({
  project: { project_key, project_name, description },
  isFavourite,
  toggle,
}: {
  project: { project_key: string; project_name: string; description: string };
  isFavourite: boolean;
  toggle(): void;
}) {
  const { t } = useWords();
  const { ref, isSeen } = useSeen<HTMLLIElement>();
  const { data: environments = [] } = useQuery({ ...environmentsQuery(project_key), enabled: isSeen });
  const last = environments.toSorted((a, b) => b.update_time - a.update_time)[0];
  return (
    <li ref={ref} className="project">
      <button
        type="button"
        className="favourite"
        aria-label={t("Favourite: {name}", { name: project_name })}
        aria-pressed={isFavourite}
        onClick={toggle}
      >
        <Star size={14} aria-hidden />
      </button>
      <div>
        <Link to="/v1/projects/detail/$project" params={{ project: project_key }}>
          {project_name}
        </Link>
        <p className="quiet">{description || project_key}</p>
      </div>
      <ul className="chips" aria-label={t("Environments of {name}", { name: project_name })}>
        {environments.map(({ env_key, production, status }) => (
          <li key={env_key} className={`chip ${toneOf(status)}`}>
            <Link
              to="/v1/projects/detail/$project/envs/detail"
              params={{ project: project_key }}
              search={searchOf({ env: env_key, production })}
            >
              {env_key}
            </Link>{" "}
            <Status status={status} />
            {production && <span className="tag">{t("production")}</span>}
          </li>
        ))}
      </ul>
      <span className="quiet away">
        {last !== undefined && last.update_time > 0 && <When who={last.update_by} seconds={last.update_time} />}
      </span>
    </li>
  );
}
