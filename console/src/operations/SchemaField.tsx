import { Button, NativeSelect, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useId, useState } from "react";
import { parse, stringify } from "yaml";
import { useWords } from "../words.tsx";
import { type ApiDocument, type Operation, plain, readable, type Schema } from "./apiDocument.ts";
import { type Choice, sourceOf } from "./choices.ts";
import { choicesQuery } from "./queries.ts";

/** Deeper fields are typed as YAML. */
const maxDepth = 4;
const manyFields = 8;
const secret = /password|secret|token|private_key|ssh_key|access_key/i;
const code = /yaml|script|content|kube_?config|certificate|cert$|ssh_key/i;
const prose = /description|remark|reason/i;

/** What the fields of a form have in common. */
export interface FormContext {
  document: ApiDocument;
  operation: Operation;
  /** Parameters of path and query that are filled in. */
  given: Readonly<Record<string, string>>;
}

export const Form = createContext<FormContext | undefined>(undefined);

function useForm(): FormContext {
  const form = useContext(Form);
  if (form === undefined) throw new Error("a field is outside of a form");
  return form;
}

export interface FieldProps {
  name: string;
  place: "path" | "query" | "body";
  schema: Schema;
  value: unknown;
  onChange(value: unknown): void;
  required?: boolean;
  /** What is around it, from 0. */
  depth?: number;
}

/** A field for one value of a schema; a part of a form for an object or a list. */
export function SchemaField(props: FieldProps) {
  const { document } = useForm();
  const schema = plain(document, props.schema);
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  const own = { ...props, schema };
  if (schema.enum !== undefined) return <OneOf {...own} choices={schema.enum.map(String).map(choiceOf)} />;
  if (schema.const !== undefined) return <OneOf {...own} choices={[choiceOf(String(schema.const))]} />;
  if (type === "boolean") return <Flag {...own} />;
  if (type === "string") return <Text {...own} />;
  if (type === "integer" || type === "number") return <Number_ {...own} />;
  const { depth = 0 } = props;
  if (depth < maxDepth && type === "object" && schema.properties !== undefined) return <Fields {...own} />;
  if (depth < maxDepth && type === "array" && schema.items !== undefined) return <List {...own} items={schema.items} />;
  return <AsYaml {...own} />;
}

const choiceOf = (value: string): Choice => ({ value, label: value });

/** The help that the API document has for a field. */
const helpOf = ({ description, default: normal }: Schema): string =>
  [description, isTelling(normal) ? `(${JSON.stringify(normal)})` : undefined]
    .filter((part) => part !== undefined)
    .join(" ");

/** Whether a value that holds where none is given says more than an empty field. */
const isTelling = (normal: unknown): boolean =>
  typeof normal === "number" || (typeof normal === "string" && normal !== "");

const common = ({ name, schema, required = false }: FieldProps) => ({
  label: readable(name),
  description: helpOf(schema),
  required,
});

function OneOf({ choices, ...props }: FieldProps & { choices: readonly Choice[] }) {
  const { value, onChange } = props;
  const chosen = value === undefined ? "" : String(value);
  const isKnown = chosen === "" || choices.some((choice) => choice.value === chosen);
  return (
    <NativeSelect
      {...common(props)}
      value={chosen}
      onChange={({ target }) => onChange(target.value === "" ? undefined : typed(target.value, props.schema))}
    >
      <option value="">–</option>
      {!isKnown && <option>{chosen}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </NativeSelect>
  );
}

/** A member of an enumeration as the API takes it: some are numbers. */
function typed(text: string, { enum: members, type }: Schema): unknown {
  if (members === undefined) return type === "integer" ? Number(text) : text;
  return members.find((member) => String(member) === text);
}

function Flag(props: FieldProps) {
  const id = useId();
  const { value, onChange, schema } = props;
  const help = helpOf(schema);
  return (
    <label className="check field" htmlFor={id}>
      <input
        id={id}
        type="checkbox"
        checked={(value ?? schema.default) === true || value === "true"}
        onChange={({ target }) => onChange(props.place === "query" ? String(target.checked) : target.checked)}
      />
      <span>
        {readable(props.name)} {help !== "" && <span className="quiet">{help}</span>}
      </span>
    </label>
  );
}

function Text(props: FieldProps) {
  const { document, operation, given } = useForm();
  const { name, place, value, onChange, schema } = props;
  const source = sourceOf(document.operations, operation, { name, in: place }, given);
  const { data: choices } = useQuery({
    ...choicesQuery(source ?? { path: "", value: [], label: [] }),
    enabled: source !== undefined,
  });
  if (source !== undefined && choices !== undefined && choices.length > 0)
    return <OneOf {...props} choices={choices} />;
  const shared = {
    ...common(props),
    value: value === undefined ? "" : String(value),
    autoComplete: "off",
    maxLength: schema.maxLength,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value === "" ? undefined : target.value),
  };
  const isLong = (schema.maxLength ?? Number.POSITIVE_INFINITY) > 256;
  if (code.test(name) && isLong)
    return <Textarea {...shared} rows={10} spellCheck={false} classNames={{ input: "yaml" }} />;
  if (prose.test(name) && isLong) return <Textarea {...shared} rows={3} />;
  if (secret.test(name)) return <PasswordInput {...shared} autoComplete="new-password" />;
  return <TextInput {...shared} />;
}

