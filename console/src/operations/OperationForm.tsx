import { Button, TextInput } from "@mantine/core";
import type { components } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { FollowedLog } from "../FollowedLog.tsx";
import { note } from "../notices.ts";
import { Preview } from "../pages/Confirmed.tsx";
import { Failure, Loaded } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";
import { AnswerView } from "./AnswerView.tsx";
import { type ApiDocument, type Operation, type Parameter, plain, type Schema } from "./apiDocument.ts";
import { filled, newNames } from "./choices.ts";
import { ask } from "./queries.ts";
import { Form, SchemaField } from "./SchemaField.tsx";

type Values = Readonly<Record<string, string>>;
type Body = Readonly<Record<string, unknown>>;

/** What an operation answered: JSON, a text, or a file. */
export type Answer = { json: unknown } | { text: string };

interface Props {
  document: ApiDocument;
  operation: Operation;
  /** What the page knows already, by the names of parameters. */
  given?: Values;
  /** Called when it is done, with what was answered. */
  onDone?(answer: Answer): void;
}

/** A form for any operation: its parameters, its body, what it would change where it can say so, and its answer. */
export function OperationForm(props: Props) {
  const { document, operation } = props;
  const [values, setValues] = useState<Values>(() => known(operation, props.given ?? {}));
  const before = currentOf(document, operation);
  const isComplete = pathNames(operation).every((name) => values[name] !== undefined);
  const current = useQuery({
    queryKey: ["current", operation.id, values],
    queryFn: async () => (await ask("GET", operation.path, placed(before ?? operation, values))).data ?? null,
    enabled: before !== undefined && isComplete,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const set = (name: string, value: unknown): void => setValues((all) => changed(all, name, value));
  return (
    <Form value={{ document, operation, given: values }}>
      <Parameters operation={operation} values={values} set={set} />
      {before !== undefined && isComplete && current.error === null ? (
        <Loaded from={current}>
          {(record) => (
            <Sent
              {...props}
              key={JSON.stringify(values)}
              values={values}
              start={startOf(document, operation, record)}
            />
          )}
        </Loaded>
      ) : (
        <Sent {...props} values={values} start={initialBody(document, operation, { ...props.given, ...values })} />
      )}
    </Form>
  );
}

/** Most operations need their project, whose parameter has two spellings of which one is enough. */
const isNeeded = ({ name, required }: Parameter): boolean => required === true || /^project(Key|Name)$/.test(name);

const pathNames = ({ parameters }: Operation): string[] =>
  parameters.filter(({ in: place }) => place === "path").map(({ name }) => name);

const known = ({ parameters }: Operation, given: Values): Values =>
  Object.fromEntries(parameters.flatMap(({ name }) => (given[name] === undefined ? [] : [[name, given[name]]])));

function changed(all: Values, name: string, value: unknown): Values {
  const { [name]: _, ...others } = all;
  return value === undefined ? others : { ...others, [name]: String(value) };
}

/** The operation that reads what this one replaces: its form begins with what is there. */
function currentOf({ operations }: ApiDocument, { method, path, body }: Operation): Operation | undefined {
  if ((method !== "PUT" && method !== "PATCH") || body === undefined) return undefined;
  return operations.find((one) => one.method === "GET" && one.path === path);
}

/** The fields of a record that the body of an operation has too. */
function startOf(document: ApiDocument, { body }: Operation, record: unknown): Body | undefined {
  const { properties = {} } = plain(document, body ?? {});
  if (typeof record !== "object" || record === null) return undefined;
  return Object.fromEntries(Object.entries(record).filter(([key, value]) => key in properties && value !== null));
}

/** Under which name a parameter says what a field of a body says. */
const sameAs: Readonly<Record<string, string>> = {
  ...{ project_key: "projectKey", project_name: "projectKey", project: "projectKey", env_key: "envName" },
  ...{ env_name: "envName", service_name: "serviceName", workflow_key: "workflowKey", workflow_name: "workflowKey" },
  ...{ manager: "manager", manager_identity_type: "manager_identity_type" },
};

/** What of a body the page knows already. */
function initialBody(document: ApiDocument, operation: Operation, given: Values): Body | undefined {
  const { properties = {} } = plain(document, operation.body ?? {});
  const all = Object.keys(properties).flatMap((name) => {
    const value = given[sameAs[name] ?? ""];
    return value === undefined || newNames.has(`${operation.id}.${name}`) ? [] : [[name, value]];
  });
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** Parameters by where they go. */
function placed({ parameters }: Operation, values: Values) {
  const of = (where: string) =>
    Object.fromEntries(
      parameters.flatMap(({ name, in: place }) =>
        place === where && values[name] !== undefined ? [[name, values[name]]] : [],
      ),
    );
  return { params: { path: of("path"), query: of("query") } };
}

function Parameters({
  operation,
  values,
  set,
}: {
  operation: Operation;
  values: Values;
  set(name: string, value: unknown): void;
}) {
  const { t } = useWords();
  const { parameters } = operation;
  const fields = (all: typeof parameters) =>
    all.map(({ name, in: place, required, description, schema }) => (
      <SchemaField
        key={name}
        name={name}
        place={place === "path" ? "path" : "query"}
        schema={{ ...schema, ...(description !== undefined && { description }) }}
        required={required === true}
        value={values[name]}
        onChange={(value) => set(name, value)}
      />
    ));
  const needed = parameters.filter(isNeeded);
  const others = parameters.filter((parameter) => !isNeeded(parameter));
  return (
    <div className="fields">
      {fields(needed)}
      {others.length > 0 && (
        <details>
          <summary>{t("{count} more fields", { count: others.length })}</summary>
          {fields(others)}
        </details>
      )}
    </div>
  );
}

/** What is sent, how, and what came of it. */
function Sent({ document, operation, values, start, onDone }: Props & { values: Values; start: Body | undefined }) {
  const { t } = useWords();
  const [body, setBody] = useState<unknown>(start);
  const [file, setFile] = useState<File>();
  const [typed, setTyped] = useState("");
  const [followed, setFollowed] = useState<string>();
  const { method, path, previewable, mediaType, reads } = operation;
  const send = async (isPreview: boolean): Promise<Answer> => {
    const { params } = placed(operation, values);
    const query = { ...params.query, ...(isPreview && { dryRun: "true" }) };
    const content = file === undefined ? jsonOf(operation, body) : fileOf(file);
    const { data } = await ask(method, path, { params: { path: params.path, query }, ...content, parseAs: "text" });
    return answerOf(String(data ?? ""), mediaType);
  };
  const preview = useMutation({ mutationFn: () => send(true) });
  const doing = useMutation({
    mutationFn: () => send(false),
    onSuccess: async (answer) => {
      if (!reads) note(t("Done: {what}", { what: operation.summary }));
      onDone?.(answer);
      if (!reads) await queries.invalidateQueries();
    },
  });
  const name = values[pathNames(operation).at(-1) ?? ""] ?? operation.id;
  const isDeletion = method === "DELETE";
  const isWhole = operation.parameters.every((one) => !isNeeded(one) || values[one.name] !== undefined);
  // A list whose parameters are all known is what its page is for.
  const [isAsked] = useState(method === "GET" && isWhole && mediaType.includes("json"));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form is there
  useEffect(() => {
    if (isAsked) doing.mutate();
  }, [isAsked]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    if (mediaType === "text/event-stream") setFollowed(logPath(operation, values));
    else if (!isDeletion || typed === name) doing.mutate();
  };
  return (
    <form className="fields" onSubmit={submit}>
      {operation.body !== undefined && (
        <SchemaField name="body" place="body" schema={operation.body} value={body} onChange={setBody} />
      )}
      {operation.takesFile && (
        <label>
          {t("File")}
          <input type="file" onChange={({ target }) => setFile(target.files?.[0])} />
        </label>
      )}
      {isDeletion && (
        <TextInput
          label={t("Type {name} to confirm", { name })}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <div className="actions">
        <Button
          type="submit"
          variant="filled"
          size="xs"
          loading={doing.isPending}
          disabled={isDeletion && typed !== name}
          {...(isDeletion && { className: "danger" })}
        >
          {reads ? t("Show") : isDeletion ? t("Delete") : t("Send")}
        </Button>
        {previewable && (
          <Button size="xs" loading={preview.isPending} onClick={() => preview.mutate()}>
            {t("Show what that would do")}
          </Button>
        )}
      </div>
      {preview.error !== null && <Failure error={preview.error} />}
      {preview.data !== undefined && doing.data === undefined && <WouldDo answer={preview.data} />}
      {doing.error !== null && <Failure error={doing.error} />}
      {doing.data !== undefined && <AnswerView {...{ document, operation, values }} answer={doing.data} />}
      {followed !== undefined && <FollowedLog name={operation.summary} path={followed} />}
    </form>
  );
}

/** A body of the shape that is asked for, also where nothing was typed. */
function jsonOf({ body: schema, needsBody }: Operation, body: unknown): object {
  if (schema === undefined || (body === undefined && !needsBody)) return {};
  return { body: body ?? (isList(schema) ? [] : {}) };
}

const isList = ({ type }: Schema): boolean => type === "array";

const fileOf = (file: File) => ({
  body: file,
  bodySerializer: (content: File) => content,
  headers: { "content-type": "application/gzip" },
});

function answerOf(text: string, mediaType: string): Answer {
  if (!mediaType.includes("json") || mediaType.includes("ndjson")) return { text };
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { text };
  }
}

function logPath({ path, parameters }: Operation, values: Values): string {
  const query = parameters.filter(({ in: place, name }) => place === "query" && values[name] !== undefined);
  return `${filled(path, values)}?${new URLSearchParams(query.map(({ name }) => [name, values[name] ?? ""]))}`;
}

function WouldDo({ answer }: { answer: Answer }) {
  const report = "json" in answer ? (answer.json as Partial<components["schemas"]["PreviewReport"]> | null) : undefined;
  return Array.isArray(report?.objects) ? (
    <Preview objects={report.objects} />
  ) : (
    <pre>{"json" in answer ? JSON.stringify(answer.json, null, 2) : answer.text}</pre>
  );
}
