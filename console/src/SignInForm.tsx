import { Button, TextInput } from "@mantine/core";
import { SlipwayError, taken } from "@slipway/client";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Failure } from "./parts.tsx";
import { asVisitor, keepSession, sessionOf, visitor } from "./session.ts";
import { useWords } from "./words.tsx";

/** Signs in by account and password, and by a code where one is asked for. @param account who did last */
export function SignInForm({ account = "" }: { account?: string }) {
  const { t } = useWords();
  const signingIn = useMutation({
    ...asVisitor,
    mutationFn: async (body: { account: string; password: string; mfa_code: string }) =>
      taken(visitor().POST("/api/v1/login", { body })),
    onSuccess: (answer) => keepSession(sessionOf(answer)),
  });
  const { error } = signingIn;
  const needsCode = error instanceof SlipwayError && error.needsCode;
  const isWrong = error instanceof SlipwayError && error.status === 401;
  // The first refusal asks for a code, and a later one says that it was wrong.
  const wasGiven = signingIn.variables?.mfa_code !== "";
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string): string => String(given.get(name) ?? "");
    signingIn.mutate({ account: text("account"), password: text("password"), mfa_code: text("code") });
  };
  const shown = isWrong
    ? new Error(t(needsCode ? "The code is wrong, or was used already." : "Account or password is wrong."))
    : error;
  return (
    <form onSubmit={send}>
      <TextInput label={t("Account")} name="account" autoComplete="username" defaultValue={account} required />
      <TextInput label={t("Password")} name="password" type="password" autoComplete="current-password" required />
      {(needsCode || (signingIn.isPending && wasGiven)) && (
        <TextInput
          label={t("Code of your authenticator app, or a recovery code")}
          name="code"
          autoComplete="one-time-code"
          maxLength={64}
          required
          ref={(input) => input?.focus()}
        />
      )}
      {shown !== null && (!needsCode || wasGiven) && <Failure error={shown} />}
      <Button type="submit" variant="filled" disabled={signingIn.isPending}>
        {t("Sign in")}
      </Button>
    </form>
  );
}
