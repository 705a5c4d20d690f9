import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type SecuritySettings, saveSecurity, securityQuery } from "../adminQueries.ts";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { OnlyAdministrators } from "./OnlyAdministrators.tsx";
import { OneOf, SettingsForm } from "./SettingsForm.tsx";

/** How long a sign-in lives, and who needs a second factor for one. */
export default function Security() {
  const { t } = useWords();
  return (
    <>
      <h1>{t("Signing in")}</h1>
      <p className="quiet">{t("Changes apply from the next sign-in. People who are signed in stay signed in.")}</p>
      <OnlyAdministrators>
        <Form />
      </OnlyAdministrators>
    </>
  );
}

function Form() {
  return <Loaded from={useQuery(securityQuery)}>{(settings) => <Settings settings={settings} />}</Loaded>;
}

/** A field that the user has not touched shows what is stored, also when that changes. */
function Settings({ settings }: { settings: SecuritySettings }) {
  const { t } = useWords();
  const [typed, setTyped] = useState<{ hours?: string; who?: SecuritySettings["mfa_required_for"] }>({});
  const { hours = String(settings.token_expiration_time), who = settings.mfa_required_for } = typed;
  return (
    <SettingsForm
      action={t("Save")}
      save={() =>
        saveSecurity({
          token_expiration_time: Number(hours),
          mfa_required_for: who,
          improvement_plan: settings.improvement_plan,
        })
      }
    >
      <TextInput
        label={t("Hours until a sign-in ends")}
        type="number"
        min={1}
        max={8640}
        required
        value={hours}
        onChange={({ target }) => setTyped({ ...typed, hours: target.value })}
      />
      <OneOf
        name="who"
        legend={t("Who needs a second factor")}
        value={who}
        options={[
          ["nobody", t("Nobody: each decides for themselves")],
          ["administrators", t("Administrators of the installation")],
          ["everybody", t("Everybody")],
        ]}
        onChange={(chosen) => setTyped({ ...typed, who: chosen })}
      />
      <p className="quiet">
        {t(
          "People without one have to set it up at their next sign-in before they can do anything else. API tokens and sign-ins by an identity provider need no code.",
        )}
      </p>
    </SettingsForm>
  );
}
