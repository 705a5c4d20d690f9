/** YAML with a mark in the place of each `{{.<path>}}`, and apart from it what the marks stand for. */
export interface YamlTemplate {
  text: string;
  /** How marks begin; nothing else in the text does. */
  mark: string;
  /** In the order of their marks; variables among them may be replaced until the template is filled. */
  values: string[];
}

const placeholder = /\{\{\s*\.([^{}]+?)\s*\}\}/g;

/**
 * Takes placeholders out of a text.
 * @param valueAt by the path between the dot and the braces, and as it is written; undefined for one that stays a part of the
 * YAML, because it is a template of another program
 */
export function yamlTemplate(
  content: string,
  valueAt: (path: string, written: string) => string | undefined,
): YamlTemplate {
  let mark = "Value";
  while (content.includes(mark)) mark += "x";
  const values: string[] = [];
  const text = content.replace(placeholder, (written: string, path: string) => {
    const value = valueAt(path, written);
    return value === undefined ? written : `${mark}${values.push(value) - 1}Z`;
  });
  return { text, mark, values };
}
