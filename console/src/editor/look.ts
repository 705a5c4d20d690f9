import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const mono = 'ui-monospace, "DejaVu Sans Mono", monospace';

/** The editor in the colours of the console, which reach through the border of its shadow tree. */
export const look = EditorView.theme({
  "&": {
    ...{ color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "0.85rem", maxHeight: "36rem" },
    ...{ border: "1px solid var(--quiet)", borderRadius: "var(--corner)", overflow: "hidden" },
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "2px" },
  ".cm-scroller": { overflow: "auto", fontFamily: mono, lineHeight: "1.45" },
  ".cm-content": { caretColor: "var(--text)", minHeight: "8rem" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--ground)", borderRight: "1px solid var(--line)" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--surface)", border: "1px solid var(--line)" },
  ".cm-diagnostic": { maxWidth: "36rem", overflowWrap: "anywhere", fontFamily: "inherit" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--busy)" },
});

export const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.comment, tags.meta, tags.punctuation, tags.separator], color: "var(--quiet)" },
  { tag: [tags.keyword, tags.typeName, tags.labelName], color: "var(--busy)" },
]);
