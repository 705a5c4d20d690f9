const mention = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/**
 * The scanner's configuration with `$NAME` and `${NAME}` replaced by values of variables, the last of a name; what is no
 * variable stays. It is a properties file: a value brings no line of its own, and its backslashes are themselves.
 */
export function withVariables(properties: string, variables: readonly { name: string; value: string }[]): string {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  return properties.replace(mention, (text, braced: string | undefined, bare: string | undefined) => {
    const value = values.get(braced ?? bare ?? "");
    return value === undefined ? text : value.replace(/[\r\n]+/g, " ").replaceAll("\\", "\\\\");
  });
}
