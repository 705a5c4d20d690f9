import { taken } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { browserOf } from "./browserOf.ts";
import { Action } from "./Decision.tsx";
import { Loaded } from "./parts.tsx";
import { slipway } from "./session.ts";
import { useWords } from "./words.tsx";

/** Where a user is signed in, and the way to end it there. */
export function Sessions({ uid }: { uid: string }) {
  const { t, locale } = useWords();
  const sessions = useQuery({
    queryKey: ["sessions", uid],
    queryFn: () => taken(slipway().GET("/openapi/users/{uid}/sessions", { params: { path: { uid } } })),
  });
  const time = (seconds: number): string => new Date(seconds * 1000).toLocaleString(locale);
  const end = (sessionId: string) =>
    taken(slipway().DELETE("/openapi/users/{uid}/sessions/{sessionId}", { params: { path: { uid, sessionId } } }));
  return (
    <>
      <h2>{t("Where you are signed in")}</h2>
      <Loaded from={sessions}>
        {(all) => (
          <ul className="rows" aria-label={t("Where you are signed in")}>
            {all.map(({ id, created_at, last_used_at, address, user_agent, current }) => (
              <li key={id}>
                <span className="name" title={user_agent}>
                  {browserOf(user_agent) || t("An unknown program")}
                </span>
                {current && <span className="tag">{t("this one")}</span>}
                <span className="quiet">
                  {address !== "" && `${address}, `}
                  {t("signed in {when}", { when: time(created_at) })}
                  {", "}
                  {t("last used {when}", { when: time(last_used_at) })}
                </span>
                {!current && <Action label={t("Sign out there")} run={() => end(id)} />}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}
