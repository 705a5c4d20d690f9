import { Button, NativeSelect, TextInput } from "@mantine/core";
import { taken } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Action } from "../Decision.tsx";
import { Failure, Loaded } from "../parts.tsx";
import { queries } from "../queries.ts";
import { SecondFactor } from "../SecondFactor.tsx";
import { Sessions } from "../Sessions.tsx";
import { slipway, useSession } from "../session.ts";
import { useWords } from "../words.tsx";

const daySeconds = 24 * 60 * 60;

/** Where the user is signed in, the second factor, and the API tokens. */
export default function Account() {
  const { t, locale } = useWords();
  const { uid = "", name = "", identityType = "" } = useSession() ?? {};
  const tokens = useQuery({
    queryKey: ["tokens", uid],
    queryFn: () => taken(slipway().GET("/openapi/users/{uid}/tokens", { params: { path: { uid } } })),
  });
  const day = (seconds: number): string => new Date(seconds * 1000).toLocaleDateString(locale);
  return (
    <>
      <h1>{name}</h1>
      <Sessions uid={uid} />
      {identityType === "system" && <SecondFactor uid={uid} />}
      <h2>{t("API tokens")}</h2>
      <p className="quiet">{t("Programs sign in with them; they may do what you may, or less.")}</p>
      <Loaded from={tokens}>
        {(all) =>
          all.length === 0 ? (
            <p className="empty">{t("No tokens yet.")}</p>
          ) : (
            <ul className="rows" aria-label={t("API tokens")}>
              {all.map((token) => (
                <li key={token.id}>
                  <span className="name">{token.name}</span>
                  <span className="tag">{token.scope === "read" ? t("reads only") : t("reads and changes")}</span>
                  <span className="quiet">
                    {token.projects.length === 0 ? t("all projects") : token.projects.join(", ")}
                    {", "}
                    {token.expires_at === 0
                      ? t("does not expire")
                      : t("expires {when}", { when: day(token.expires_at) })}
                    {", "}
                    {token.last_used_at === 0
                      ? t("never used")
                      : t("last used {when}", { when: day(token.last_used_at) })}
                  </span>
                  <Action label={t("Revoke {name}", { name: token.name })} run={() => revoke(uid, token.id)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewToken uid={uid} />
    </>
  );
}

function revoke(uid: string, tokenId: string) {
  return taken(slipway().DELETE("/openapi/users/{uid}/tokens/{tokenId}", { params: { path: { uid, tokenId } } }));
}

function NewToken({ uid }: { uid: string }) {
  const { t } = useWords();
  const making = useMutation({
    mutationFn: (given: FormData) => {
      const days = Number(given.get("days"));
      const projects = String(given.get("projects") ?? "")
        .split(",")
        .map((key) => key.trim())
        .filter((key) => key !== "");
      const body = {
        name: String(given.get("name")),
        scope: given.get("scope") === "write" ? ("write" as const) : ("read" as const),
        projects,
        expires_at: days > 0 ? Math.floor(Date.now() / 1000) + days * daySeconds : 0,
      };
      return taken(slipway().POST("/openapi/users/{uid}/tokens", { params: { path: { uid } }, body }));
    },
    onSuccess: () => queries.invalidateQueries(),
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    making.mutate(new FormData(event.currentTarget));
  };
  return (
    <form className="details" onSubmit={send}>
      <h2>{t("New token")}</h2>
      <TextInput label={t("Name")} name="name" required maxLength={100} autoComplete="off" />
      <NativeSelect label={t("What it may do")} name="scope">
        <option value="read">{t("reads only")}</option>
        <option value="write">{t("reads and changes")}</option>
      </NativeSelect>
      <TextInput label={t("Projects, separated by commas; empty for all")} name="projects" autoComplete="off" />
      <TextInput
        label={t("Days until it expires; 0 for never")}
        name="days"
        type="number"
        min={0}
        max={3650}
        defaultValue={90}
        required
      />
      {making.error !== null && <Failure error={making.error} />}
      <Button type="submit" variant="filled" disabled={making.isPending}>
        {t("Create")}
      </Button>
      {making.data !== undefined && (
        <div className="decision" role="status">
          <p>{t("Copy it now: it is not shown again.")}</p>
          <code className="secret">{making.data.token}</code>{" "}
          <Button type="button" onClick={() => void navigator.clipboard.writeText(making.data.token)}>
            {t("Copy")}
          </Button>
        </div>
      )}
    </form>
  );
}
