import type { Session } from "../session.ts";
import { print, printJson } from "./print.ts";
import { table } from "./words.ts";

export interface Column<T> {
  heading: string;
  of(item: T): string | number | boolean;
  /** Only with `-o wide`. */
  isWide?: boolean;
}

interface Shown<T> {
  name(item: T): string;
  columns: readonly Column<T>[];
  /** Said of an empty list. */
  none: string;
}

/** Prints a list in the form that `-o` names. */
export function printList<T>({ isJson, form }: Session, items: readonly T[], { name, columns, none }: Shown<T>): void {
  if (isJson) printJson(items);
  else if (form === "name") for (const item of items) print(name(item));
  else if (items.length === 0) print(none);
  else {
    const shown = columns.filter(({ isWide }) => form === "wide" || isWide !== true);
    const headings = shown.map(({ heading }) => heading);
    const rows = items.map((item) => shown.map(({ of }) => String(of(item))));
    print(table(headings, rows));
  }
}

/** A time in seconds as people of this machine write it; empty for 0. */
export function shownTime(seconds: number | undefined): string {
  return seconds ? new Date(seconds * 1000).toLocaleString("sv-SE") : "";
}
