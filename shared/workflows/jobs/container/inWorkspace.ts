/** A path below the workspace where a script would have said `$WORKSPACE/reports`: the name is what it begins with. */
export function inWorkspace(path: string): string {
  const below = path.replace(/^\$(?:WORKSPACE|\{WORKSPACE\})(?:\/+|$)/, "");
  return below === "" && path !== "" ? "." : below;
}
