import { createInterface } from "node:readline/promises";
import { WrongUsage } from "../endings.ts";

/**
 * Asks a person.
 * @param option what a script gives instead
 * @throws WrongUsage where standard input is not a terminal
 */
export async function ask(question: string, option: string, settings: { isSecret?: boolean } = {}): Promise<string> {
  if (process.stdin.isTTY !== true) throw new WrongUsage(`nobody is there to be asked: give ${option}`);
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  // What is typed after the question is not shown.
  if (settings.isSecret) {
    const shown = reader as unknown as { _writeToOutput(text: string): void };
    shown._writeToOutput = (text) => {
      if (text.includes(question)) process.stderr.write(question);
    };
  }
  try {
    return (await reader.question(question)).trim();
  } finally {
    reader.close();
    if (settings.isSecret) process.stderr.write("\n");
  }
}
