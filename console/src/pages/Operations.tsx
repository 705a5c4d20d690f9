import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { OperationList } from "../operations/OperationList.tsx";
import { documentQuery } from "../operations/queries.ts";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";

/** Every operation of the API, each with a form. */
export default function Operations() {
  const { t } = useWords();
  const navigate = useNavigate({ from: "/operations" });
  const { text = "" } = useSearch({ from: "/shell/operations" });
  return (
    <>
      <h1>{t("All operations")}</h1>
      <p className="quiet">{t("Whatever Slipway can do, with a form for each.")}</p>
      <Loaded from={useQuery(documentQuery)}>
        {({ operations }) => (
          <OperationList
            operations={operations}
            given={{}}
            text={text}
            search={(next) => void navigate({ search: next === "" ? {} : { text: next }, replace: true })}
          />
        )}
      </Loaded>
    </>
  );
}
