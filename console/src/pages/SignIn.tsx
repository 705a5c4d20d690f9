import { SlipwayError, taken } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { Failure } from "../parts.tsx";
import { keepSession, keepWayBack, signedOnAddress, slipway } from "../session.ts";
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
  const provider = useQuery({
    queryKey: ["login-enabled"],
    queryFn: () => taken(slipway().GET("/api/v1/login-enabled")),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const signingOn = useMutation({
    mutationFn: async () => {
      const { authorization_url } = await taken(slipway().GET("/api/v1/sso/login"));
      const sentBackTo = new URL(authorization_url).searchParams.get("redirect_uri");
      if (sentBackTo !== signedOnAddress)
        throw new Error(
          t("The identity provider would send you to {place}; SLIPWAY_OIDC_REDIRECT_URI has to be {wanted}.", {
            place: sentBackTo ?? "",
            wanted: signedOnAddress,
          }),
        );
      keepWayBack(from ?? "/");
      location.assign(authorization_url);
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
      {provider.data?.enabled === true && (
        <>
          <button type="button" disabled={signingOn.isPending} onClick={() => signingOn.mutate()}>
            {t("Sign in with your identity provider")}
          </button>
          {signingOn.error !== null && <Failure error={signingOn.error} />}
        </>
      )}
    </main>
  );
}