function Number_(props: FieldProps) {
  const { value, onChange, schema, place } = props;
  return (
    <TextInput
      {...common(props)}
      type="number"
      min={schema.minimum === undefined || schema.minimum < -1e15 ? undefined : schema.minimum}
      max={schema.maximum === undefined || schema.maximum > 1e15 ? undefined : schema.maximum}
      step={schema.type === "integer" ? 1 : "any"}
      value={value === undefined ? "" : String(value)}
      onChange={({ target }) =>
        onChange(target.value === "" ? undefined : place === "body" ? Number(target.value) : target.value)
      }
    />
  );
}

/** The fields of an object: those that it needs first, and many others folded away. */
export function Fields({ schema, value, onChange, place, name, depth = 0, required: isNeeded = false }: FieldProps) {
  const { t } = useWords();
  const { required = [], properties = {} } = schema;
  const record = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const names = Object.keys(properties).sort((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  // What an object needs is needed only where the object is sent.
  const isSent = depth === 0 || isNeeded || value !== undefined;
  const [isClosed] = useState(!isSent);
  const isFolded = (key: string) => names.length > manyFields && !required.includes(key) && record[key] === undefined;
  const [folded] = useState(() => new Set(names.filter(isFolded)));
  const fields = (some: readonly string[]) =>
    some.map((key) => (
      <SchemaField
        key={key}
        {...{
          place,
          name: key,
          schema: properties[key] ?? {},
          required: isSent && required.includes(key),
          depth: depth + 1,
        }}
        value={record[key]}
        onChange={(next) => onChange(withKey(record, key, next))}
      />
    ));
  const own = (
    <>
      {fields(names.filter((key) => !folded.has(key)))}
      {folded.size > 0 && (
        <details>
          <summary>{t("{count} more fields", { count: folded.size })}</summary>
          {fields([...folded])}
        </details>
      )}
    </>
  );
  if (depth === 0) return own;
  if (!isClosed) return <Group label={readable(name)}>{own}</Group>;
  return (
    <details>
      <summary>{readable(name)}</summary>
      {own}
    </details>
  );
}

function Group({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {children}
    </fieldset>
  );
}

/** A record with a field changed, or without it where it is empty. */
export function withKey(record: Readonly<Record<string, unknown>>, key: string, value: unknown) {
  const { [key]: _, ...others } = record;
  return value === undefined ? others : { ...others, [key]: value };
}

function List({ items, name, value, onChange, place, depth = 0 }: FieldProps & { items: Schema }) {
  const { t } = useWords();
  const { document } = useForm();
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const become = (next: readonly unknown[]): void => onChange(next.length === 0 ? undefined : next);
  const label = readable(name);
  const isObject = plain(document, items).type === "object";
  return (
    <Group label={label}>
      {all.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: members have no names of their own
        <div key={at} className="member">
          <SchemaField
            {...{ place, schema: items, value: item, depth: depth + 1, required: true }}
            name={isObject ? `${label} ${at + 1}` : name}
            onChange={(next) => become(all.map((one, index) => (index === at ? (next ?? "") : one)))}
          />
          <Button
            aria-label={t("Remove {name}", { name: `${label} ${at + 1}` })}
            onClick={() => become(all.filter((_, index) => index !== at))}
          >
            {t("Remove")}
          </Button>
        </div>
      ))}
      <Button onClick={() => become([...all, isObject ? {} : ""])}>{t("Add to {name}", { name: label })}</Button>
    </Group>
  );
}

/** What no form is made for: values of any shape. */
function AsYaml(props: FieldProps) {
  const { t } = useWords();
  const { value, onChange } = props;
  const [text, setText] = useState(value === undefined ? "" : stringify(value));
  const [error, setError] = useState("");
  const type = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === "" ? undefined : parse(next));
      setError("");
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
    }
  };
  return (
    <Textarea
      {...common(props)}
      description={[helpOf(props.schema), t("As YAML.")].filter((part) => part !== "").join(" ")}
      rows={5}
      spellCheck={false}
      classNames={{ input: "yaml" }}
      value={text}
      error={error}
      onChange={({ target }) => type(target.value)}
    />
  );
}
