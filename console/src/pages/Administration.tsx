import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import {
  clustersQuery,
  entriesOnPage,
  exportOperations,
  type LogSearch,
  logSearches,
  operationsQuery,
  registriesQuery,
  systemRightsQuery,
} from "../adminQueries.ts";
import { download } from "../download.ts";
import { Operate } from "../operations/Operate.tsx";
import { OperationLinks } from "../operations/OperationLinks.tsx";
import { Failure, Loaded, Pages, Search, Status, When } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { Users } from "./Users.tsx";

const here = "/shell/administration";

/** What an installation consists of, who uses it, and what they did. */
export default function Administration() {
  const { t } = useWords();
  const rights = useQuery(systemRightsQuery);
  return (
    <>
      <h1>{t("Administration")}</h1>
      {rights.data?.isAdmin && (
        <nav className="actions" aria-label={t("More of administration")}>
          <Link to="/administration/groups">{t("Groups")}</Link>
          <Link to="/administration/roles">{t("Roles")}</Link>
          <Link to="/administration/security">{t("Signing in")}</Link>
        </nav>
      )}
      {rights.data?.isAdmin && (
        <>
          <h2>{t("Integrations")}</h2>
          <OperationLinks
            label={t("Integrations")}
            operations={{
              listCodeHosts: t("Code hosts"),
              listChartRepositories: t("Chart repositories"),
              listBaseImages: t("Base images"),
              listSonarServers: "SonarQube",
              listMetricServers: t("Metric servers"),
              listChatApps: t("Chat apps"),
              getMailHost: t("Mail host"),
              listTemplates: t("YAML templates"),
              listChartTemplates: t("Chart templates"),
              listBuildTemplates: t("Build templates"),
              listDockerfiles: t("Dockerfile templates"),
              listLabels: t("Labels"),
            }}
          />
        </>
      )}
      <Loaded from={rights}>
        {({ isAdmin, mayReadLog }) => (
          <>
            {isAdmin && <Clusters />}
            {isAdmin && <Registries />}
            {isAdmin && <Users />}
            {mayReadLog && <Operations />}
            {!mayReadLog && <p className="empty">{t("Only administrators see something here.")}</p>}
          </>
        )}
      </Loaded>
    </>
  );
}

function Clusters() {
  const { t } = useWords();
  return (
    <>
      <div className="head">
        <h2>{t("Clusters")}</h2>
        <Operate operation="createCluster" label={t("New cluster")} />
      </div>
      <Loaded from={useQuery(clustersQuery)}>
        {(all) => (
          <ul className="rows" aria-label={t("Clusters")}>
            {all.map(({ cluster_id, name, status, status_message, provider_name, production }) => (
              <li key={cluster_id}>
                <span className="name">{name}</span>
                <Status status={status} />
                {production && <span className="tag">{t("production")}</span>}
                <span className="quiet">{provider_name}</span>
                <OperationLinks
                  label={t("Actions on {name}", { name })}
                  operations={{ updateCluster: t("Change"), deleteCluster: t("Delete") }}
                  given={{ id: cluster_id }}
                />
                {status_message !== undefined && status_message !== "" && <p className="problem">{status_message}</p>}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function Registries() {
  const { t } = useWords();
  return (
    <>
      <div className="head">
        <h2>{t("Registries")}</h2>
        <Operate operation="createRegistry" label={t("New registry")} />
      </div>
      <Loaded from={useQuery(registriesQuery)}>
        {(all) => (
          <ul className="rows" aria-label={t("Registries")}>
            {all.map(({ registry_id, address, namespace, provider, is_default }) => (
              <li key={registry_id}>
                <span className="name">{[address, namespace].filter((part) => part !== "").join("/")}</span>
                {is_default && <span className="tag">{t("default")}</span>}
                <span className="quiet">{provider}</span>
                <OperationLinks
                  label={t("Actions on {name}", { name: address })}
                  operations={{ updateRegistry: t("Change"), deleteRegistry: t("Delete") }}
                  given={{ id: registry_id }}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function Operations() {
  const { t, word } = useWords();
  const navigate = useNavigate({ from: "/administration" });
  const { page = 1, by = "user", text = "" } = useSearch({ from: here });
  const [typed, setTyped] = useState(text);
  const names: Record<LogSearch, string> = {
    ...{ user: t("Account"), project: t("Project"), function: t("Function"), status: t("Status") },
  };
  const labels: Record<LogSearch, string> = {
    user: t("Account, then Enter"),
    project: t("Project, then Enter"),
    function: t("Function, then Enter"),
    status: t("Status such as 403, then Enter"),
  };
  return (
    <>
      <div className="head">
        <h2>{t("Operation log")}</h2>
        <form
          className="actions"
          onSubmit={(event) => {
            event.preventDefault();
            void navigate({ search: typed === "" ? { by } : { by, text: typed } });
          }}
        >
          <NativeSelect
            aria-label={t("Search by")}
            value={by}
            onChange={({ target }) => {
              setTyped("");
              void navigate({ search: { by: logSearches.find((one) => one === target.value) ?? "user" } });
            }}
          >
            {logSearches.map((one) => (
              <option key={one} value={one}>
                {names[one]}
              </option>
            ))}
          </NativeSelect>
          <Search label={labels[by]} text={typed} onChange={setTyped} />
          <Export />
        </form>
      </div>
      <Loaded from={useQuery(operationsQuery(page, by, text))}>
        {({ operation_logs, total }) =>
          operation_logs.length === 0 ? (
            <p className="empty">{t("Nothing was done.")}</p>
          ) : (
            <>
              <ul className="rows" aria-label={t("Operation log")}>
                {operation_logs.map((entry, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and a page of them does not change
                  <li key={at}>
                    <span className="name">
                      {entry.method} {entry.function}
                    </span>
                    {entry.status < 400 ? (
                      <Status status="success" />
                    ) : (
                      <Status status="failed">
                        {word("failed")} ({entry.status})
                      </Status>
                    )}
                    <span className="quiet">
                      {entry.project_key} {entry.detail} <When who={entry.username} seconds={entry.created_at} />
                    </span>
                  </li>
                ))}
              </ul>
              <Pages page={page} isLast={page * entriesOnPage >= total} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Gives the whole log as a file. */
function Export() {
  const { t } = useWords();
  const [count, setCount] = useState(0);
  const exporting = useMutation({
    mutationFn: () => exportOperations(setCount),
    onSuccess: (log) => download("operations.ndjson", log),
  });
  return (
    <>
      <Button type="button" disabled={exporting.isPending} onClick={() => exporting.mutate()}>
        {t("Export")}
      </Button>
      {exporting.isPending && <span role="status">{t("{count} records…", { count })}</span>}
      {exporting.error !== null && <Failure error={exporting.error} />}
    </>
  );
}
