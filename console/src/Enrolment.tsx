import { Button, TextInput } from "@mantine/core";
import { taken } from "@slipway/client";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Failure } from "./parts.tsx";
import { QrCode } from "./QrCode.tsx";
import { queries } from "./queries.ts";
import { slipway } from "./session.ts";
import { useWords } from "./words.tsx";

const fieldOf = (event: FormEvent<HTMLFormElement>, name: string): string => {
  event.preventDefault();
  return String(new FormData(event.currentTarget).get(name) ?? "");
};

/** What shows whether a user has a second factor. */
export const secondFactorKey = (uid: string) => ["second factor", uid];

/**
 * Enrols an authenticator app step by step: password, or a code of the one before; QR code; recovery codes.
 * @param isReplacing whether there is one already @param onDone called when the recovery codes are kept
 */
export function Enrolment({ uid, isReplacing, onDone }: { uid: string; isReplacing: boolean; onDone(): void }) {
  const { t } = useWords();
  const params = { path: { uid } };
  const beginning = useMutation({
    mutationFn: (body: { password?: string; mfa_code?: string }) =>
      taken(slipway().POST("/openapi/users/{uid}/mfa", { params, body })),
  });
  const confirming = useMutation({
    mutationFn: (mfa_code: string) =>
      taken(slipway().POST("/openapi/users/{uid}/mfa/confirm", { params, body: { mfa_code } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: secondFactorKey(uid) }),
  });
  if (confirming.data !== undefined) return <RecoveryCodes codes={confirming.data.recovery_codes} onDone={onDone} />;
  if (beginning.data === undefined)
    return (
      <form
        onSubmit={(event) =>
          beginning.mutate(
            isReplacing ? { mfa_code: fieldOf(event, "code") } : { password: fieldOf(event, "password") },
          )
        }
      >
        {isReplacing ? (
          <TextInput
            label={t("Code of your authenticator app, or a recovery code")}
            name="code"
            autoComplete="one-time-code"
            maxLength={64}
            required
          />
        ) : (
          <TextInput label={t("Password")} name="password" type="password" autoComplete="current-password" required />
        )}
        {beginning.error !== null && <Failure error={beginning.error} />}
        <Button type="submit" variant="filled" disabled={beginning.isPending}>
          {t("Set it up")}
        </Button>
      </form>
    );
  const { secret, uri } = beginning.data;
  return (
    <form onSubmit={(event) => confirming.mutate(fieldOf(event, "code"))}>
      <p>{t("Scan this with an authenticator app, or type the secret there.")}</p>
      <QrCode text={uri} label={t("QR code for an authenticator app")} />
      <p>
        {t("Secret")} <code className="secret">{secret}</code>
      </p>
      <TextInput
        label={t("Code that the app shows")}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={64}
        required
      />
      {confirming.error !== null && <Failure error={confirming.error} />}
      <Button type="submit" variant="filled" disabled={confirming.isPending}>
        {t("Confirm")}
      </Button>
    </form>
  );
}

/** Shows recovery codes this once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const { t } = useWords();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(codes.join("\n"));
    setCopied(true);
  };
  return (
    <div role="status">
      <p>
        {t(
          "Keep these recovery codes where you find them without the device. Each is good once; they are not shown again.",
        )}
      </p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code className="secret">{code}</code>
          </li>
        ))}
      </ul>
      <div className="actions">
        <Button type="button" onClick={() => void copy()}>
          {isCopied ? t("Copied") : t("Copy")}
        </Button>
        <Button type="button" variant="filled" onClick={onDone}>
          {t("I have kept them")}
        </Button>
      </div>
    </div>
  );
}
