import { NativeSelect, Textarea } from "@mantine/core";
import type { components } from "@slipway/client";
import { useWords } from "./words.tsx";

type Variable = Pick<components["schemas"]["KeyVal"], "key" | "value" | "type" | "options">;

/** A value as it is typed. */
export const textOf = (value: Variable["value"]): string => (typeof value === "string" ? value : JSON.stringify(value));

/** What was typed, in the kind that the variable has: true stays a boolean, a list stays a list. */
export function typedValue(text: string, before: Pick<Variable, "value"> | undefined): Variable["value"] {
  if (before === undefined || typeof before.value === "string") return text;
  try {
    return JSON.parse(text) as Variable["value"];
  } catch {
    return text;
  }
}

/** Where the value of a variable is typed, or chosen where it has options. */
export function VariableValue(props: {
  name: string;
  variable?: Pick<Variable, "type" | "options"> | undefined;
  text: string;
  onChange(text: string): void;
}) {
  const { t } = useWords();
  const { name, variable, text, onChange } = props;
  const label = t("Value of {name}", { name });
  return variable?.type === "enum" ? (
    <NativeSelect aria-label={label} value={text} onChange={({ target }) => onChange(target.value)}>
      {variable.options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </NativeSelect>
  ) : (
    <Textarea
      aria-label={label}
      rows={text.split("\n").length}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
