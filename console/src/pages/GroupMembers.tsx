import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { entriesOnPage } from "../adminQueries.ts";
import { Action } from "../Decision.tsx";
import { addMember, membersQuery, peopleQuery, removeMember } from "../groupQueries.ts";
import { Loaded, Search } from "../parts.tsx";
import { useWords } from "../words.tsx";
import type { Group } from "./GroupDetails.tsx";

/** Who is in a group, page by page, and who can be put into it. */
export function GroupMembers({ group: { id, uids } }: { group: Group }) {
  const { t } = useWords();
  const [chosen, setPage] = useState(1);
  const last = Math.max(Math.ceil(uids.length / entriesOnPage), 1);
  const page = Math.min(chosen, last);
  const shown = uids.slice((page - 1) * entriesOnPage, page * entriesOnPage);
  return (
    <>
      <h3>{t("Members: {count}", { count: uids.length })}</h3>
      <Loaded from={useQuery(membersQuery(shown))}>
        {(users) =>
          users.length > 0 && (
            <ul className="rows" aria-label={t("Members")}>
              {users.map(({ uid, account, name }) => (
                <li key={uid}>
                  <span className="name">{name || account}</span>
                  <span className="quiet">{account}</span>
                  <Action label={t("Remove {name}", { name: account })} run={() => removeMember(id, uid)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {last > 1 && (
        <div className="head">
          <button type="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t("Earlier")}
          </button>
          <span className="quiet">{t("Page {page} of {last}", { page, last })}</span>
          <button type="button" disabled={page === last} onClick={() => setPage(page + 1)}>
            {t("Later")}
          </button>
        </div>
      )}
      <NewMembers id={id} uids={uids} />
    </>
  );
}

function NewMembers({ id, uids }: { id: string; uids: readonly string[] }) {
  const { t } = useWords();
  const [typed, setTyped] = useState("");
  const [text, setText] = useState("");
  const people = useQuery(peopleQuery(text));
  return (
    <>
      <form
        className="actions"
        onSubmit={(event) => {
          event.preventDefault();
          setText(typed.trim());
        }}
      >
        <Search label={t("Account or part of a name, then Enter")} text={typed} onChange={setTyped} />
      </form>
      {text !== "" && (
        <Loaded from={people}>
          {(found) => {
            const others = found.filter(({ uid }) => !uids.includes(uid));
            return others.length === 0 ? (
              <p className="quiet">{t("Nobody else matches “{text}”.", { text })}</p>
            ) : (
              <ul className="rows" aria-label={t("Users")}>
                {others.map(({ uid, account, name }) => (
                  <li key={uid}>
                    <span className="name">{name || account}</span>
                    <span className="quiet">{account}</span>
                    <Action label={t("Add {name}", { name: account })} run={() => addMember(id, uid)} />
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      )}
    </>
  );
}
