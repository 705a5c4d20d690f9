import { Button } from "@mantine/core";
import { taken } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Failure } from "../parts.tsx";
import { providerQuery } from "../SignInAgain.tsx";
import { SignInForm } from "../SignInForm.tsx";
import { asVisitor, keepWayBack, signedOnAddress, useSession, visitor } from "../session.ts";
import { useWords } from "../words.tsx";

export default function SignIn() {
  const { t } = useWords();
  const navigate = useNavigate();
  const { from } = useSearch({ from: "/sign-in" });
  const session = useSession();
  const isSignedIn = session !== undefined && session.hasEnded !== true;
  // In this tab or in another one.
  useEffect(() => {
    if (isSignedIn) void navigate({ href: from ?? "/", replace: true });
  }, [isSignedIn, from, navigate]);
  const provider = useQuery(providerQuery);
  const signingOn = useMutation({
    ...asVisitor,
    mutationFn: async () => {
      const { authorization_url } = await taken(visitor().GET("/api/v1/sso/login"));
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
  return (
    <main className="sign-in">
      <h1>Slipway</h1>
      <SignInForm />
      {provider.data?.enabled === true && (
        <>
          <Button type="button" disabled={signingOn.isPending} onClick={() => signingOn.mutate()}>
            {t("Sign in with your identity provider")}
          </Button>
          {signingOn.error !== null && <Failure error={signingOn.error} />}
        </>
      )}
    </main>
  );
}
