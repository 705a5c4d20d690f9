import { Button, Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { type Answer, OperationForm } from "./OperationForm.tsx";
import { documentQuery } from "./queries.ts";

/**
 * A button that opens the form of an operation beside the page.
 * @param props.given what the page knows, by the names of parameters @param props.onDone called with what was answered
 */
export function Operate(props: {
  operation: string;
  label: string;
  given?: Readonly<Record<string, string>>;
  isMain?: boolean;
  onDone?(answer: Answer): void;
}) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const document = useQuery({ ...documentQuery, enabled: isOpen });
  return (
    <>
      <Button variant={props.isMain ? "filled" : "default"} aria-expanded={isOpen} onClick={() => setOpen(true)}>
        {props.label}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="right"
        size="lg"
        title={props.label}
        closeButtonProps={{ "aria-label": t("Close") }}
      >
        <Loaded from={document}>
          {(all) => {
            const operation = all.operations.find(({ id }) => id === props.operation);
            return (
              operation !== undefined && (
                <OperationForm
                  document={all}
                  operation={operation}
                  given={props.given ?? {}}
                  onDone={(answer) => {
                    // An answer that people have to see, such as a secret, stays.
                    if ("json" in answer && !holdsSecret(answer.json)) setOpen(false);
                    props.onDone?.(answer);
                  }}
                />
              )
            );
          }}
        </Loaded>
      </Drawer>
    </>
  );
}

const holdsSecret = (answer: unknown): boolean => /"(token|secret|password)":"[^"*]+"/.test(JSON.stringify(answer));
