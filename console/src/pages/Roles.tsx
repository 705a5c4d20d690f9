import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { Action } from "../Decision.tsx";
import { Loaded } from "../parts.tsx";
import { createRole, everywhere, type Resource, type Role, rolesQuery, saveRole } from "../roleQueries.ts";
import { useWords } from "../words.tsx";
import { NewByName } from "./NewByName.tsx";

/** What each role of a project, or of the installation, may do: a line for each action, a column for each role. */
export default function Roles() {
  const { t } = useWords();
  const { namespace = everywhere } = useSearch({ from: "/shell/administration/roles" });
  return (
    <>
      <h1>{t("Roles")}</h1>
      <p className="quiet">
        {namespace === everywhere
          ? t("Of the installation. Each project has roles of its own besides.")
          : t("What is changed holds for everybody who has the role at once.")}
      </p>
      <Loaded from={useQuery(rolesQuery(namespace))}>
        {({ roles, resources }) => (
          <>
            <Matrix
              key={roles.map(({ name, verbs }) => [name, ...verbs].join()).join("/")}
              {...{ namespace, roles, resources }}
            />
            <NewByName label={t("Name of a new role")} make={(name) => createRole(namespace, name)} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Matrix(props: { namespace: string; roles: readonly Role[]; resources: readonly Resource[] }) {
  const { t } = useWords();
  const { namespace, roles, resources } = props;
  const [chosen, setChosen] = useState(() => new Map(roles.map(({ name, verbs }) => [name, verbs])));
  const verbsOf = ({ name, verbs }: Role): ReadonlySet<string> => chosen.get(name) ?? verbs;
  const toggle = (role: Role, action: string): void => {
    const verbs = new Set(verbsOf(role));
    if (!verbs.delete(action)) verbs.add(action);
    setChosen(new Map(chosen).set(role.name, verbs));
  };
  const isChanged = (role: Role): boolean => {
    const verbs = verbsOf(role);
    return verbs.size !== role.verbs.size || [...verbs].some((verb) => !role.verbs.has(verb));
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <section className="matrix" tabIndex={0} aria-label={t("Roles")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("What it may do")}</th>
              {roles.map(({ name, desc }) => (
                <th key={name} scope="col" title={desc}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {resources.map(({ resource, alias, rules }) => (
              <Fragment key={resource}>
                <tr>
                  <th scope="rowgroup" colSpan={roles.length + 1}>
                    {alias}
                  </th>
                </tr>
                {rules.map(({ action, alias: words }) => (
                  <tr key={action}>
                    <th scope="row">
                      {words !== action && words} <code>{action}</code>
                    </th>
                    {roles.map((role) => (
                      <td key={role.name}>
                        {role.isCustom ? (
                          <input
                            type="checkbox"
                            aria-label={`${role.name}: ${action}`}
                            checked={verbsOf(role).has(action)}
                            onChange={() => toggle(role, action)}
                          />
                        ) : (
                          (role.isAll || role.verbs.has(action)) && <span title={`${role.name}: ${action}`}>✓</span>
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
      <div className="actions">
        {roles.filter(isChanged).map((role) => (
          <Action
            key={role.name}
            isMain
            label={t("Save {name}", { name: role.name })}
            run={() => saveRole(namespace, role, [...verbsOf(role)])}
          />
        ))}
      </div>
    </>
  );
}
