import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { OperationForm } from "../operations/OperationForm.tsx";
import { documentQuery } from "../operations/queries.ts";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";

const here = "/shell/operations/$operation";

/** One operation of the API as a form, filled in as far as the address says. */
export default function Operation() {
  const { t } = useWords();
  const { operation: id } = useParams({ from: here });
  const { with: given = {} } = useSearch({ from: here });
  return (
    <Loaded from={useQuery(documentQuery)}>
      {(document) => {
        const operation = document.operations.find((one) => one.id === id);
        if (operation === undefined) return <p className="empty">{t("There is no such operation.")}</p>;
        const adding = document.operations.find(({ method, path }) => method === "POST" && path === operation.path);
        return (
          <article className="operation">
            <div className="head">
              <h1>{operation.summary}</h1>
              {operation.method === "GET" && adding !== undefined && (
                <Link to="/operations/$operation" params={{ operation: adding.id }} search={{ with: given }}>
                  {adding.summary}
                </Link>
              )}
            </div>
            {operation.description !== "" && <p>{operation.description}</p>}
            <p className="quiet">
              {operation.tag} <code>{`${operation.method} ${operation.path}`}</code>
            </p>
            <OperationForm key={id + JSON.stringify(given)} document={document} operation={operation} given={given} />
          </article>
        );
      }}
    </Loaded>
  );
}
