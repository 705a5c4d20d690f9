import { lazy, Suspense } from "react";
import { useWords } from "../words.tsx";
import type { YamlEditorProps } from "./YamlEditor.tsx";

const YamlEditor = lazy(() => import("./YamlEditor.tsx"));

/** The editor of YAML, whose code is loaded where one is shown. */
export function Editor(props: YamlEditorProps) {
  const { t } = useWords();
  return (
    <Suspense
      fallback={
        <p className="quiet" role="status">
          {t("Loading…")}
        </p>
      }
    >
      <YamlEditor {...props} />
    </Suspense>
  );
}
