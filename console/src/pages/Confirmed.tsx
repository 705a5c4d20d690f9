import { Button, TextInput } from "@mantine/core";
import type { components } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { note } from "../notices.ts";
import { Diff, Failure, Loaded } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";

/** What would change, and (`said`) what would be done besides. */
type Answer =
  | (Pick<components["schemas"]["PreviewReport"], "objects"> & { said?: readonly string[] })
  | { message: string };

/** Shows what a change would do, and makes it; where a name is given, once that is typed. */
export function Confirmed(props: {
  /** Of what is deleted, or changed in production. */
  name?: string | undefined;
  title: string;
  action: string;
  /** What it does in words, of a change that has no dry run. */
  warning?: string;
  run(isPreview: boolean): Promise<Answer>;
  /** Called when it is made; the dialog closes besides. */
  onDone?(): void;
  onClose(): void;
}) {
  const { t } = useWords();
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const preview = useQuery({
    queryKey: ["preview", props.title],
    queryFn: () => (props.warning === undefined ? props.run(true) : { message: props.warning }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const change = useMutation({
    mutationFn: () => props.run(false),
    onSuccess: async () => {
      props.onClose();
      props.onDone?.();
      note(t("Done: {what}", { what: props.title }));
      await queries.invalidateQueries();
    },
  });
  const isMeant = props.name === undefined || typed === props.name;
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={props.onClose}>
      <h2 id={titleId}>{props.title}</h2>
      <Loaded from={preview}>
        {(answer) =>
          props.warning === undefined ? (
            <Preview {...("objects" in answer ? answer : { objects: [] })} />
          ) : (
            <p>{props.warning}</p>
          )
        }
      </Loaded>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isMeant && preview.data !== undefined) change.mutate();
        }}
      >
        {props.name !== undefined && (
          <TextInput
            label={t("Type {name} to confirm", { name: props.name })}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            autoComplete="off"
          />
        )}
        {change.error !== null && <Failure error={change.error} />}
        <div className="head">
          <Button type="button" onClick={props.onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" variant="filled" disabled={!isMeant || preview.data === undefined || change.isPending}>
            {props.action}
          </Button>
        </div>
      </form>
    </dialog>
  );
}

/** What would become of each object that would not stay as it is. */
export function Preview({ objects, said = [] }: Extract<Answer, { objects: unknown }>) {
  const { t } = useWords();
  const changed = objects.filter(({ action }) => action !== "unchanged");
  if (changed.length + said.length === 0) return <p>{t("Nothing would change.")}</p>;
  return (
    <>
      <p>{t("This would change:")}</p>
      {said.length > 0 && (
        <ul>
          {said.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {changed.map(({ action, kind, name, diff }) => (
        <section key={`${kind}/${name}`}>
          <h3>
            {kind} {name} <span className="tag">{action}</span>
          </h3>
          <Diff text={diff} />
        </section>
      ))}
    </>
  );
}
