import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { entriesOnPage, systemRightsQuery } from "../adminQueries.ts";
import { createGroup, groupsQuery } from "../groupQueries.ts";
import { Failure, Loaded, Pages, Search } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";
import { GroupDetails } from "./GroupDetails.tsx";

const here = "/shell/administration/groups";

/** Groups of users: who is in them, and what they may do. */
export default function Groups() {
  const { t } = useWords();
  return (
    <>
      <p className="trail">
        <Link to="/administration">{t("Administration")}</Link>
      </p>
      <h1>{t("Groups")}</h1>
      <p className="quiet">{t("Who is in a group has its roles besides those of their own.")}</p>
      <Loaded from={useQuery(systemRightsQuery)}>
        {({ isAdmin }) => (isAdmin ? <All /> : <p className="empty">{t("Only administrators see something here.")}</p>)}
      </Loaded>
    </>
  );
}

function All() {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/administration/groups" });
  const { page = 1, name = "", group } = useSearch({ from: here });
  const [typed, setTyped] = useState(name);
  return (
    <>
      <div className="head">
        <form
          className="actions"
          onSubmit={(event) => {
            event.preventDefault();
            void navigate({ search: typed === "" ? {} : { name: typed } });
          }}
        >
          <Search label={t("Part of a name, then Enter")} text={typed} onChange={setTyped} />
        </form>
        <NewGroup />
      </div>
      <Loaded from={useQuery(groupsQuery(page, name))}>
        {({ group_list, total }) => (
          <div className="split">
            <div>
              {total === 0 && <p className="empty">{t("No group matches “{text}”.", { text: name })}</p>}
              <ul className="rows" aria-label={t("Groups")}>
                {group_list.map(({ id, name, description, user_total, system_role_names }) => (
                  <li key={id} className={id === group ? "chosen" : ""}>
                    <Link to="/administration/groups" search={(before) => ({ ...before, group: id })}>
                      {name}
                    </Link>
                    <span className="quiet">{t("Members: {count}", { count: user_total })}</span>
                    {system_role_names.map((role) => (
                      <span key={role} className="tag">
                        {role}
                      </span>
                    ))}
                    {description !== "" && <span className="quiet">{description}</span>}
                  </li>
                ))}
              </ul>
              <Pages page={page} isLast={page * entriesOnPage >= total} />
            </div>
            {group !== undefined && <GroupDetails key={group} id={group} />}
          </div>
        )}
      </Loaded>
    </>
  );
}

function NewGroup() {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/administration/groups" });
  const [name, setName] = useState("");
  const making = useMutation({
    mutationFn: () => createGroup(name.trim(), ""),
    onSuccess: async (group) => {
      setName("");
      await queries.invalidateQueries();
      await navigate({ search: { group } });
    },
  });
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        making.mutate();
      }}
    >
      <input
        aria-label={t("Name of a new group")}
        placeholder={t("Name of a new group")}
        required
        maxLength={32}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" disabled={making.isPending}>
        {t("Create")}
      </button>
      {making.error !== null && <Failure error={making.error} />}
    </form>
  );
}
