import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { entriesOnPage } from "../adminQueries.ts";
import { createGroup, groupsQuery } from "../groupQueries.ts";
import { Loaded, Pages, SearchForm } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { GroupDetails } from "./GroupDetails.tsx";
import { NewByName } from "./NewByName.tsx";
import { OnlyAdministrators } from "./OnlyAdministrators.tsx";

const here = "/shell/administration/groups";

/** Groups of users: who is in them, and what they may do. */
export default function Groups() {
  const { t } = useWords();
  return (
    <>
      <h1>{t("Groups")}</h1>
      <p className="quiet">{t("Who is in a group has its roles besides those of their own.")}</p>
      <OnlyAdministrators>
        <All />
      </OnlyAdministrators>
    </>
  );
}

function All() {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/administration/groups" });
  const { page = 1, name = "", group } = useSearch({ from: here });
  return (
    <>
      <div className="head">
        <SearchForm
          label={t("Part of a name, then Enter")}
          text={name}
          search={(text) => void navigate({ search: text === "" ? {} : { name: text } })}
        />
        <NewByName
          label={t("Name of a new group")}
          make={async (name) => navigate({ search: { group: await createGroup(name, "") } })}
        />
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
