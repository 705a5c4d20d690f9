import { DocumentDrawer } from "./DocumentDrawer.tsx";
import { type Answer, OperationForm } from "./OperationForm.tsx";

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
  return (
    <DocumentDrawer label={props.label} title={props.label} isMain={props.isMain}>
      {(document, close) => {
        const operation = document.operations.find(({ id }) => id === props.operation);
        return (
          operation !== undefined && (
            <OperationForm
              document={document}
              operation={operation}
              given={props.given ?? {}}
              onDone={(answer) => {
                // An answer that people have to see, such as a secret, stays.
                if ("json" in answer && !holdsSecret(answer.json)) close();
                props.onDone?.(answer);
              }}
            />
          )
        );
      }}
    </DocumentDrawer>
  );
}

const holdsSecret = (answer: unknown): boolean => /"(token|secret|password)":"[^"*]+"/.test(JSON.stringify(answer));
