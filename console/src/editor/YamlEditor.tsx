import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { colours, look } from "./look.ts";
import type { Mark } from "./marks.ts";

export interface YamlEditorProps {
  label: string;
  text: string;
  marks?: readonly Mark[];
  isReadOnly?: boolean;
  /** Where to put the cursor, each time that it is another object; lines count from 1. */
  target?: { line: number } | undefined;
  onChange?(text: string): void;
}

/** Of changes that the page makes, and that it therefore need not hear of. */
const byPage = Annotation.define<boolean>();
const noMarks: readonly Mark[] = [];

/**
 * Typing over a selection is done by the editor. The browser would keep what the text looked like in inline styles, which
 * the content security policy refuses.
 */
const typesOver = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { state } = view;
    if (inputType !== "insertText" || data === null || state.readOnly || state.selection.main.empty) return false;
    view.dispatch(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/**
 * YAML with colours, line numbers and the remarks about its lines. It is in a shadow tree, where the editor brings its
 * style sheet as an object: in the page it would be an inline one, which the content security policy refuses. Tab
 * leaves it, as it leaves every other field.
 */
export default function YamlEditor(props: YamlEditorProps) {
  const { label, text, marks = noMarks, isReadOnly = false, target, onChange } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const told = useRef(onChange);
  useEffect(() => {
    told.current = onChange;
  });
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const view = new EditorView({
      root,
      parent: root,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        yaml(),
        syntaxHighlighting(colours),
        look,
        typesOver,
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorState.readOnly.of(isReadOnly),
        // It is reached by the keyboard, which no attribute of an editable text says by itself.
        EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": String(isReadOnly), tabindex: "0" }),
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (docChanged && !transactions.some((one) => one.annotation(byPage))) told.current?.(state.doc.toString());
        }),
      ],
    });
    editor.current = view;
    return () => view.destroy();
  }, [label, isReadOnly]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor begins empty and unmarked
  useEffect(() => {
    const view = editor.current;
    if (view === null || view.state.doc.toString() === text) return;
    const changes = { from: 0, to: view.state.doc.length, insert: text };
    view.dispatch({ changes, annotations: byPage.of(true) });
  }, [label, isReadOnly, text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor begins empty and unmarked
  useEffect(() => {
    const view = editor.current;
    if (view === null) return;
    const { doc } = view.state;
    const diagnostics = marks.map(({ line, severity, message }) => {
      const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
      return { from, to, severity, message };
    });
    view.dispatch(setDiagnostics(view.state, diagnostics));
  }, [label, isReadOnly, marks]);
  useEffect(() => {
    const view = editor.current;
    if (view === null || target === undefined) return;
    const { from } = view.state.doc.line(Math.min(target.line, view.state.doc.lines));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.focus();
  }, [target]);
  return <div ref={host} className="editor" />;
}
