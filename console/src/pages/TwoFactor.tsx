import { Button } from "@mantine/core";
import { taken } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Enrolment } from "../Enrolment.tsx";
import { Loaded } from "../parts.tsx";
import { keepSession, slipway, useSession } from "../session.ts";
import { signOut } from "../signOut.ts";
import { useWords } from "../words.tsx";

/** The page for a user who has to enrol a second factor before anything else. */
export default function TwoFactor() {
  const { t } = useWords();
  const navigate = useNavigate();
  const session = useSession();
  const { from } = useSearch({ from: "/two-factor" });
  const uid = session?.uid ?? "";
  const isToEnrol = session?.mustEnrol === true;
  useEffect(() => {
    if (!isToEnrol) void navigate({ href: from ?? "/", replace: true });
  }, [isToEnrol, from, navigate]);
  const factor = useQuery({
    queryKey: ["second factor of a sign-in", uid],
    queryFn: () => taken(slipway().GET("/openapi/users/{uid}/mfa", { params: { path: { uid } } })),
    enabled: isToEnrol,
    refetchOnWindowFocus: false,
  });
  const goOn = (): void => {
    if (session === undefined) return;
    const { mustEnrol: _, ...free } = session;
    keepSession(free);
  };
  return (
    <main className="sign-in">
      <h1>{t("A second factor is needed")}</h1>
      <Loaded from={factor}>
        {({ enabled }) =>
          enabled ? (
            <>
              <p>{t("You have enrolled one since. Sign in again with a code.")}</p>
              <Button type="button" variant="filled" onClick={() => void signOut()}>
                {t("Sign in again")}
              </Button>
            </>
          ) : (
            <>
              <p>{t("This system demands one of you. Set it up to go on.")}</p>
              <Enrolment uid={uid} isReplacing={false} onDone={goOn} />
              <Button type="button" onClick={() => void signOut()}>
                {t("Sign out")}
              </Button>
            </>
          )
        }
      </Loaded>
    </main>
  );
}
