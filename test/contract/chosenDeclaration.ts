/** A declaration as the rule sees it: method and path with its parameters, for example `PUT /a/:b(hex)/c`. */
export interface Line {
  method: string;
  path: string;
}

export type Choice = { chosen: string } | { otherMethods: string[] } | "nothing";

const forms: Record<string, (text: string) => boolean> = {
  hex: (text) => text.length === 24 && [...text].every((one) => "0123456789abcdef".includes(one)),
  uuid: (text) => {
    const lengths = text.split("-").map((part) => part.length);
    return lengths.join() === "8,4,4,4,12" && [...text].every((one) => "0123456789abcdefABCDEF-".includes(one));
  },
  int: (text) => text.length >= 1 && text.length <= 15 && [...text].every((one) => "0123456789".includes(one)),
};

/** First parameters that never take the value `production` (decisions 2.4). */
const kindFolders = ["openapi/environments", "openapi/service/yaml"];

/**
 * The rule of decisions 2 word by word, as a search from left to right that steps back when nothing matches below:
 * slow, and written without the router.
 */
export function chosenDeclaration(lines: readonly Line[], method: string, rawPath: string): Choice {
  const path = segmentsOf(rawPath);
  if (path === undefined) return "nothing";
  const own = search(
    lines.filter((line) => line.method === method),
    path,
    0,
  );
  if (own !== undefined) return { chosen: `${own.method} ${own.path}` };
  const others = lines.filter((line) => search([line], path, 0) !== undefined).map((line) => line.method);
  return others.length === 0 ? "nothing" : { otherMethods: [...new Set(others)].sort() };
}

function segmentsOf(rawPath: string): string[] | undefined {
  if (!rawPath.startsWith("/")) return undefined;
  const parts = rawPath.split("/").filter((part) => part !== "");
  try {
    const decoded = parts.map((part) => decodeURIComponent(part));
    return decoded.some((part) => part === "." || part === ".." || part.includes("/")) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

const partsByPath = new Map<string, readonly string[]>();

/** Segments of a declared path, taken apart once: a test asks for those of the same few hundred a million times. */
function partsOf({ path }: Line): readonly string[] {
  const known = partsByPath.get(path);
  if (known !== undefined) return known;
  const parts = path.slice(1).split("/");
  partsByPath.set(path, parts);
  return parts;
}

function search(lines: readonly Line[], path: readonly string[], position: number): Line | undefined {
  const at = (line: Line, where: number): string => partsOf(line)[where] ?? "";
  if (position === path.length) return lines.find((line) => partsOf(line).length === path.length);
  const value = path[position] ?? "";
  const fixed = lines.filter((line) => !at(line, position).startsWith(":") && at(line, position) === value);
  const parameters = lines.filter((line) => at(line, position).startsWith(":") && takes(line, position, value));
  return below(fixed, path, position) ?? below(parameters, path, position);
}

function below(lines: readonly Line[], path: readonly string[], position: number): Line | undefined {
  return lines.length === 0 ? undefined : search(lines, path, position + 1);
}

function takes(line: Line, position: number, value: string): boolean {
  const parts = partsOf(line);
  if (value === "production" && kindFolders.includes(parts.slice(0, position).join("/"))) return false;
  const form = parts[position]?.split("(")[1]?.replace(")", "");
  return form === undefined || (forms[form]?.(value) ?? false);
}
