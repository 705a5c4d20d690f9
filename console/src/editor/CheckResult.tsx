import type { components } from "@slipway/client";
import { Preview } from "../pages/Confirmed.tsx";
import { Failure } from "../parts.tsx";
import { useWords } from "../words.tsx";
import type { Mark } from "./marks.ts";
import type { Checked } from "./useChecked.ts";

type Warning = components["schemas"]["Warning"];

/** A dry run's answer; the type of a call has the change's own besides. */
export type CheckedChange = Checked<
  { warnings?: Warning[] } & ({ objects: components["schemas"]["PreviewReport"]["objects"] } | { message: string })
>;

export const marksOfWarnings = (warnings: readonly Warning[] = []): Mark[] =>
  warnings.filter(({ line }) => line > 0).map(({ line, message }) => ({ line, message, severity: "warning" }));

/** What was taken of a text although it is not in order. */
export function Warnings({ warnings = [] }: { warnings?: readonly Warning[] | undefined }) {
  const { t } = useWords();
  if (warnings.length === 0) return null;
  return (
    <ul className="drift" aria-label={t("Warnings")}>
      {warnings.map(({ line, message }) => (
        <li key={line + message}>{line > 0 ? t("Line {number}: {text}", { number: line, text: message }) : message}</li>
      ))}
    </ul>
  );
}

/** What the server said of a changed text: why it refuses it, or what it warns of and what would change. */
export function CheckResult({ checked: { data, error, isCurrent } }: { checked: CheckedChange }) {
  const { t } = useWords();
  if (!isCurrent)
    return (
      <p className="quiet" role="status">
        {t("Checking…")}
      </p>
    );
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return null;
  return (
    <>
      <Warnings warnings={data.warnings} />
      <details>
        <summary>{t("It can be saved. What it changes")}</summary>
        <Preview objects={"objects" in data ? data.objects : []} />
      </details>
    </>
  );
}
