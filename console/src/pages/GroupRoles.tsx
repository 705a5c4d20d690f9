import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Action } from "../Decision.tsx";
import { groupRolesQuery, saveGroupRoles } from "../groupQueries.ts";
import { Loaded } from "../parts.tsx";
import { projectsQuery } from "../queries.ts";
import { everywhere } from "../roleQueries.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";
import type { Group } from "./GroupDetails.tsx";

/** What a group may do in the installation, and in each project. */
export function GroupRoles({ group, isEverybody }: { group: Group; isEverybody: boolean }) {
  const { t } = useWords();
  const [namespace, setNamespace] = useState(everywhere);
  const projects = useQuery(projectsQuery);
  return (
    <>
      <h3>{t("Roles")}</h3>
      <NativeSelect aria-label={t("Roles in")} value={namespace} onChange={({ target }) => setNamespace(target.value)}>
        <option value={everywhere}>{t("the installation")}</option>
        {projects.data?.map(({ project_key, project_name }) => (
          <option key={project_key} value={project_key}>
            {project_name}
          </option>
        ))}
      </NativeSelect>
      <Loaded from={useQuery(groupRolesQuery(group.id, namespace))}>
        {({ roles, held }) => (
          <Choice
            key={`${namespace}/${held.join()}`}
            {...{ group, namespace, held }}
            all={roles.map(({ name, desc }) => ({ name, desc }))}
            asks={namespace === everywhere || isEverybody}
          />
        )}
      </Loaded>
    </>
  );
}

/** @param props.asks whether the change is about so much that its name is asked for */
function Choice(props: {
  group: Group;
  namespace: string;
  all: readonly { name: string; desc: string }[];
  held: readonly string[];
  asks: boolean;
}) {
  const { t } = useWords();
  const { group, namespace, all, held } = props;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(held));
  const [isAsking, setAsking] = useState(false);
  const toggle = (name: string): void => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setChosen(next);
  };
  const come = [...chosen].filter((name) => !held.includes(name));
  const go = held.filter((name) => !chosen.has(name));
  const save = () => saveGroupRoles(group.id, namespace, [...chosen]);
  return (
    <>
      <ul className="rows" aria-label={t("Roles")}>
        {all.map(({ name, desc }) => (
          <li key={name}>
            <label className="check">
              <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
              {name}
            </label>
            <span className="quiet">{desc}</span>
          </li>
        ))}
      </ul>
      {come.length + go.length > 0 &&
        (props.asks ? (
          <Button type="button" variant="filled" onClick={() => setAsking(true)}>
            {t("Save the roles")}
          </Button>
        ) : (
          <Action isMain label={t("Save the roles")} run={save} />
        ))}
      {isAsking && (
        <Confirmed
          name={group.name}
          title={t("Roles of {name}", { name: group.name })}
          action={t("Save")}
          warning={t("Everybody in it gets: {come}. They lose: {go}.", {
            ...{ come: come.join(", ") || "–", go: go.join(", ") || "–" },
          })}
          run={save}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
