import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { environmentQuery } from "../environmentQueries.ts";
import { useLiveServices } from "../liveChanges.ts";
import { Loaded, Search, Status } from "../parts.tsx";
import { driftQuery, type Place, searchOf } from "../queries.ts";
import { useWords } from "../words.tsx";
import { ServiceDetails } from "./ServiceDetails.tsx";

const here = "/shell/v1/projects/detail/$project/envs/detail";

export default function Environment() {
  const { t } = useWords();
  const { project } = useParams({ from: here });
  const { envName, production = false, service } = useSearch({ from: here });
  const place: Place = { project, env: envName, production };
  const [text, setText] = useState("");
  useLiveServices(place);
  const environment = useQuery(environmentQuery(place));
  return (
    <Loaded from={environment}>
      {({ services, status, error, namespace }) => {
        const found = services.filter(({ service_name }) => service_name.includes(text.trim().toLowerCase()));
        return (
          <>
            <div className="head">
              <h1>
                {envName} <Status status={status} /> {production && <span className="tag">{t("production")}</span>}
              </h1>
              <Search label={t("Search services")} text={text} onChange={setText} />
            </div>
            <p className="quiet">{t("Namespace {name}", { name: namespace })}</p>
            <nav className="actions" aria-label={t("This environment")}>
              <Link to="/v1/projects/detail/$project/envs/settings" params={{ project }} search={searchOf(place)}>
                {t("Settings")}
              </Link>
              <Link to="/v1/projects/detail/$project/envs/compare" params={{ project }} search={{ one: envName }}>
                {t("Compare")}
              </Link>
            </nav>
            {error !== "" && <p className="failure">{error}</p>}
            <Drift place={place} />
            {services.length === 0 && (
              <p className="empty">{t("No services yet. ./slipway apply -f FOLDER adds those that the folder has.")}</p>
            )}
            {services.length > 0 && found.length === 0 && (
              <p className="empty">{t("No service matches “{text}”.", { text })}</p>
            )}
            <div className="split">
              <ul className="rows" aria-label={t("Services")}>
                {found.map((one) => (
                  <li key={one.service_name} className={one.service_name === service ? "chosen" : ""}>
                    <Link
                      to="/v1/projects/detail/$project/envs/detail"
                      params={{ project }}
                      search={{ ...searchOf(place), service: one.service_name }}
                    >
                      {one.service_name}
                    </Link>
                    <Status status={one.status} />
                    {one.containers.map(({ name, image }) => (
                      <code key={name}>{image}</code>
                    ))}
                    {one.error !== "" && <p className="problem">{one.error}</p>}
                  </li>
                ))}
              </ul>
              {services
                .filter(({ service_name }) => service_name === service)
                .map((one) => (
                  <ServiceDetails key={one.service_name} place={place} service={one} />
                ))}
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function Drift({ place }: { place: Place }) {
  const { t } = useWords();
  return (
    <Loaded from={useQuery(driftQuery(place))}>
      {({ in_sync, error, objects }) => {
        if (error !== "")
          return <p className="failure">{t("The cluster could not be read: {reason}", { reason: error })}</p>;
        if (in_sync) return <p className="quiet">{t("All objects in the cluster are as they were deployed.")}</p>;
        return (
          <details className="drift">
            <summary>{t("{count} objects differ from what was deployed", { count: objects.length })}</summary>
            {objects.map(({ service_name, kind, name, state, fields }) => (
              <section key={`${kind}/${name}`}>
                <h3>
                  {kind} {name} <span className="tag">{state}</span> <span className="quiet">{service_name}</span>
                </h3>
                {fields.map(({ path, applied, live, manager }) => (
                  <dl key={path}>
                    <dt>
                      <code>{path}</code> {manager}
                    </dt>
                    <dd className="removed">
                      {t("deployed")}: {JSON.stringify(applied)}
                    </dd>
                    <dd className="added">
                      {t("live")}: {JSON.stringify(live)}
                    </dd>
                  </dl>
                ))}
              </section>
            ))}
          </details>
        );
      }}
    </Loaded>
  );
}
