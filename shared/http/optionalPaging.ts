import * as z from "zod";
import { pageInteger } from "./schemas.ts";

const longestKeyword = 256;

/** Of a list that is given whole to those who name neither page nor size. */
export const optionalPaging = {
  keyword: z
    .string()
    .max(longestKeyword, `must have at most ${longestKeyword} characters`)
    .default("")
    .meta({ description: "Part of a name, in any case; the header X-Total says how many have it" }),
  pageNum: pageInteger(0).meta({ description: "1 if left out beside a size; without both everything is listed" }),
  pageSize: pageInteger(0, 200).meta({ description: "20 if left out beside a page" }),
};

/** The page that `optionalPaging` names of what it found. */
export function pageOf<T>(found: readonly T[], { pageNum, pageSize }: { pageNum: number; pageSize: number }): T[] {
  if (pageNum === 0 && pageSize === 0) return [...found];
  const size = pageSize || 20;
  const from = (Math.max(pageNum, 1) - 1) * size;
  return found.slice(from, from + size);
}
