import { Button, Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";
import type { ApiDocument } from "./apiDocument.ts";
import { documentQuery } from "./queries.ts";

/**
 * A button, and beside the page what it opens, which needs the API document.
 * @param props.label of the button @param props.title of the drawer
 */
export function DocumentDrawer(props: {
  label: string;
  title: string;
  isMain?: boolean | undefined;
  children(document: ApiDocument, close: () => void): ReactNode;
}) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const document = useQuery({ ...documentQuery, enabled: isOpen });
  const close = () => setOpen(false);
  return (
    <>
      <Button variant={props.isMain ? "filled" : "default"} aria-expanded={isOpen} onClick={() => setOpen(true)}>
        {props.label}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="right"
        size="lg"
        title={props.title}
        closeButtonProps={{ "aria-label": t("Close") }}
      >
        <Loaded from={document}>{(all) => props.children(all, close)}</Loaded>
      </Drawer>
    </>
  );
}
