import { SlipwayError } from "@slipway/client";
import { useSyncExternalStore } from "react";
import { queries } from "../queries.ts";
import { useWords } from "../words.tsx";

/** When Slipway answered last, in milliseconds since 1970, where it has not since; undefined while it answers. */
let silentSince: number | undefined;
let answeredAt = Date.now();

function watchAnswers(look: () => void): () => void {
  return queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return;
    const before = silentSince;
    if (event.action.type === "success") {
      answeredAt = Date.now();
      silentSince = undefined;
    } else if (event.action.type === "error") {
      const { error } = event.action;
      if (error instanceof SlipwayError && error.status === 0) silentSince = answeredAt;
    }
    if (silentSince !== before) look();
  });
}

/** Says that nothing answers, and how old the page is; it goes with the next answer. */
export function Offline() {
  const { t, locale } = useWords();
  const since = useSyncExternalStore(watchAnswers, () => silentSince);
  if (since === undefined) return null;
  const when = new Date(since).toLocaleTimeString(locale);
  return (
    <p className="offline" role="status">
      {t("Slipway does not answer. The page is as of {when}; the console asks again by itself.", { when })}
    </p>
  );
}
