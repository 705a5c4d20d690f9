import { useBlocker } from "@tanstack/react-router";
import { useWords } from "../words.tsx";

/** What the editor of a page edits: another revision beside it, or another page of a list, leaves that alone. */
const editedAt = ({ pathname, search }: { pathname: string; search: object }): string => {
  const { service, production } = search as { service?: string; production?: boolean };
  return JSON.stringify([pathname, service, production]);
};

/** Asks before a page is left whose text is not saved. */
export function useUnsaved(isChanged: boolean): void {
  const { t } = useWords();
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      editedAt(current) !== editedAt(next) && !confirm(t("What you typed is not saved. Leave the page?")),
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
  });
}
