import { neverReached } from "../../base/settings/addressClass.ts";
import { channels } from "./rules/channels/channels.ts";

/** Addresses of a notification setting that are never reached (decisions 5.8); of the rest it is decided when something is sent. */
export function messageAddressProblems(ctl: Readonly<Record<string, unknown>>): { path: string[]; problem: string }[] {
  const places = Object.values(channels).flatMap(({ addresses }) => addresses);
  return places.flatMap(([field, inside]) => {
    const value =
      inside === undefined ? ctl[field] : (ctl[field] as Record<string, unknown> | null | undefined)?.[inside];
    const problem =
      typeof value === "string" && URL.canParse(value) ? neverReached(new URL(value).hostname) : undefined;
    return problem === undefined ? [] : [{ path: inside === undefined ? [field] : [field, inside], problem }];
  });
}
