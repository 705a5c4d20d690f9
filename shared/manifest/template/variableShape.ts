/** More items than this are not asked of a list by constant indexes. */
const MAX_ITEMS = 50;
/** Words that YAML reads as something other than text. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** What a template expects of one value: fields, items, or a single value to compare with. */
export class VariableShape {
  readonly fields = new Map<string, VariableShape>();
  readonly #items: VariableShape[] = [];
  #isList = false;
  #single: "" | 0 | false = "";

  field(name: string): VariableShape {
    const known = this.fields.get(name);
    if (known) return known;
    const field = new VariableShape();
    this.fields.set(name, field);
    return field;
  }

  at(path: readonly string[]): VariableShape {
    return path.reduce<VariableShape>((shape, name) => shape.field(name), this);
  }

  item(index: number): VariableShape {
    this.#isList = true;
    while (this.#items.length <= Math.min(index, MAX_ITEMS)) this.#items.push(new VariableShape());
    return this.#items[index] ?? new VariableShape();
  }

  /** Marks a list of any length; an empty one will do. */
  ranged(): void {
    this.#isList = true;
  }

  comparedWith(constant: 0 | false): void {
    this.#single = constant;
  }

  /** The default value: YAML text for fields and items, else what it is compared with. */
  default(): { type: "yaml" | "bool" | "string"; value: string | number | boolean } {
    if (this.fields.size > 0 || this.#isList) return { type: "yaml", value: `${this.#lines("").join("\n")}\n` };
    return { type: this.#single === false ? "bool" : "string", value: this.#single };
  }

  get #inline(): string | undefined {
    if (this.fields.size > 0 || this.#items.length > 0) return undefined;
    return this.#isList ? "[]" : JSON.stringify(this.#single);
  }

  #lines(indent: string): string[] {
    const lines = (head: string, shape: VariableShape): string[] =>
      shape.#inline === undefined
        ? [indent + head, ...shape.#lines(`${indent}  `)]
        : [`${indent}${head} ${shape.#inline}`];
    if (this.fields.size > 0) {
      return [...this.fields].flatMap(([name, shape]) => lines(`${keyText(name)}:`, shape));
    }
    return this.#items.length > 0 ? this.#items.flatMap((item) => lines("-", item)) : [this.#inline ?? ""];
  }
}

function keyText(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && !RESERVED.test(name) ? name : JSON.stringify(name);
}
