import { Button } from "@mantine/core";
import type { components } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { environmentQuery } from "../environmentQueries.ts";
import { useLiveServices } from "../liveChanges.ts";
import { Operate } from "../operations/Operate.tsx";
import { Loaded, Search, Status, type Tone, toneOf } from "../parts.tsx";
import { driftQuery, type Place, searchOf, useMay } from "../queries.ts";
import { useWords } from "../words.tsx";
import { ServiceDetails } from "./ServiceDetails.tsx";

const here = "/shell/v1/projects/detail/$project/envs/detail";

/** Problems come first. */
const tones: readonly Tone[] = ["bad", "busy", "good"];
const toneNames = { bad: "Problems: {count}", busy: "In progress: {count}", good: "Good: {count}" } as const;

type Service = components["schemas"]["EnvironmentDetail"]["services"][number];
const rankOf = ({ status }: Service): number => tones.indexOf(toneOf(status));

/** An environment: its services, the ones with problems first, and beside them the one that is chosen. */
export default function Environment() {
  const { t } = useWords();
  const { project } = useParams({ from: here });
  const { envName, production = false, service } = useSearch({ from: here });
  const place: Place = { project, env: envName, production };
  const [text, setText] = useState("");
  const mayAdd = useMay(place, [production ? "edit_production_environment" : "manage_environment"]);
  useLiveServices(place);
  return (
    <Loaded from={useQuery(environmentQuery(place))}>
      {({ services, status, error, namespace }) => (
        <>
          <div className="head">
            <h1>
              {envName} <Status status={status} /> {production && <span className="tag">{t("production")}</span>}
            </h1>
            <nav className="actions" aria-label={t("This environment")}>
              <Search label={t("Search services")} text={text} onChange={setText} />
              {mayAdd && (
                <Operate
                  operation={production ? "addServicesProductionEnvironment" : "addServicesTestEnvironment"}
                  label={t("Add services")}
                  given={{ projectKey: project, envName }}
                />
              )}
              {mayAdd && (
                <Operate
                  operation={
                    production ? "updateServicesByPathProductionEnvironment" : "updateServicesByPathTestEnvironment"
                  }
                  label={t("Update services")}
                  given={{ projectKey: project, envName }}
                />
              )}
              <Link to="/v1/projects/detail/$project/envs/settings" params={{ project }} search={searchOf(place)}>
                {t("Settings")}
              </Link>
              <Link to="/v1/projects/detail/$project/envs/compare" params={{ project }} search={{ one: envName }}>
                {t("Compare")}
              </Link>
            </nav>
          </div>
          <p className="quiet">{t("Namespace {name}", { name: namespace })}</p>
          {error !== "" && <p className="failure">{error}</p>}
          <Drift place={place} />
          {services.length === 0 && (
            <p className="empty">{t("No services yet. ./slipway apply -f FOLDER adds those that the folder has.")}</p>
          )}
          <Services place={place} services={services} text={text} chosen={service} />
        </>
      )}
    </Loaded>
  );
}

function Services(props: { place: Place; services: readonly Service[]; text: string; chosen: string | undefined }) {
  const { t } = useWords();
  const { place, services, text, chosen } = props;
  const [tone, setTone] = useState<Tone>();
  const found = services
    .filter(({ service_name }) => service_name.includes(text.trim().toLowerCase()))
    .filter(({ status }) => tone === undefined || toneOf(status) === tone)
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  return (
    <>
      {services.length > 1 && <Tones services={services} tone={tone} choose={setTone} />}
      {services.length > 0 && found.length === 0 && (
        <p className="empty">{t("No service matches “{text}”.", { text })}</p>
      )}
      <div className="split">
        <ul className="rows" aria-label={t("Services")}>
          {found.map((one) => (
            <li key={one.service_name} className={one.service_name === chosen ? "chosen" : ""}>
              <Link
                to="/v1/projects/detail/$project/envs/detail"
                params={{ project: place.project }}
                search={{ ...searchOf(place), service: one.service_name }}
                resetScroll={false}
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
          .filter(({ service_name }) => service_name === chosen)
          .map((one) => (
            <ServiceDetails key={one.service_name} place={place} service={one} />
          ))}
      </div>
    </>
  );
}

/** How many services are in which state, and a way to see these alone. */
function Tones(props: { services: readonly Service[]; tone: Tone | undefined; choose(tone?: Tone): void }) {
  const { t } = useWords();
  const { services, tone, choose } = props;
  const counts = Map.groupBy(services, ({ status }) => toneOf(status));
  return (
    <fieldset className="actions tones" aria-label={t("Services by status")}>
      <Button aria-pressed={tone === undefined} onClick={() => choose()}>
        {t("All: {count}", { count: services.length })}
      </Button>
      {tones
        .filter((one) => counts.has(one))
        .map((one) => (
          <Button key={one} aria-pressed={tone === one} onClick={() => choose(tone === one ? undefined : one)}>
            <span className={`status ${one}`}>{t(toneNames[one], { count: counts.get(one)?.length ?? 0 })}</span>
          </Button>
        ))}
    </fieldset>
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
