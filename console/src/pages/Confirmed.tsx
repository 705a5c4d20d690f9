import type { components } from "@slipway/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { Failure, Loaded } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";

type Answer = Pick<components["schemas"]["PreviewReport"], "objects"> | { message: string };

/** Shows what a change would do, and makes it when its name is typed. */
export function Confirmed(props: {
  name: string;
  title: string;
  action: string;
  run(isPreview: boolean): Promise<Answer>;
  onClose(): void;
}) {
  const { t } = useWords();
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const preview = useQuery({
    queryKey: ["preview", props.title],
    queryFn: () => props.run(true),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const change = useMutation({
    mutationFn: () => props.run(false),
    onSuccess: async () => {
      props.onClose();
      await queries.invalidateQueries();
    },
  });
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={props.onClose}>
      <h2 id={titleId}>{props.title}</h2>
      <Loaded from={preview}>{(answer) => <Preview objects={"objects" in answer ? answer.objects : []} />}</Loaded>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === props.name && preview.data !== undefined) change.mutate();
        }}
      >
        <label>
          {t("Type {name} to confirm", { name: props.name })}
          <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" />
        </label>
        {change.error !== null && <Failure error={change.error} />}
        <div className="head">
          <button type="button" onClick={props.onClose}>
            {t("Cancel")}
          </button>
          <button
            type="submit"
            className="main"
            disabled={typed !== props.name || preview.data === undefined || change.isPending}
          >
            {props.action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function Preview({ objects }: { objects: components["schemas"]["PreviewReport"]["objects"] }) {
  const { t } = useWords();
  const changed = objects.filter(({ action }) => action !== "unchanged");
  if (changed.length === 0) return <p>{t("Nothing would change.")}</p>;
  return (
    <>
      <p>{t("This would change:")}</p>
      {changed.map(({ action, kind, name, diff }) => (
        <section key={`${kind}/${name}`}>
          <h3>
            {kind} {name} <span className="tag">{action}</span>
          </h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
          <pre tabIndex={0}>
            {diff.split("\n").map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text that does not change
              <span key={at} className={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""}>
                {`${line}\n`}
              </span>
            ))}
          </pre>
        </section>
      ))}
    </>
  );
}
