import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { entriesOnPage } from "../adminQueries.ts";
import { Action } from "../Decision.tsx";
import { addMember, membersQuery, peopleQuery, removeMember } from "../groupQueries.ts";
import { Loaded, SearchForm } from "../parts.tsx";
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
            <People label={t("Members")} users={users}>
              {({ uid, account }) => (
                <Action label={t("Remove {name}", { name: account })} run={() => removeMember(id, uid)} />
              )}
            </People>
          )
        }
      </Loaded>
      {last > 1 && (
        <div className="head">
          <Button type="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t("Earlier")}
          </Button>
          <span className="quiet">{t("Page {page} of {last}", { page, last })}</span>
          <Button type="button" disabled={page === last} onClick={() => setPage(page + 1)}>
            {t("Later")}
          </Button>
        </div>
      )}
      <NewMembers id={id} uids={uids} />
    </>
  );
}

function NewMembers({ id, uids }: { id: string; uids: readonly string[] }) {
  const { t } = useWords();
  const [text, setText] = useState("");
  const people = useQuery(peopleQuery(text));
  return (
    <>
      <SearchForm
        label={t("Account or part of a name, then Enter")}
        text={text}
        search={(typed) => setText(typed.trim())}
      />
      {text !== "" && (
        <Loaded from={people}>
          {(found) => {
            const others = found.filter(({ uid }) => !uids.includes(uid));
            return others.length === 0 ? (
              <p className="quiet">{t("Nobody else matches “{text}”.", { text })}</p>
            ) : (
              <People label={t("Users")} users={others}>
                {({ uid, account }) => (
                  <Action label={t("Add {name}", { name: account })} run={() => addMember(id, uid)} />
                )}
              </People>
            );
          }}
        </Loaded>
      )}
    </>
  );
}

interface Person {
  uid: string;
  account: string;
  name: string;
}

/** @param props.children what can be done with each */
function People(props: { label: string; users: readonly Person[]; children(person: Person): ReactNode }) {
  return (
    <ul className="rows" aria-label={props.label}>
      {props.users.map((person) => (
        <li key={person.uid}>
          <span className="name">{person.name || person.account}</span>
          <span className="quiet">{person.account}</span>
          {props.children(person)}
        </li>
      ))}
    </ul>
  );
}
