/** The `$` variables of a running template: one stack, on which a name finds its newest declaration. */
export class VariableStack<T> {
  readonly #stack: { name: string; held: T }[] = [];
  readonly #byName = new Map<string, { name: string; held: T }[]>();

  /** A mark to pop back to. */
  get mark(): number {
    return this.#stack.length;
  }

  push(name: string, held: T): void {
    const variable = { name, held };
    this.#stack.push(variable);
    const sameName = this.#byName.get(name);
    if (sameName) sameName.push(variable);
    else this.#byName.set(name, [variable]);
  }

  popTo(mark: number): void {
    while (this.#stack.length > mark) {
      const variable = this.#stack.pop();
      if (variable) this.#byName.get(variable.name)?.pop();
    }
  }

  get(name: string): T | undefined {
    return this.#byName.get(name)?.at(-1)?.held;
  }

  /** Changes a variable; false when there is none of the name. */
  set(name: string, held: T): boolean {
    const variable = this.#byName.get(name)?.at(-1);
    if (variable) variable.held = held;
    return variable !== undefined;
  }

  /** Changes the variable at this depth of the stack; 1 is the newest. */
  setTop(depth: number, held: T): void {
    const variable = this.#stack.at(-depth);
    if (variable) variable.held = held;
  }
}
