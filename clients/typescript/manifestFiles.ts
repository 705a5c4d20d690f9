/** Whether a file of this name may be a manifest. */
export const isManifest = (file: string): boolean => /\.ya?ml$/.test(file);

/**
 * The services that files of plain manifests make: each file is one, called like it.
 * @param files by their names without folders @returns service name to what was given for its file
 * @throws Error that says what is wrong with the files
 */
export function servicesOfFiles<T>(files: ReadonlyMap<string, T>): Map<string, T> {
  if (files.has("Chart.yaml"))
    throw new Error("is a chart; charts are deployed by projects of type helm, see docs/helm.md");
  if (files.size === 0) throw new Error("holds no .yaml or .yml file");
  const services = new Map<string, T>();
  for (const [file, content] of files) {
    const name = file.replace(/(?<=.)\.[^.]*$/, "");
    if (services.has(name)) throw new Error(`holds ${name}.yaml and ${name}.yml: a service is one file`);
    services.set(name, content);
  }
  return services;
}
