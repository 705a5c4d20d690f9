const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const repositoryForm = new RegExp(`^${component}(?:/${component})*$`);
const tagForm = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const digestForm = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

export const isDigest = (text: string): boolean => digestForm.test(text);

/** Why a repository of a registry may not be used; undefined when it may. `namespace`: what it has to begin with. */
export function repositoryProblem(repository: string, namespace: string): string | undefined {
  if (repository.length > 255) return "is longer than 255 characters; choose a shorter name";
  if (/[A-Z]/.test(repository)) return "has upper case letters; registries take lower case only";
  if (!repositoryForm.test(repository))
    return "is no name of a repository; use lower case letters, digits and . _ - between them, parts separated by /";
  if (namespace !== "" && !repository.startsWith(`${namespace}/`))
    return `lies outside the registry's namespace ${namespace}; begin it with ${namespace}/`;
  return undefined;
}

/** Why a reference is neither a tag nor a digest; undefined when it is one. */
export function referenceProblem(reference: string): string | undefined {
  if (isDigest(reference) || tagForm.test(reference)) return undefined;
  return "is neither a tag (letters, digits, _ . -, at most 128) nor a digest (sha256:<64 hex>)";
}

export function algorithmOf(digest: string): "sha256" | "sha512" {
  return digest.startsWith("sha512:") ? "sha512" : "sha256";
}
