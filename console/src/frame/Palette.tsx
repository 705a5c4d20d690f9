import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { systemRightsQuery, usersQuery } from "../adminQueries.ts";
import { environmentsQuery } from "../environmentQueries.ts";
import { givenHere, operationAddress } from "../operations/given.ts";
import { documentQuery } from "../operations/queries.ts";
import { projectsQuery } from "../queries.ts";
import { servicesQuery } from "../serviceQueries.ts";
import { useWords } from "../words.tsx";
import { workflowsQuery } from "../workflowQueries.ts";
import { environmentAddress, projectAddress, useHere, workflowAddress } from "./crumbs.ts";

/** Of so many projects environments and workflows are offered; those of others are found on the pages of their projects. */
const searchedProjects = 30;
const keptMilliseconds = 60_000;

/** Finds pages, projects, environments, services, workflows, runs, people and operations. @param props.asked changes when it is to open */
export default function Palette({ asked }: { asked: number }) {
  const { t } = useWords();
  const groups = useGroups();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it is asked for
  useEffect(() => spotlight.open(), [asked]);
  return (
    <Spotlight
      actions={groups}
      shortcut={null}
      title={t("Search everything")}
      limit={60}
      scrollable
      maxHeight="60vh"
      highlightQuery
      lockScroll={false}
      nothingFound={t("Nothing matches.")}
      searchProps={{ placeholder: t("Search everything"), "aria-label": t("Search everything") }}
    />
  );
}

function useGroups(): SpotlightActionGroupData[] {
  const { t } = useWords();
  const navigate = useNavigate();
  const here = useHere();
  const { project: own = "" } = here.params;
  const { data: rights } = useQuery(systemRightsQuery);
  const { data: projects = [] } = useQuery(projectsQuery);
  const searched = projects.slice(0, searchedProjects).map(({ project_key }) => project_key);
  const once = { staleTime: keptMilliseconds, refetchInterval: false } as const;
  const environments = useQueries({ queries: searched.map((key) => ({ ...environmentsQuery(key), ...once })) });
  const workflows = useQueries({ queries: searched.map((key) => ({ ...workflowsQuery(key), ...once })) });
  const { data: services } = useQuery({
    ...servicesQuery({ project: own, production: false, text: "", page: 1 }),
    enabled: own !== "",
  });
  const { data: people } = useQuery({ ...usersQuery(1, ""), enabled: rights?.isAdmin === true });
  const { data: document } = useQuery(documentQuery);
  const at = (id: string, label: string, href: string, description = "") => ({
    ...{ id, label, description },
    onClick: () => void navigate({ to: href }),
  });
  return [
    {
      group: t("Projects"),
      actions: projects.map(({ project_key, project_name }) =>
        at(`project/${project_key}`, project_name, projectAddress(project_key), project_key),
      ),
    },
    {
      group: t("Environments"),
      actions: searched.flatMap((project, index) =>
        (environments[index]?.data ?? []).map(({ env_key, production }) =>
          at(`env/${project}/${env_key}`, env_key, environmentAddress(project, env_key, production), project),
        ),
      ),
    },
    {
      group: t("Workflows"),
      actions: searched.flatMap((project, index) =>
        (workflows[index]?.data ?? []).map(({ workflow_key, workflow_name }) =>
          at(`workflow/${project}/${workflow_key}`, workflow_name, workflowAddress(project, workflow_key), project),
        ),
      ),
    },
    {
      group: t("Services"),
      actions: (services?.list ?? []).map(({ service_name: name }) =>
        at(
          `service/${own}/${name}`,
          name,
          `${projectAddress(own)}/services?${new URLSearchParams({ service: name })}`,
          own,
        ),
      ),
    },
    {
      group: t("Users"),
      actions: (people?.users ?? []).map(({ uid, account, name }) =>
        at(`user/${uid}`, name || account, `/administration?${new URLSearchParams({ user: account })}`, account),
      ),
    },
    {
      group: t("Operations"),
      actions: (document?.operations ?? []).map(({ id, summary, tag }) =>
        at(`operation/${id}`, summary, operationAddress(id, givenHere(here)), tag),
      ),
    },
  ];
}
