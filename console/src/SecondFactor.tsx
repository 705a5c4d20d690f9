import { Button, TextInput } from "@mantine/core";
import { taken } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Enrolment, RecoveryCodes, secondFactorKey } from "./Enrolment.tsx";
import { Failure, Loaded } from "./parts.tsx";
import { queries } from "./queries.ts";
import { slipway } from "./session.ts";
import { useWords } from "./words.tsx";

type Step = "enrol" | "codes" | "off";

/** The second factor of the signed-in user: enrolled, replaced, given other recovery codes, switched off. */
export function SecondFactor({ uid }: { uid: string }) {
  const { t } = useWords();
  const [step, setStep] = useState<Step>();
  const factor = useQuery({
    queryKey: secondFactorKey(uid),
    queryFn: () => taken(slipway().GET("/openapi/users/{uid}/mfa", { params: { path: { uid } } })),
  });
  const done = (): void => {
    setStep(undefined);
    void queries.invalidateQueries({ queryKey: secondFactorKey(uid) });
  };
  const button = (to: Step, label: string) => (
    <Button type="button" aria-expanded={step === to} onClick={() => setStep(step === to ? undefined : to)}>
      {label}
    </Button>
  );
  return (
    <section className="details">
      <h2>{t("Two-factor sign-in")}</h2>
      <Loaded from={factor}>
        {({ enabled, recovery_codes_left }) => (
          <>
            <p>
              {enabled
                ? t("On: signing in asks for a code of your authenticator app. Recovery codes left: {count}.", {
                    count: recovery_codes_left,
                  })
                : t("Off: signing in asks for the password alone.")}
            </p>
            <div className="actions">
              {button("enrol", enabled ? t("Another app") : t("Switch on"))}
              {enabled && button("codes", t("New recovery codes"))}
              {enabled && button("off", t("Switch off"))}
            </div>
            {step === "enrol" && <Enrolment uid={uid} isReplacing={enabled} onDone={done} />}
            {(step === "codes" || step === "off") && <ByPassword key={step} uid={uid} step={step} onDone={done} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Makes other recovery codes or switches the second factor off, by the password. */
function ByPassword({ uid, step, onDone }: { uid: string; step: "codes" | "off"; onDone(): void }) {
  const { t } = useWords();
  const params = { path: { uid } };
  const doing = useMutation({
    mutationFn: async (password: string): Promise<string[]> => {
      const body = { password };
      if (step === "codes")
        return (await taken(slipway().POST("/openapi/users/{uid}/mfa/recovery-codes", { params, body })))
          .recovery_codes;
      await taken(slipway().POST("/openapi/users/{uid}/mfa/disable", { params, body }));
      return [];
    },
    onSuccess: () => {
      if (step === "off") onDone();
    },
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    doing.mutate(String(new FormData(event.currentTarget).get("password")));
  };
  if (step === "codes" && doing.data !== undefined) return <RecoveryCodes codes={doing.data} onDone={onDone} />;
  return (
    <form onSubmit={send}>
      <TextInput label={t("Password")} name="password" type="password" autoComplete="current-password" required />
      {doing.error !== null && <Failure error={doing.error} />}
      <Button type="submit" variant="filled" disabled={doing.isPending}>
        {step === "codes" ? t("Make new codes") : t("Switch it off")}
      </Button>
    </form>
  );
}
