import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { CheckResult, marksOfWarnings, Warnings } from "../editor/CheckResult.tsx";
import { Editor } from "../editor/Editor.tsx";
import { marksOfRefusal } from "../editor/marks.ts";
import { useChecked } from "../editor/useChecked.ts";
import { useUnsaved } from "../editor/useUnsaved.ts";
import { Failure, Loaded, When } from "../parts.tsx";
import { queries } from "../queries.ts";
import {
  type Definition,
  type ServiceDetail,
  saveDefaults,
  saveService,
  serviceQuery,
  type Variable,
} from "../serviceQueries.ts";
import { textOf, typedValue, VariableValue } from "../VariableValue.tsx";
import { useWords } from "../words.tsx";
import { Revisions } from "./Revisions.tsx";

/** One service: its YAML, the defaults of its variables, and its revisions. */
export function ServiceDefinition({ of, mayEdit }: { of: Definition; mayEdit: boolean }) {
  const { t } = useWords();
  const [draft, setDraft] = useState<string>();
  return (
    <section className="details" aria-label={t("Details of {name}", { name: of.service })}>
      <h2>{of.service}</h2>
      <Loaded from={useQuery(serviceQuery(of))}>
        {(service) => {
          const mayType = mayEdit && service.type === "k8s";
          const { service_variable_kvs: variables, template_name: template } = service;
          return (
            <>
              <p className="quiet">
                <When who={service.created_by} seconds={service.created_time} />
                {template !== "" && <span className="tag">{t("from template {name}", { name: template })}</span>}
                {service.strict && <span className="tag">{t("strict: nothing is taken with a warning")}</span>}
              </p>
              {service.chart !== undefined && (
                <p>{t("It is the chart {name} {version}; these are its values.", service.chart)}</p>
              )}
              <Manifest of={of} service={service} mayType={mayType} draft={draft} onDraft={setDraft} />
              {variables.length > 0 && (
                <>
                  <h3>{t("Variables")}</h3>
                  <Defaults key={JSON.stringify(variables)} of={of} variables={variables} mayChange={mayType} />
                </>
              )}
              <h3>{t("Revisions")}</h3>
              <Revisions of={of} {...(mayType && { onTake: setDraft })} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function Manifest(props: {
  of: Definition;
  service: ServiceDetail;
  mayType: boolean;
  /** What was typed and is not saved. */
  draft: string | undefined;
  onDraft(text: string | undefined): void;
}) {
  const { t } = useWords();
  const { of, service, mayType, draft, onDraft } = props;
  const text = draft ?? service.yaml;
  const isChanged = text !== service.yaml;
  useUnsaved(isChanged);
  const check = isChanged ? (sent: string) => saveService(of, sent, true) : undefined;
  const checked = useChecked(["service", of], text, check);
  const { data, error } = checked;
  const warnings = isChanged ? data?.warnings : service.warnings;
  const marks = useMemo(() => [...marksOfRefusal(error), ...marksOfWarnings(warnings)], [error, warnings]);
  const saving = useMutation({
    mutationFn: () => saveService(of, text, false),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onDraft(undefined);
    },
  });
  return (
    <>
      <Editor
        label={t("YAML of {name}", { name: of.service })}
        text={text}
        marks={marks}
        isReadOnly={!mayType}
        onChange={onDraft}
      />
      {isChanged ? <CheckResult checked={checked} /> : <Warnings warnings={warnings} />}
      {saving.error !== null && <Failure error={saving.error} />}
      {mayType && (
        <div className="actions">
          <Button
            type="button"
            variant="filled"
            disabled={!checked.isCurrent || data === undefined || saving.isPending}
            onClick={() => saving.mutate()}
          >
            {t("Save as a new revision")}
          </Button>
          {isChanged && (
            <Button type="button" onClick={() => onDraft(undefined)}>
              {t("Discard")}
            </Button>
          )}
          {saving.isSuccess && !isChanged && (
            <p role="status">{t("Saved. Environments have it when their service is updated.")}</p>
          )}
        </div>
      )}
    </>
  );
}

function Defaults({ of, variables, mayChange }: { of: Definition; variables: Variable[]; mayChange: boolean }) {
  const { t } = useWords();
  const [texts, setTexts] = useState(() => variables.map(({ value }) => textOf(value)));
  const given = variables.map((variable, at) => ({ ...variable, value: typedValue(texts[at] ?? "", variable) }));
  const saving = useMutation({
    mutationFn: () => saveDefaults(of, given),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <ul className="rows" aria-label={t("Variables")}>
        {variables.map((variable, at) => (
          <li key={variable.key}>
            <span className="name">{variable.key}</span>
            {mayChange ? (
              <VariableValue
                name={variable.key}
                variable={variable}
                text={texts[at] ?? ""}
                onChange={(text) => setTexts(texts.with(at, text))}
              />
            ) : (
              <code>{texts[at]}</code>
            )}
            {variable.desc !== "" && <span className="quiet">{variable.desc}</span>}
          </li>
        ))}
      </ul>
      {saving.error !== null && <Failure error={saving.error} />}
      {mayChange && (
        <Button
          type="submit"
          disabled={saving.isPending || variables.every(({ value }, at) => textOf(value) === texts[at])}
        >
          {t("Save the defaults")}
        </Button>
      )}
    </form>
  );
}
