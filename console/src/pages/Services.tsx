import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Loaded, Pages, Search } from "../parts.tsx";
import { mayOne, type Rights, rightsQuery } from "../queries.ts";
import { servicesOnPage, servicesQuery } from "../serviceQueries.ts";
import { useSettled } from "../useSettled.ts";
import { useWords } from "../words.tsx";
import { ServiceDefinition } from "./ServiceDefinition.tsx";

const path = "/v1/projects/detail/$project/services";
const here = `/shell${path}` as const;

/** The definitions of services: what environments deploy when they are moved to it. */
export default function Services() {
  const { t } = useWords();
  const { project } = useParams({ from: here });
  const { production: asked } = useSearch({ from: here });
  return (
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
          <Kinds project={project} rights={rights} />
          <All key={String(asked)} project={project} rights={rights} />
        </>
      )}
    </Loaded>
  );
}

/** Test and production services are two collections. */
function Kinds({ project, rights }: { project: string; rights: Rights }) {
  const { t } = useWords();
  return (
    <nav className="actions" aria-label={t("Kind")}>
      {mayOne(rights, [], "get_service") && (
        <Link
          to={path}
          params={{ project }}
          search={{ production: undefined }}
          activeOptions={{ explicitUndefined: true }}
        >
          {t("For test environments")}
        </Link>
      )}
      {mayOne(rights, [], "get_production_service") && (
        <Link to={path} params={{ project }} search={{ production: true }}>
          {t("For production environments")}
        </Link>
      )}
    </nav>
  );
}

function All({ project, rights }: { project: string; rights: Rights }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: path });
  const { service, production = !mayOne(rights, [], "get_service"), ...search } = useSearch({ from: here });
  const { list: page = 1, text = "" } = search;
  const [typed, setTyped] = useState(text);
  const settled = useSettled(typed.trim());
  useEffect(() => {
    if (settled === text) return;
    void navigate({
      search: ({ list: _, text: __, ...before }) => ({ ...before, ...(settled !== "" && { text: settled }) }),
      replace: true,
    });
  }, [settled, text, navigate]);
  return (
    <>
      <Search label={t("Search services")} text={typed} onChange={setTyped} />
      <Loaded from={useQuery(servicesQuery({ project, production, text, page }))}>
        {({ list, total }) => (
          <div className="split">
            <div>
              {total === 0 && text === "" && (
                <p className="empty">
                  {t("No services yet. ./slipway apply -f FOLDER adds those that the folder has.")}
                </p>
              )}
              {total === 0 && text !== "" && <p className="empty">{t("No service matches “{text}”.", { text })}</p>}
              {total > 0 && <p className="quiet">{t("Services: {count}", { count: total })}</p>}
              <ul className="rows" aria-label={t("Services")}>
                {list.map(({ service_name, type, containers }) => (
                  <li key={service_name} className={service_name === service ? "chosen" : ""}>
                    <Link
                      to={path}
                      params={{ project }}
                      search={({ revision: _, page: __, ...before }) => ({ ...before, service: service_name })}
                    >
                      {service_name}
                    </Link>
                    {type === "helm" && <span className="tag">Helm</span>}
                    {containers.map(({ name, image }) => (
                      <code key={name}>{image}</code>
                    ))}
                  </li>
                ))}
              </ul>
              <Pages name="list" page={page} isLast={page * servicesOnPage >= total} />
            </div>
            {service !== undefined && (
              <ServiceDefinition
                key={`${production}/${service}`}
                of={{ project, service, production }}
                mayEdit={mayOne(rights, [], production ? "edit_production_service" : "edit_service")}
              />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}
