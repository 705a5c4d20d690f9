const COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/**
 * Whether the text is a repository name of the OCI distribution specification 1.1, at most 255 characters. Such a name
 * has no `..`, no empty component and none that starts with `_`, so it can stand in a path of the data folder.
 */
export function isRepositoryName(text: string): boolean {
  return text.length <= 255 && REPOSITORY.test(text);
}

/** Whether the text is a tag of the OCI distribution specification 1.1; never a digest, never a path. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}
