import { Button } from "@mantine/core";
import { SlipwayError } from "@slipway/client";
import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Warnings } from "../editor/CheckResult.tsx";
import { Editor } from "../editor/Editor.tsx";
import type { Mark } from "../editor/marks.ts";
import { useChecked } from "../editor/useChecked.ts";
import { useUnsaved } from "../editor/useUnsaved.ts";
import { Failure } from "../parts.tsx";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";
import { lintWorkflow, saveWorkflow } from "../workflowDefinitions.ts";
import { readWorkflow } from "../workflowText.ts";
import { WorkflowGraph } from "./WorkflowGraph.tsx";

/**
 * A workflow as a graph and as YAML. The text is the one truth: the graph is drawn from it, and what is done in the graph
 * changes the text.
 */
export function WorkflowForm(props: {
  project: string;
  /** Key of one that is there. */
  workflow?: string;
  /** As it is stored, or a beginning. */
  text: string;
  onSaved(key: string): void;
}) {
  const { t } = useWords();
  const { project, workflow, text: before, onSaved } = props;
  const [text, setText] = useState(before);
  const [target, setTarget] = useState<{ line: number }>();
  const isChanged = text !== before;
  useUnsaved(isChanged);
  const read = useMemo(() => readWorkflow(text), [text]);
  const { definition } = read;
  const check = definition && (() => lintWorkflow({ name: workflow, ...definition }, project));
  const { data, error, isCurrent } = useChecked(["workflow", project], text, check);
  const problems = useMemo(
    () => (isCurrent && error instanceof SlipwayError ? error.problems : []),
    [isCurrent, error],
  );
  const warnings = useMemo(() => (isCurrent && data?.warnings) || [], [isCurrent, data]);
  const marks = useMemo(
    () => [
      ...read.marks,
      ...problems.map(({ path, problem }): Mark => {
        return { line: read.lineOf(path), severity: "error", message: `${path} ${problem}`.trim() };
      }),
      ...warnings.map(({ message }): Mark => ({ line: read.lineOf(fieldOf(message)), severity: "warning", message })),
    ],
    [read, problems, warnings],
  );
  const saving = useMutation({
    mutationFn: (given: Record<string, unknown>) => saveWorkflow(given, project, workflow),
    onSuccess: async (_, given) => {
      await queries.invalidateQueries();
      onSaved(workflow ?? String(given.name));
    },
  });
  return (
    <>
      {definition === undefined ? (
        <p className="quiet">{t("The graph comes back when the text is YAML again.")}</p>
      ) : (
        <WorkflowGraph
          text={text}
          stages={read.stages}
          problems={problems}
          onChange={setText}
          onChoose={(path) => setTarget({ line: read.lineOf(path) })}
        />
      )}
      <Editor
        label={t("YAML of {name}", { name: workflow ?? t("New workflow") })}
        {...{ text, marks, target }}
        onChange={setText}
      />
      {read.marks.map(({ line, message }) => (
        <p key={line + message} className="problem" role="status">
          {t("Line {number}: {text}", { number: line, text: message })}
        </p>
      ))}
      {definition !== undefined && !isCurrent && (
        <p className="quiet" role="status">
          {t("Checking…")}
        </p>
      )}
      {isCurrent && error !== null && <Failure error={error} />}
      {isCurrent && data !== undefined && (
        <p className="quiet" role="status">
          {t("It can be saved.")}
        </p>
      )}
      <Warnings warnings={warnings} />
      {saving.error !== null && <Failure error={saving.error} />}
      <div className="actions">
        <Button
          type="button"
          variant="filled"
          disabled={definition === undefined || !isCurrent || data === undefined || !isChanged || saving.isPending}
          onClick={() => definition && saving.mutate(definition)}
        >
          {t("Save")}
        </Button>
        {isChanged && (
          <Button type="button" onClick={() => setText(before)}>
            {t("Discard")}
          </Button>
        )}
      </div>
    </>
  );
}

/** A warning begins with the field that it is about. */
function fieldOf(message: string): string {
  return message.split(/[:,] /)[0] ?? "";
}
