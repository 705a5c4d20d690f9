import { Button, Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useHere } from "../frame/crumbs.ts";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { givenHere } from "./given.ts";
import { OperationList } from "./OperationList.tsx";
import { operationPlaces } from "./places.ts";
import { documentQuery } from "./queries.ts";

/** A drawer with every operation that belongs to the page, filled in with what the page shows. */
export function OperationsHere() {
  const { t } = useWords();
  const here = useHere();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const tags = operationPlaces[here.pattern];
  const document = useQuery({ ...documentQuery, enabled: isOpen });
  if (tags === undefined) return null;
  return (
    <>
      <Button aria-expanded={isOpen} onClick={() => setOpen(true)}>
        {t("More actions")}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="right"
        size="lg"
        title={t("What can be done here")}
        closeButtonProps={{ "aria-label": t("Close") }}
      >
        <Loaded from={document}>
          {({ operations }) => (
            <OperationList
              operations={operations.filter(({ tag }) => tags.includes(tag))}
              given={givenHere(here)}
              text={text}
              search={setText}
              onChoose={() => setOpen(false)}
            />
          )}
        </Loaded>
      </Drawer>
    </>
  );
}
