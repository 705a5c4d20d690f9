import { useState } from "react";
import { useHere } from "../frame/crumbs.ts";
import { useWords } from "../words.tsx";
import { DocumentDrawer } from "./DocumentDrawer.tsx";
import { givenHere } from "./given.ts";
import { OperationList } from "./OperationList.tsx";
import { operationPlaces } from "./places.ts";

/** A drawer with every operation that belongs to the page, filled in with what the page shows. */
export function OperationsHere() {
  const { t } = useWords();
  const here = useHere();
  const [text, setText] = useState("");
  const tags = operationPlaces[here.pattern];
  if (tags === undefined) return null;
  return (
    <DocumentDrawer label={t("More actions")} title={t("What can be done here")}>
      {({ operations }, close) => (
        <OperationList
          operations={operations.filter(({ tag }) => tags.includes(tag))}
          given={givenHere(here)}
          text={text}
          search={setText}
          onChoose={close}
        />
      )}
    </DocumentDrawer>
  );
}
