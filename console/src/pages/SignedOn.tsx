import { taken } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { Failure } from "../parts.tsx";
import { asVisitor, keepSession, sessionOf, takeWayBack, visitor } from "../session.ts";
import { useWords } from "../words.tsx";

/** Where the identity provider sends browsers back to: finishes the sign-in, and goes on to the page that was wanted. */
export default function SignedOn() {
  const { t } = useWords();
  const navigate = useNavigate();
  // The router would read a code of digits as a number.
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const { data, error } = useQuery({
    queryKey: ["signed-on", query.code],
    queryFn: () => taken(visitor().GET("/api/v1/sso/callback", { params: { query } })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    ...asVisitor,
  });
  useEffect(() => {
    if (data === undefined) return;
    keepSession(sessionOf(data));
    void navigate({ href: takeWayBack(), replace: true });
  }, [data, navigate]);
  return (
    <main className="sign-in">
      <h1>Slipway</h1>
      {error === null ? <p>{t("Signing in…")}</p> : <Failure error={error} />}
      {error !== null && <Link to="/sign-in">{t("Sign in again")}</Link>}
    </main>
  );
}
