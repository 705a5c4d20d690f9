import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Loaded, Search, Trail } from "../parts.tsx";
import { mayOne, type Rights, rightsQuery } from "../queries.ts";
import { servicesQuery } from "../serviceQueries.ts";
import { useWords } from "../words.tsx";
import { ServiceDefinition } from "./ServiceDefinition.tsx";

const here = "/shell/v1/projects/detail/$project/services";

/** The definitions of services: what environments deploy when they are moved to it. */
export default function Services() {
  const { t } = useWords();
  const { project } = useParams({ from: here });
  return (
    <>
      <Trail project={project} />
      <Loaded from={useQuery(rightsQuery(project))}>
        {(rights) => (
          <>
            <div className="head">
              <h1>{t("Services")}</h1>
              {mayOne(rights, [], "create_service", "create_production_service") && (
                <Link to="/v1/projects/detail/$project/services/new" params={{ project }}>
                  {t("New service")}
                </Link>
              )}
            </div>
            <All project={project} rights={rights} />
          </>
        )}
      </Loaded>
    </>
  );
}

function All({ project, rights }: { project: string; rights: Rights }) {
  const { t } = useWords();
  const { service, production = false } = useSearch({ from: here });
  const [text, setText] = useState("");
  const kinds = {
    test: mayOne(rights, [], "get_service"),
    production: mayOne(rights, [], "get_production_service"),
  };
  return (
    <Loaded from={useQuery(servicesQuery(project, kinds))}>
      {(all) => {
        if (all.length === 0)
          return (
            <p className="empty">{t("No services yet. ./slipway apply -f FOLDER adds those that the folder has.")}</p>
          );
        const found = all.filter(({ service_name }) => service_name.toLowerCase().includes(text.trim().toLowerCase()));
        return (
          <>
            <Search label={t("Search services")} text={text} onChange={setText} />
            {found.length === 0 && <p className="empty">{t("No service matches “{text}”.", { text })}</p>}
            <div className="split">
              <ul className="rows" aria-label={t("Services")}>
                {found.map((one) => (
                  <li
                    key={`${one.production}/${one.service_name}`}
                    className={one.service_name === service && one.production === production ? "chosen" : ""}
                  >
                    <Link
                      to="/v1/projects/detail/$project/services"
                      params={{ project }}
                      search={{ service: one.service_name, ...(one.production && { production: true }) }}
                    >
                      {one.service_name}
                    </Link>
                    {one.production && <span className="tag">{t("production")}</span>}
                    {one.type === "helm" && <span className="tag">Helm</span>}
                    {one.containers.map(({ name, image }) => (
                      <code key={name}>{image}</code>
                    ))}
                  </li>
                ))}
              </ul>
              {service !== undefined && (
                <ServiceDefinition
                  key={`${production}/${service}`}
                  of={{ project, service, production }}
                  mayEdit={mayOne(rights, [], production ? "edit_production_service" : "edit_service")}
                />
              )}
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
