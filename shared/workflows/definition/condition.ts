const form = /^\s*(<=|>=|==|!=|<|>)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*$/;

/** What a condition has to be, for a sentence. */
export const conditionForm =
  "must be a comparison with a number, such as < 0.05: one of < <= > >= == != and the number";

const comparisons: Readonly<Record<string, (value: number, number: number) => boolean>> = {
  "<": (value, number) => value < number,
  "<=": (value, number) => value <= number,
  ">": (value, number) => value > number,
  ">=": (value, number) => value >= number,
  "==": (value, number) => value === number,
  "!=": (value, number) => value !== number,
};

/** Reads `<op> <number>` (decisions 12.5). @returns whether a value fulfils it; undefined when it is none */
export function condition(text: string): ((value: number) => boolean) | undefined {
  const [, operator = "", number = ""] = form.exec(text) ?? [];
  const holds = comparisons[operator];
  return holds && ((value) => holds(value, Number(number)));
}
