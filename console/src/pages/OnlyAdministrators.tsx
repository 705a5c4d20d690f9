import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { systemRightsQuery } from "../adminQueries.ts";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";

/** What administrators of the installation alone are shown. */
export function OnlyAdministrators({ children }: { children: ReactNode }) {
  const { t } = useWords();
  return (
    <Loaded from={useQuery(systemRightsQuery)}>
      {({ isAdmin }) => (isAdmin ? children : <p className="empty">{t("Only administrators see something here.")}</p>)}
    </Loaded>
  );
}
