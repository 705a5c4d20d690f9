import { useWords } from "./words.tsx";

export interface Amount {
  /** `YYYY-MM-DD` */
  date: string;
  good: number;
  bad: number;
}

const height = 120;
const width = 12;

/** What ended well and what did not, day by day; the same as a table for those who do not see it. */
export function Bars({ days }: { days: readonly Amount[] }) {
  const { t } = useWords();
  if (days.every(({ good, bad }) => good + bad === 0))
    return <p className="empty">{t("Nothing ended in this time.")}</p>;
  const most = Math.max(...days.map(({ good, bad }) => good + bad));
  const scaled = (amount: number): number => (amount / most) * (height - 4);
  const sum = (of: "good" | "bad"): number => days.reduce((all, day) => all + day[of], 0);
  const said = t("{good} passed, {bad} failed", { good: sum("good"), bad: sum("bad") });
  return (
    <figure className="details">
      <svg
        viewBox={`0 0 ${days.length * width} ${height}`}
        preserveAspectRatio="xMinYMax meet"
        className="bars"
        role="img"
        aria-label={said}
      >
        {days.map(({ date, good, bad }, at) => (
          <g key={date}>
            <title>{`${date}: ${t("{good} passed, {bad} failed", { good, bad })}`}</title>
            <rect
              className="good"
              x={at * width + 1}
              width={width - 2}
              y={height - scaled(good)}
              height={scaled(good)}
            />
            <rect
              className="bad"
              x={at * width + 1}
              width={width - 2}
              y={height - scaled(good) - scaled(bad)}
              height={scaled(bad)}
            />
          </g>
        ))}
      </svg>
      <figcaption>{said}</figcaption>
      <details>
        <summary>{t("As a table")}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Day")}</th>
              <th scope="col">{t("Passed")}</th>
              <th scope="col">{t("Failed")}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, good, bad }) => (
              <tr key={date}>
                <th scope="row">{date}</th>
                <td>{good}</td>
                <td>{bad}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
