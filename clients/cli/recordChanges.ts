import { objectsOf, type Preview, type PreviewObject } from "@slipway/client";
import { note } from "./terminal/print.ts";
import { shownDiff } from "./terminal/words.ts";

/** What is different where a change is previewed; people see it. @returns the objects that would change */
export function recordChanges(preview: Preview): PreviewObject[] {
  const objects = objectsOf(preview).filter(({ action }) => action !== "unchanged");
  // What comes or goes as a whole needs no difference to be understood.
  for (const { action, kind, name, diff } of objects)
    note(`${action} ${kind} ${name}${action === "change" ? `\n${shownDiff(diff)}` : ""}`);
  return objects;
}
