import { Button } from "@mantine/core";
import type { components } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { entriesOnPage, resetSecondFactor, usersQuery } from "../adminQueries.ts";
import { Operate } from "../operations/Operate.tsx";
import { OperationLinks } from "../operations/OperationLinks.tsx";
import { Loaded, Pages, SearchForm, When } from "../parts.tsx";
import { useSession } from "../session.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";

type User = components["schemas"]["UserInfo"];

/** All users, which of them have a second factor, and the way to take it away from who lost device and codes. */
export function Users() {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/administration" });
  const { users = 1, user = "" } = useSearch({ from: "/shell/administration" });
  const [chosen, setChosen] = useState<User>();
  return (
    <>
      <div className="head">
        <h2>{t("Users")}</h2>
        <Operate operation="createUser" label={t("New user")} />
        <SearchForm
          label={t("Part of a name, then Enter")}
          text={user}
          search={(text) =>
            void navigate({
              search: ({ users: _, user: __, ...before }) => ({ ...before, ...(text && { user: text }) }),
            })
          }
        />
      </div>
      <Loaded from={useQuery(usersQuery(users, user))}>
        {(found) => (
          <>
            {found.total_count === 0 && <p className="empty">{t("Nobody matches “{text}”.", { text: user })}</p>}
            <ul className="rows" aria-label={t("Users")}>
              {found.users.map((one) => (
                <Row key={one.uid} user={one} reset={() => setChosen(one)} />
              ))}
            </ul>
            <Pages name="users" page={users} isLast={users * entriesOnPage >= found.total_count} />
          </>
        )}
      </Loaded>
      {chosen !== undefined && (
        <Confirmed
          name={chosen.account}
          title={t("Reset the second factor: {name}", { name: chosen.account })}
          action={t("Reset")}
          warning={t(
            "The app and the recovery codes of {name} stop working. The next sign-in asks for the password alone; where this system demands a second factor, it asks to set one up.",
            { name: chosen.name || chosen.account },
          )}
          run={() => resetSecondFactor(chosen.uid)}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

function Row({ user, reset }: { user: User; reset(): void }) {
  const { t } = useWords();
  const session = useSession();
  const { uid, account, name, identity_type, mfa_enabled, last_login_time } = user;
  return (
    <li>
      <span className="name">{name || account}</span>
      {mfa_enabled && <span className="tag">{t("second factor on")}</span>}
      <span className="quiet">
        {account}, {identity_type}
        {identity_type === "system" && !mfa_enabled && `, ${t("no second factor")}`}
        {last_login_time > 0 && (
          <>
            {", "}
            <When who={t("last signed in")} seconds={last_login_time} />
          </>
        )}
      </span>
      <OperationLinks
        label={t("Actions on {name}", { name: account })}
        operations={{ updateUser: t("Change"), ...(uid !== session?.uid && { deleteUser: t("Delete") }) }}
        given={{ uid }}
      />
      {mfa_enabled && uid !== session?.uid && (
        <Button type="button" aria-label={t("Reset the second factor: {name}", { name: account })} onClick={reset}>
          {t("Reset the second factor")}
        </Button>
      )}
    </li>
  );
}
