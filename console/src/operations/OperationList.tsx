import { Link } from "@tanstack/react-router";
import { Search } from "../parts.tsx";
import { useWords } from "../words.tsx";
import type { Operation } from "./apiDocument.ts";

/** Operations by tag, with a search. @param props.given what their forms begin with */
export function OperationList(props: {
  operations: readonly Operation[];
  given: Readonly<Record<string, string>>;
  text: string;
  search(text: string): void;
  onChoose?(): void;
}) {
  const { t } = useWords();
  const words = props.text.toLowerCase().split(/\s+/);
  const found = props.operations.filter(({ id, summary, tag }) =>
    words.every((word) => `${id} ${summary} ${tag}`.toLowerCase().includes(word)),
  );
  const tags = Map.groupBy(found, ({ tag }) => tag);
  return (
    <>
      <Search label={t("Search operations")} text={props.text} onChange={props.search} />
      {found.length === 0 && <p className="empty">{t("No operation matches “{text}”.", { text: props.text })}</p>}
      {[...tags].map(([tag, all]) => (
        <section key={tag} aria-label={tag}>
          <h2>{tag}</h2>
          <ul className="rows">
            {all.map(({ id, summary, reads }) => (
              <li key={id}>
                <Link
                  to="/operations/$operation"
                  params={{ operation: id }}
                  search={{ with: props.given }}
                  onClick={props.onChoose}
                >
                  {summary}
                </Link>
                {reads && <span className="tag away">{t("reads only")}</span>}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
