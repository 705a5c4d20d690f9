import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

const stillMilliseconds = 500;

/** What the server says of a text. */
export interface Checked<T> {
  data: T | undefined;
  error: Error | null;
  /** Whether that is said of the text as it is now. */
  isCurrent: boolean;
}

/**
 * Asks the server about a text whenever the user has not typed for half a second.
 * @param of what the text is of, which may be typed too @param check undefined where there is nothing to ask
 */
export function useChecked<T>(
  of: readonly unknown[],
  text: string,
  check: ((text: string) => Promise<T>) | undefined,
): Checked<T> {
  const typed = JSON.stringify([of, text]);
  const [still, setStill] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setStill(typed), stillMilliseconds);
    return () => clearTimeout(timer);
  }, [typed]);
  const isStill = still === typed && check !== undefined;
  const { data, error, isFetching } = useQuery({
    queryKey: ["check", still],
    queryFn: isStill ? () => check(text) : skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return { data, error, isCurrent: isStill && !isFetching };
}
