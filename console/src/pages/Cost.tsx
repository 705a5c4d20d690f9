import { useWords } from "../words.tsx";
import type { Task } from "../workflowQueries.ts";

/** What a run has used so far, part by part. */
export function Cost({ cost: { currency, total, parts } }: { cost: NonNullable<Task["cost"]> }) {
  const { t, language } = useWords();
  const money = new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 6 });
  const used = Object.entries(parts).filter(([, { amount }]) => amount > 0);
  return (
    <details className="quiet">
      <summary>{t("Cost so far, at the prices of now: {amount}", { amount: money.format(total) })}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("Part")}</th>
            <th scope="col">{t("Amount")}</th>
            <th scope="col">{t("Cost")}</th>
          </tr>
        </thead>
        <tbody>
          {used.map(([part, { amount, cost }]) => (
            <tr key={part}>
              <th scope="row">{part.replaceAll("_", " ")}</th>
              <td>{amount.toLocaleString(language, { maximumFractionDigits: 3 })}</td>
              <td>{money.format(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
