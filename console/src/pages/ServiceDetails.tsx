import { Button } from "@mantine/core";
import type { components } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { podsQuery } from "../environmentQueries.ts";
import { Loaded, Status, When } from "../parts.tsx";
import { type Place, restart, rollBack, useMay, versionsQuery } from "../queries.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";
import { PodLog } from "./PodLog.tsx";
import { Workloads } from "./Workloads.tsx";

type Service = components["schemas"]["EnvironmentDetail"]["services"][number];
type Change = { kind: "restart" } | { kind: "rollback"; revision: number };

const restartVerbs = (production: boolean): string[] =>
  production
    ? ["edit_production_environment", "restart_production_environment"]
    : ["manage_environment", "restart_environment"];
const rollbackVerbs = (production: boolean): string[] =>
  production
    ? ["edit_production_environment", "rollback_production_environment"]
    : ["manage_environment", "rollback_environment"];

export function ServiceDetails({ place, service }: { place: Place; service: Service }) {
  const { t } = useWords();
  const { service_name: name } = service;
  const [pod, setPod] = useState<string>();
  const [change, setChange] = useState<Change>();
  const versions = useQuery(versionsQuery(place, name));
  const mayRead = useMay(place, [place.production ? "get_production_service" : "get_service"]);
  const mayRestart = useMay(place, restartVerbs(place.production));
  const mayRollBack = useMay(place, rollbackVerbs(place.production));
  return (
    <section className="details" aria-label={t("Details of {name}", { name })}>
      <div className="head">
        <h2>{name}</h2>
        {mayRead && (
          <Link
            to="/v1/projects/detail/$project/services"
            params={{ project: place.project }}
            search={{ service: name, ...(place.production && { production: true }) }}
          >
            {t("Definition")}
          </Link>
        )}
        {mayRestart && service.type === "k8s" && (
          <Button type="button" onClick={() => setChange({ kind: "restart" })}>
            {t("Restart")}
          </Button>
        )}
      </div>
      {service.type === "k8s" && <Workloads place={place} service={name} />}
      <h3>{t("Pods")}</h3>
      <Loaded from={useQuery(podsQuery(place, name))}>
        {(pods) =>
          pods.length === 0 ? (
            <p className="quiet">{t("No pods run.")}</p>
          ) : (
            <ul className="rows">
              {pods.map(({ pod_name, status, pod_ready, ip }) => (
                <li key={pod_name}>
                  <span className="name">{pod_name}</span>
                  <Status status={status} />
                  <span className="quiet">
                    {pod_ready ? t("ready") : t("not ready")} {ip}
                  </span>
                  <Button
                    type="button"
                    aria-label={t("Log of {name}", { name: pod_name })}
                    aria-expanded={pod === pod_name}
                    onClick={() => setPod(pod === pod_name ? undefined : pod_name)}
                  >
                    {t("Log")}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {pod !== undefined && (
        <PodLog key={pod} place={place} pod={pod} containers={service.containers.map((container) => container.name)} />
      )}
      <h3>{t("Versions")}</h3>
      <Loaded from={versions}>
        {(all) => (
          <ul className="rows">
            {all.map(({ revision, create_by, create_time, images }, at) => (
              <li key={revision}>
                <span className="name">{t("Version {number}", { number: revision })}</span>
                <span className="quiet">
                  <When who={create_by} seconds={create_time} />
                </span>
                {at === 0 && <span className="tag">{t("now")}</span>}
                {at > 0 && mayRollBack && (
                  <Button
                    type="button"
                    aria-label={t("Roll back {name} to version {number}", { name, number: revision })}
                    onClick={() => setChange({ kind: "rollback", revision })}
                  >
                    {t("Roll back")}
                  </Button>
                )}
                {images.map((image) => (
                  <code key={image}>{image}</code>
                ))}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {change !== undefined && (
        <Confirmed
          name={place.production ? name : undefined}
          title={
            change.kind === "restart"
              ? t("Restart {name}", { name })
              : t("Roll back {name} to version {number}", { name, number: change.revision })
          }
          action={change.kind === "restart" ? t("Restart") : t("Roll back")}
          run={(isPreview) =>
            change.kind === "restart"
              ? restart(place, name, isPreview)
              : rollBack(place, name, change.revision, isPreview)
          }
          onClose={() => setChange(undefined)}
        />
      )}
    </section>
  );
}
