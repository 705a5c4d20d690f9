import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { Failure } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";

/** A form that is saved as a whole. What was typed stays, whatever is answered. */
export function SettingsForm<Answer>(props: {
  /** What its button says. */
  action: string;
  save(given: FormData): Promise<Answer>;
  /** What an answer says besides that it is saved. */
  said?(answer: Answer): ReactNode;
  children: ReactNode;
}) {
  const { t } = useWords();
  const saving = useMutation({ mutationFn: props.save, onSuccess: () => queries.invalidateQueries() });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    saving.mutate(new FormData(event.currentTarget));
  };
  return (
    // What is typed afterwards is not saved.
    <form className="details" onSubmit={send} onChange={() => saving.isSuccess && saving.reset()}>
      {props.children}
      {saving.error !== null && <Failure error={saving.error} />}
      <Button type="submit" variant="filled" disabled={saving.isPending}>
        {props.action}
      </Button>
      {saving.isSuccess && (
        <div role="status">
          <p>{t("Saved.")}</p>
          {props.said?.(saving.data)}
        </div>
      )}
    </form>
  );
}

/** One of a few, with what each means. */
export function OneOf<Value extends string>(props: {
  name: string;
  legend: string;
  value: Value;
  options: readonly (readonly [Value, ReactNode])[];
  onChange(value: Value): void;
}) {
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      {props.options.map(([value, meaning]) => (
        <label key={value} className="check">
          <input
            type="radio"
            name={props.name}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          <span>{meaning}</span>
        </label>
      ))}
    </fieldset>
  );
}
