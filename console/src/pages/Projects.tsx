import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { systemRightsQuery } from "../adminQueries.ts";
import { Loaded, Search } from "../parts.tsx";
import { projectsQuery } from "../queries.ts";
import { useWords } from "../words.tsx";

export default function Projects() {
  const { t } = useWords();
  const [text, setText] = useState("");
  const projects = useQuery(projectsQuery);
  const { data: rights } = useQuery(systemRightsQuery);
  const wanted = text.trim().toLowerCase();
  return (
    <>
      <div className="head">
        <h1>{t("Projects")}</h1>
        {rights?.isAdmin === true && <Link to="/apply">{t("Project from manifests")}</Link>}
        <Search label={t("Search projects")} text={text} onChange={setText} />
      </div>
      <Loaded from={projects}>
        {(all) => {
          if (all.length === 0) {
            const hint =
              "No projects yet. Create one with ./slipway apply -f FOLDER, one folder of manifests a project.";
            return <p className="empty">{t(hint)}</p>;
          }
          const found = all.filter((one) => `${one.project_name} ${one.project_key}`.toLowerCase().includes(wanted));
          if (found.length === 0) return <p className="empty">{t("No project matches “{text}”.", { text })}</p>;
          return (
            <ul className="cards">
              {found.map(({ project_key, project_name, description }) => (
                <li key={project_key}>
                  <Link to="/v1/projects/detail/$project" params={{ project: project_key }}>
                    {project_name}
                  </Link>
                  <p className="quiet">{description || project_key}</p>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}
