/** A request that a test sent, and what was answered, without what differs from run to run and without secrets. */
export interface Example {
  /** Values of parameters of path and query by their names. */
  parameters?: Readonly<Record<string, string>>;
  body?: unknown;
  /** JSON, or the text that was answered. */
  answer?: unknown;
}

interface Media {
  example?: unknown;
}

interface Operation {
  operationId?: string;
  parameters?: readonly { name: string; example?: unknown }[];
  requestBody?: { content?: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
}

/** Puts recorded examples, by `operationId`, where readers of the API document look for them. */
export function addExamples(paths: object, examples: Readonly<Record<string, Example>>): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods as object) as Operation[]);
  for (const operation of operations) {
    const example = examples[operation.operationId ?? ""];
    if (example !== undefined) addExample(operation, example);
  }
}

function addExample({ parameters = [], requestBody, responses = {} }: Operation, example: Example): void {
  for (const parameter of parameters) {
    const value = example.parameters?.[parameter.name];
    if (value !== undefined) parameter.example = value;
  }
  const [sent] = Object.values(requestBody?.content ?? {});
  if (sent !== undefined && example.body !== undefined) sent.example = example.body;
  const success = Object.keys(responses).find((status) => status.startsWith("2")) ?? "";
  const [answered] = Object.values(responses[success]?.content ?? {});
  if (answered !== undefined && example.answer !== undefined) answered.example = example.answer;
}
