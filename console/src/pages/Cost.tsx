import { useWords } from "../words.tsx";
import type { Task } from "../workflowQueries.ts";

/** Writes amounts of money in the language of the page; a run may cost millionths. */
export function useMoney(currency: string): (amount: number) => string {
  const { locale } = useWords();
  const money = new Intl.NumberFormat(locale, { style: "currency", currency, maximumFractionDigits: 6 });
  return (amount) => money.format(amount);
}

/** What a run has used so far, part by part. */
export function Cost({ cost: { currency, total, parts } }: { cost: NonNullable<Task["cost"]> }) {
  const { t, word, locale } = useWords();
  const money = useMoney(currency);
  const used = Object.entries(parts).filter(([, { amount }]) => amount > 0);
  return (
    <details className="quiet">
      <summary>{t("Cost so far, at the prices of now: {amount}", { amount: money(total) })}</summary>
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
              <th scope="row">{word(part)}</th>
              <td>{amount.toLocaleString(locale, { maximumFractionDigits: 3 })}</td>
              <td>{money(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
