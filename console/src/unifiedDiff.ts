import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/** Beyond that the two are not the same text changed, and a browser would have to wait. */
const most = { timeout: 1000, maxEditLength: 5000 };

/** The difference of two texts with three lines around each change; "" when they are equal, undefined when all is other. */
export function unifiedDiff(before: string, after: string, names: [before: string, after: string]): string | undefined {
  if (before === after) return "";
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, ...most };
  return createTwoFilesPatch(...names, before, after, undefined, undefined, options);
}
