/** The variables (top-level keys) that a value was made from, without doubles. */
export type Origin = readonly string[];

/** What the template's own text made. */
export const OWN: Origin = [];

/** The data as a whole; taking a key out of it makes that key the origin. */
export const WHOLE: Origin = ["*"];

/** The origin of what was made from both. */
export function joined(left: Origin, right: Origin): Origin {
  if (left === right || right.length === 0) return left;
  if (left.length === 0) return right;
  const added = right.filter((name) => !left.includes(name));
  return added.length === 0 ? left : [...left, ...added];
}
