import { invokeNow } from "../../base/aws/functions/invokeNow.ts";
import { ServiceTrouble } from "../../base/errors/serviceTrouble.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import { ChartProblem } from "./chartProblem.ts";

/**
 * Asks the function that has Helm and waits for its answer.
 * @throws ChartProblem in words for users; ServiceTrouble when a service fails that it needs
 */
export async function askHelm(
  task: "lint" | "render" | "values" | "uninstall" | "standing",
  asked: object,
): Promise<unknown> {
  const answer = await invokeNow("helm", { task, asked });
  if (!isRecord(answer)) throw new Error("the function of Helm gave no answer");
  if (typeof answer.problem === "string") throw new ChartProblem(answer.problem);
  if (typeof answer.trouble === "string") throw new ServiceTrouble(`the function of Helm: ${answer.trouble}`);
  return answer.answer;
}
