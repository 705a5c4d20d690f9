import { Button, NativeSelect, TextInput } from "@mantine/core";
import { runsCharts } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { registriesQuery } from "../adminQueries.ts";
import { createVersion, deliveryVersionsQuery, versionsOnPage } from "../deliveryQueries.ts";
import { environmentQuery, environmentsQuery } from "../environmentQueries.ts";
import { Failure, Loaded, Pages, Status, When } from "../parts.tsx";
import { mayOne, type Place, rightsQuery } from "../queries.ts";
import { useWords } from "../words.tsx";

const here = "/shell/v1/projects/detail/$project/version";

/** The delivery versions of a project, and a form that makes one of what an environment runs. */
export default function Versions() {
  const { t } = useWords();
  const { project } = useParams({ from: here });
  const { page = 1 } = useSearch({ from: here });
  const [isMaking, setMaking] = useState(false);
  const { data: rights } = useQuery(rightsQuery(project));
  const mayMake = rights !== undefined && mayOne(rights, [], "create_delivery");
  return (
    <>
      <div className="head">
        <h1>{t("Delivery versions")}</h1>
        {mayMake && (
          <Button type="button" variant="filled" aria-expanded={isMaking} onClick={() => setMaking(!isMaking)}>
            {t("New version")}
          </Button>
        )}
      </div>
      {isMaking && <NewVersion project={project} />}
      <Loaded from={useQuery(deliveryVersionsQuery(project, page))}>
        {({ list, total }) =>
          total === 0 ? (
            <p className="empty">{t("No versions yet. A version keeps what an environment runs, by digest.")}</p>
          ) : (
            <>
              <ul className="rows" aria-label={t("Delivery versions")}>
                {list.map(({ id, version_name, status, description, labels, created_by, create_time }) => (
                  <li key={id}>
                    <Link to="/v1/projects/detail/$project/version/$version" params={{ project, version: id }}>
                      {version_name}
                    </Link>
                    <Status status={status} />
                    <span className="quiet">
                      {description} <When who={created_by} seconds={create_time} />
                    </span>
                    {labels.map((label) => (
                      <span key={label} className="tag">
                        {label}
                      </span>
                    ))}
                  </li>
                ))}
              </ul>
              <Pages page={page} isLast={page * versionsOnPage >= total} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function NewVersion({ project }: { project: string }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const registries = useQuery(registriesQuery);
  const [source, setSource] = useState<string>();
  const making = useMutation({
    mutationFn: (given: FormData) => {
      const [env = "", kind] = String(given.get("environment")).split("/");
      return createVersion(
        { project, env, production: kind === "production" },
        {
          ...{ name: String(given.get("name")).trim(), description: String(given.get("description")) },
          registry: registries.data?.find(({ registry_id }) => registry_id === given.get("registry")),
          chartRepository: String(given.get("repository") ?? "").trim(),
        },
      );
    },
    onSuccess: (version) =>
      navigate({ to: "/v1/projects/detail/$project/version/$version", params: { project, version } }),
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    making.mutate(new FormData(event.currentTarget));
  };
  return (
    <form className="details" onSubmit={send}>
      <h2>{t("New version")}</h2>
      <p className="quiet">{t("Which images it has is fixed now, each by its digest.")}</p>
      <TextInput
        label={t("Version name; becomes the tag of the copies")}
        name="name"
        required
        maxLength={128}
        autoComplete="off"
      />
      <Loaded from={useQuery(environmentsQuery(project))}>
        {(environments) => {
          const chosen = environments.find((one) => choiceOf(one) === source) ?? environments[0];
          return (
            <>
              <NativeSelect
                label={t("Of what this environment runs")}
                name="environment"
                required
                onChange={({ target }) => setSource(target.value)}
              >
                {environments.map((one) => (
                  <option key={choiceOf(one)} value={choiceOf(one)}>
                    {one.production ? `${one.env_key} (${t("production")})` : one.env_key}
                  </option>
                ))}
              </NativeSelect>
              {chosen !== undefined && (
                <ChartRepository place={{ project, env: chosen.env_key, production: chosen.production }} />
              )}
            </>
          );
        }}
      </Loaded>
      <Loaded from={registries}>
        {(all) => (
          <NativeSelect label={t("Copy its images to")} name="registry">
            <option value="">{t("nowhere: they stay where they are")}</option>
            {all.map(({ registry_id, address, namespace }) => (
              <option key={registry_id} value={registry_id}>
                {[address, namespace].filter((part) => part !== "").join("/")}
              </option>
            ))}
          </NativeSelect>
        )}
      </Loaded>
      <TextInput label={t("What is new")} name="description" maxLength={4096} autoComplete="off" />
      {making.error !== null && <Failure error={making.error} />}
      <Button type="submit" variant="filled" disabled={making.isPending || registries.data === undefined}>
        {t("Create")}
      </Button>
    </form>
  );
}

const choiceOf = ({ env_key, production }: { env_key: string; production: boolean }): string =>
  production ? `${env_key}/production` : env_key;

/** Where charts go, of an environment that runs charts. */
function ChartRepository({ place }: { place: Place }) {
  const { t } = useWords();
  const { data } = useQuery(environmentQuery(place));
  if (data === undefined || !runsCharts(data)) return null;
  return (
    <>
      <p className="quiet">{t("Its charts are packed with their values; the version is one such as 1.2.3.")}</p>
      <TextInput
        label={t("Push its charts to this chart repository, by its name")}
        name="repository"
        required
        maxLength={253}
        autoComplete="off"
      />
    </>
  );
}
