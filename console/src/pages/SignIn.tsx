import { SlipwayError, taken } from "@slipway/client";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { Failure } from "../parts.tsx";
import { keepSession, slipway } from "../session.ts";
import { useWords } from "../words.tsx";

export default function SignIn() {
  const { t } = useWords();
  const navigate = useNavigate();
  const { from } = useSearch({ from: "/sign-in" });
  const signingIn = useMutation({
    mutationFn: async (body: { account: string; password: string }) => taken(slipway().POST("/api/v1/login", { body })),
    onSuccess: async ({ token, uid, name, account }) => {
      keepSession({ token, uid, name: name || account });
      await navigate({ href: from ?? "/", replace: true });
    },
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    signingIn.mutate({ account: String(given.get("account")), password: String(given.get("password")) });
  };
  const isRefused = signingIn.error instanceof SlipwayError && signingIn.error.status === 401;
  return (
    <main className="sign-in">
      <h1>Slipway</h1>
      <form onSubmit={send}>
        <label>
          {t("Account")}
          <input name="account" autoComplete="username" required />
        </label>
        <label>
          {t("Password")}
          <input name="password" type="password" autoComplete="current-password" required />
        </label>
        {signingIn.error !== null && (
          <Failure error={isRefused ? new Error(t("Account or password is wrong.")) : signingIn.error} />
        )}
        <button type="submit" className="main" disabled={signingIn.isPending}>
          {t("Sign in")}
        </button>
      </form>
    </main>
  );
}
