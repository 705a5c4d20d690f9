import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type ConfigItem,
  type ConfigType,
  configQuery,
  configsQuery,
  deleteConfig,
  saveConfig,
} from "../environmentQueries.ts";
import { Loaded, When } from "../parts.tsx";
import type { Place } from "../queries.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";

const types: readonly ConfigType[] = ["ConfigMap", "Secret", "Ingress", "PVC"];

const nameOf = ({ common_env_cfg_type, name }: ConfigItem): string => `${common_env_cfg_type} ${name}`;

/** ConfigMaps, Secrets, Ingresses and volume claims of an environment; one opens at a time. */
export function Configs({ place, mayChange }: { place: Place; mayChange: boolean }) {
  const { t } = useWords();
  const [chosen, setChosen] = useState<string>();
  const [isMaking, setMaking] = useState(false);
  const [deleted, setDeleted] = useState<ConfigItem>();
  return (
    <>
      <Loaded from={useQuery(configsQuery(place))}>
        {(all) =>
          all.length === 0 ? (
            <p className="quiet">{t("It has no configuration objects.")}</p>
          ) : (
            <ul className="rows" aria-label={t("Configuration objects")}>
              {all.map((one) => (
                <li key={nameOf(one)}>
                  <span className="name">{one.name}</span>
                  <span className="quiet">
                    {one.common_env_cfg_type}{" "}
                    {one.update_by !== undefined && <When who={one.update_by} seconds={one.update_time ?? 0} />}
                  </span>
                  <div className="actions">
                    <Button
                      type="button"
                      aria-label={t("Show {name}", { name: nameOf(one) })}
                      aria-expanded={chosen === nameOf(one)}
                      onClick={() => setChosen(chosen === nameOf(one) ? undefined : nameOf(one))}
                    >
                      {t("Show")}
                    </Button>
                    {mayChange && (
                      <Button
                        type="button"
                        aria-label={t("Delete {name}", { name: nameOf(one) })}
                        onClick={() => setDeleted(one)}
                      >
                        {t("Delete")}
                      </Button>
                    )}
                  </div>
                  {chosen === nameOf(one) && <Config place={place} of={one} mayChange={mayChange} />}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayChange && (
        <Button type="button" aria-expanded={isMaking} onClick={() => setMaking(!isMaking)}>
          {t("New object")}
        </Button>
      )}
      {isMaking && <NewConfig place={place} onDone={() => setMaking(false)} />}
      {deleted !== undefined && (
        <Confirmed
          name={deleted.name}
          title={t("Delete {name}", { name: nameOf(deleted) })}
          action={t("Delete")}
          run={(isPreview) => deleteConfig(place, deleted.common_env_cfg_type, deleted.name, isPreview)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function Config({ place, of, mayChange }: { place: Place; of: ConfigItem; mayChange: boolean }) {
  const { common_env_cfg_type: type, name } = of;
  return (
    <Loaded from={useQuery(configQuery(place, type, name))}>
      {(yaml) => <YamlForm key={yaml} place={place} type={type} name={name} yaml={yaml} mayChange={mayChange} />}
    </Loaded>
  );
}

function NewConfig({ place, onDone }: { place: Place; onDone(): void }) {
  const { t } = useWords();
  const [type, setType] = useState<ConfigType>("ConfigMap");
  const [name, setName] = useState("");
  return (
    <div className="details">
      <NativeSelect
        label={t("Kind")}
        value={type}
        onChange={({ target }) => setType(types.find((one) => one === target.value) ?? "ConfigMap")}
      >
        {types.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </NativeSelect>
      <TextInput
        label={t("Name")}
        value={name}
        maxLength={253}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <YamlForm place={place} type={type} name={name.trim()} mayChange onDone={onDone} />
    </div>
  );
}

/** @param props.yaml of an object that is there; without it one is made */
function YamlForm(props: {
  place: Place;
  type: ConfigType;
  name: string;
  yaml?: string;
  mayChange: boolean;
  onDone?(): void;
}) {
  const { t } = useWords();
  const { place, type, name, yaml: before, mayChange } = props;
  const [yaml, setYaml] = useState(before ?? "");
  const [isAsking, setAsking] = useState(false);
  const isNew = before === undefined;
  return (
    <>
      <form
        className="log"
        onSubmit={(event) => {
          event.preventDefault();
          setAsking(true);
        }}
      >
        <Textarea
          classNames={{ input: "yaml" }}
          aria-label={t("YAML of {name}", { name: `${type} ${name}` })}
          rows={Math.min(30, Math.max(8, yaml.split("\n").length))}
          required
          readOnly={!mayChange}
          spellCheck={false}
          value={yaml}
          onChange={({ target }) => setYaml(target.value)}
        />
        {mayChange && (
          <Button type="submit" variant="filled" disabled={yaml === before || name === ""}>
            {isNew ? t("Create") : t("Save and restart what refers to it")}
          </Button>
        )}
      </form>
      {isAsking && (
        <Confirmed
          name={name}
          title={isNew ? t("Create {name}", { name }) : t("Change {name}", { name })}
          action={isNew ? t("Create") : t("Change")}
          run={(isPreview) => saveConfig(place, { type, name, yaml, isNew }, isPreview)}
          {...(props.onDone && { onDone: props.onDone })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
