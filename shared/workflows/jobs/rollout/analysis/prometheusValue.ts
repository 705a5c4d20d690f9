import * as z from "zod";
import { secondsOfLook } from "./analyses.ts";
import { askServer } from "./askServer.ts";
import { NoValue } from "./noValue.ts";

/** Unix seconds, and the number as a text. */
const sample = z.tuple([z.number(), z.string()]);
const answer = z.object({
  data: z.discriminatedUnion("resultType", [
    z.object({ resultType: z.literal("scalar"), result: sample }),
    z.object({ resultType: z.literal("vector"), result: z.array(z.object({ value: sample })) }),
  ]),
});

/** What an expression is now. @throws NoValue unless it is one number */
export async function prometheusValue(integrationId: string, expression: string): Promise<number> {
  const query = new URLSearchParams({ query: expression, timeout: `${secondsOfLook}s` });
  const read = answer.safeParse(await askServer(integrationId, "prometheus", `/api/v1/query?${query}`));
  if (!read.success) throw new NoValue("the expression is neither a number nor an instant vector");
  const { data } = read.data;
  const samples = data.resultType === "scalar" ? [data.result] : data.result.map(({ value }) => value);
  const [first, ...more] = samples;
  if (first === undefined) throw new NoValue("there is no data");
  if (more.length > 0) throw new NoValue(`the expression has ${samples.length} series; it must have one`);
  const value = Number(first[1].replace("Inf", "Infinity"));
  if (!Number.isFinite(value)) throw new NoValue(`the expression is ${first[1]}`);
  return value;
}
