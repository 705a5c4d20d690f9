/** Name of an output that belongs to one module of the service that the job is for. */
export function moduleOutput(module: string, name: string): string {
  return `${module}.${name}`;
}

/**
 * The path of an output among the variables (contract W 6): `<job key>.output.<NAME>`, and of a module
 * `<job key>.<module>.output.<NAME>`. Names of outputs hold no dot (contract W 7).
 */
export function outputPath(jobKey: string, output: string): string {
  const dot = output.lastIndexOf(".");
  if (dot === -1) return `${jobKey}.output.${output}`;
  return `${jobKey}.${output.slice(0, dot)}.output.${output.slice(dot + 1)}`;
}
