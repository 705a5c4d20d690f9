import { Button, Input, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import {
  environmentQuery,
  saveSchedule,
  saveVariables,
  scheduleQuery,
  sleepOrWake,
  type Variable,
  variablesQuery,
  type Schedule as WholeSchedule,
} from "../environmentQueries.ts";
import { Loaded } from "../parts.tsx";
import { type Place, useMay } from "../queries.ts";
import { textOf, typedValue, VariableValue } from "../VariableValue.tsx";
import { useWords } from "../words.tsx";
import { Configs } from "./Configs.tsx";
import { Confirmed } from "./Confirmed.tsx";
import { SettingsForm } from "./SettingsForm.tsx";

const here = "/shell/v1/projects/detail/$project/envs/settings";

/** What an environment is set to: when it sleeps, its global variables and its configuration objects. */
export default function EnvironmentSettings() {
  const { t } = useWords();
  const { project } = useParams({ from: here });
  const { envName, production = false } = useSearch({ from: here });
  const place: Place = { project, env: envName, production };
  const mayManage = useMay(place, [production ? "edit_production_environment" : "manage_environment"]);
  const mayConfigure = useMay(place, [production ? "config_production_environment" : "config_environment"]);
  return (
    <>
      <h1>{t("Settings of {name}", { name: envName })}</h1>
      <h2>{t("Sleep")}</h2>
      {mayManage && <SleepNow place={place} />}
      <Loaded from={useQuery(scheduleQuery(place))}>
        {(schedule) => <Schedule place={place} schedule={schedule} mayChange={mayManage} />}
      </Loaded>
      <h2>{t("Global variables")}</h2>
      <Loaded from={useQuery(variablesQuery(place))}>
        {(variables) => (
          <Variables key={JSON.stringify(variables)} place={place} variables={variables} mayChange={mayConfigure} />
        )}
      </Loaded>
      <h2>{t("Configuration objects")}</h2>
      <Configs place={place} mayChange={mayConfigure} />
    </>
  );
}

function SleepNow({ place }: { place: Place }) {
  const { t } = useWords();
  const { data } = useQuery(environmentQuery(place));
  const [isAsking, setAsking] = useState(false);
  if (data === undefined) return null;
  const isSleep = data.stored_status !== "sleeping" && data.status !== "sleeping";
  const words = isSleep ? t("Put to sleep now") : t("Wake now");
  return (
    <p>
      <Button type="button" onClick={() => setAsking(true)}>
        {words}
      </Button>
      {isAsking && (
        <Confirmed
          name={place.env}
          title={`${words}: ${place.env}`}
          action={words}
          run={(isPreview) => sleepOrWake(place, isSleep, isPreview)}
          onClose={() => setAsking(false)}
        />
      )}
    </p>
  );
}

function Schedule({ place, schedule, mayChange }: { place: Place; schedule: WholeSchedule; mayChange: boolean }) {
  const { t } = useWords();
  const save = (given: FormData) => {
    const text = (name: string): string => String(given.get(name) ?? "").trim();
    return saveSchedule(place, {
      ...{ sleep_cron: text("sleep_cron"), awake_cron: text("awake_cron"), time_zone: text("time_zone") },
      enabled: given.has("enabled"),
    });
  };
  const { sleep_cron, awake_cron, time_zone, enabled } = schedule;
  if (!mayChange)
    return (
      <p className="quiet">
        {enabled
          ? t("Sleeps at {sleep}, wakes at {wake}, {zone}", { sleep: sleep_cron, wake: awake_cron, zone: time_zone })
          : t("It does not sleep by itself.")}
      </p>
    );
  return (
    <SettingsForm action={t("Save the schedule")} save={save}>
      <label className="check">
        <input type="checkbox" name="enabled" defaultChecked={enabled} /> {t("Sleeps and wakes by itself")}
      </label>
      <TextInput
        label={t("Falls asleep, as a cron expression such as 0 20 * * 1-5")}
        name="sleep_cron"
        defaultValue={sleep_cron}
        maxLength={256}
        autoComplete="off"
      />
      <TextInput
        label={t("Wakes, as a cron expression such as 0 7 * * 1-5")}
        name="awake_cron"
        defaultValue={awake_cron}
        maxLength={256}
        autoComplete="off"
      />
      <TextInput label={t("Time zone")} name="time_zone" defaultValue={time_zone} required autoComplete="off" />
    </SettingsForm>
  );
}

interface Row {
  key: string;
  text: string;
  before?: Variable;
}

function Variables({ place, variables, mayChange }: { place: Place; variables: Variable[]; mayChange: boolean }) {
  const { t } = useWords();
  const [rows, setRows] = useState<Row[]>(() =>
    variables.map((before) => ({ key: before.key, text: textOf(before.value), before })),
  );
  const [isAsking, setAsking] = useState(false);
  if (!mayChange)
    return (
      <ul className="rows" aria-label={t("Global variables")}>
        {variables.map(({ key, value }) => (
          <li key={key}>
            <span className="name">{key}</span> <code>{textOf(value)}</code>
          </li>
        ))}
      </ul>
    );
  const change = (at: number, row: Partial<Row>): void =>
    setRows(rows.map((one, position) => (position === at ? { ...one, ...row } : one)));
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setAsking(true);
        }}
      >
        {variables.length === 0 && rows.length === 0 && <p className="quiet">{t("It has no variables.")}</p>}
        <ul className="rows" aria-label={t("Global variables")}>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a new row has no other name while its key is typed
            <li key={at}>
              {row.before === undefined ? (
                <Input
                  aria-label={t("Key of variable {number}", { number: at + 1 })}
                  required
                  maxLength={256}
                  value={row.key}
                  onChange={({ target }) => change(at, { key: target.value })}
                />
              ) : (
                <span className="name">{row.key}</span>
              )}
              <VariableValue
                name={row.key}
                variable={row.before}
                text={row.text}
                onChange={(text) => change(at, { text })}
              />
              {row.before?.desc && <span className="quiet">{row.before.desc}</span>}
              <Button
                type="button"
                aria-label={t("Remove {name}", { name: row.key })}
                onClick={() => setRows(rows.filter((_, position) => position !== at))}
              >
                {t("Remove")}
              </Button>
            </li>
          ))}
        </ul>
        <div className="actions">
          <Button type="button" onClick={() => setRows([...rows, { key: "", text: "" }])}>
            {t("Add a variable")}
          </Button>
          <Button type="submit" variant="filled">
            {t("Save the variables")}
          </Button>
        </div>
      </form>
      {isAsking && (
        <Confirmed
          name={place.env}
          title={t("Change the variables of {name}", { name: place.env })}
          action={t("Change")}
          run={(isPreview) =>
            saveVariables(
              place,
              rows.map((row) => ({
                ...{ key: row.key.trim(), value: typedValue(row.text, row.before) },
                related_services: row.before?.related_services ?? [],
              })),
              isPreview,
            )
          }
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
