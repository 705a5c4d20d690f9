/**
 * Why no branch can fit a filter with `*` and `?` (decisions 19.4), by what git lets a branch be named
 * (git-check-ref-format); undefined when one can. A comma and a bar are refused, too: they are meant as "or".
 */
export function branchFilterProblem(filter: string): string | undefined {
  if (filter === "") return undefined;
  if (/[,|]/.test(filter)) return "names several branches; make a trigger for each, or set is_regular to true";
  const strange = /[\s~^:[\\]|\p{Cc}/u.exec(filter)?.[0];
  if (strange !== undefined)
    return `holds ${JSON.stringify(strange)}, which no branch has in its name; a regular expression needs is_regular: true`;
  if (filter.startsWith("refs/")) return "begins with refs/; write the name of the branch alone, such as main";
  // As if each wildcard were a letter: what is wrong then is wrong with any text in its place.
  const name = filter.replace(/[*?]+/g, "x");
  const isWrong = /\.\.|@\{|\/\/|^\/|\/$|\.$|^@$|(?:^|\/)\.|\.lock(?:\/|$)/.test(name) || filter.startsWith("-");
  return isWrong ? "can fit no branch: git lets none be named so (see git check-ref-format)" : undefined;
}
