import { Button } from "@mantine/core";
import { taken } from "@slipway/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import { SignInForm } from "./SignInForm.tsx";
import { address, asVisitor, keepSession, visitor } from "./session.ts";
import { useWords } from "./words.tsx";

export const providerQuery = queryOptions({
  queryKey: ["login-enabled"],
  queryFn: () => taken(visitor().GET("/api/v1/login-enabled")),
  staleTime: Number.POSITIVE_INFINITY,
  ...asVisitor,
});

/** Says over the page that the login has ended, and lets the person go on in place. @param account whose it was */
export function SignInAgain({ account }: { account: string }) {
  const { t } = useWords();
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const provider = useQuery(providerQuery);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLInputElement>("input[type=password]")?.focus();
  }, []);
  return (
    <dialog ref={dialog} className="sign-in" aria-labelledby={titleId} onCancel={(event) => event.preventDefault()}>
      <h2 id={titleId}>{t("Your sign-in has ended")}</h2>
      <p>{t("The page and what you typed are as you left them. Sign in again to go on.")}</p>
      <SignInForm account={account} />
      {provider.data?.enabled === true && (
        <p>
          <a href={`${address}/console/sign-in`} target="_blank" rel="noreferrer">
            {t("Sign in with your identity provider in another tab")}
          </a>
        </p>
      )}
      <Button type="button" onClick={() => keepSession(undefined)}>
        {t("Leave the page")}
      </Button>
    </dialog>
  );
}
