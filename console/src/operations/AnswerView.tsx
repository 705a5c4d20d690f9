import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { download } from "../download.ts";
import { Ago, Search, Status } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { type ApiDocument, type Operation, readable } from "./apiDocument.ts";
import { recordsOf } from "./choices.ts";
import type { Answer } from "./OperationForm.tsx";

const maxColumns = 7;
const maxRows = 500;
const times = /(_at|_time|^created|^updated|Time)$/;

interface Props {
  document: ApiDocument;
  operation: Operation;
  /** Parameters that the list was asked for with. */
  values: Readonly<Record<string, string>>;
  answer: Answer;
}

/** What an operation answered: records as a table with what can be done with each, anything else as it is. */
export function AnswerView(props: Props) {
  const { t } = useWords();
  const { answer, operation } = props;
  const records = "json" in answer ? recordsOf(answer.json) : undefined;
  const text = "json" in answer ? JSON.stringify(answer.json, null, 2) : answer.text;
  if (records !== undefined && operation.reads) return <Records {...props} records={records} />;
  return (
    <section className="answer" aria-label={t("Answer")} role="status">
      <div className="head">
        <h2>{t("Answer")}</h2>
        <Button onClick={() => download(`${operation.id}.${"json" in answer ? "json" : "txt"}`, new Blob([text]))}>
          {t("Download")}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre tabIndex={0} className="wraps">
        {text}
      </pre>
    </section>
  );
}

type Entry = Readonly<Record<string, unknown>>;

function Records({ document, operation, values, records }: Props & { records: readonly Entry[] }) {
  const { t } = useWords();
  const [wanted, setWanted] = useState("");
  const columns = columnsOf(records);
  const found = records.filter((record) =>
    columns.some((key) => String(record[key]).toLowerCase().includes(wanted.trim().toLowerCase())),
  );
  const actions = actionsOn(document, operation);
  if (records.length === 0) return <p className="empty">{t("There is nothing yet.")}</p>;
  return (
    <section className="answer" aria-label={t("Answer")}>
      <div className="head">
        <p className="quiet">{t("{count} records", { count: found.length })}</p>
        <Search label={t("Search in it")} text={wanted} onChange={setWanted} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <section className="table" tabIndex={0} aria-label={operation.summary}>
        <table>
          <thead>
            <tr>
              {columns.map((key) => (
                <th key={key} scope="col">
                  {readable(key)}
                </th>
              ))}
              {actions.length > 0 && <th scope="col">{t("Actions")}</th>}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, maxRows).map((record, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: records of any list have no common key
              <tr key={at}>
                {columns.map((key) => (
                  <td key={key}>
                    <Cell name={key} value={record[key]} />
                  </td>
                ))}
                {actions.length > 0 && (
                  <td className="actions">
                    {actions.map(({ id, name, label, of }) => (
                      <Link
                        key={id}
                        to="/operations/$operation"
                        params={{ operation: id }}
                        search={{ with: { ...values, [name]: String(keyOf(record, name) ?? "") } }}
                        title={of.summary}
                      >
                        {t(label)}
                      </Link>
                    ))}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** The columns of a list: what names a record first, and nothing that is a structure. */
function columnsOf(records: readonly Entry[]): string[] {
  const isShown = (key: string) => records.some((record) => isScalar(record[key]) && record[key] !== "");
  const rank = (key: string): number =>
    /^(alias|name|.*_name|.*_key|account|label)$/.test(key) ? 0 : /id$/i.test(key) ? 2 : 1;
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))].filter(isShown);
  return keys.sort((a, b) => rank(a) - rank(b)).slice(0, maxColumns);
}

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

function Cell({ name, value }: { name: string; value: unknown }) {
  if (typeof value === "number" && times.test(name) && value > 1e9)
    return <Ago seconds={value > 1e12 ? value / 1000 : value} />;
  if (name === "status" && typeof value === "string" && value !== "") return <Status status={value} />;
  if (typeof value === "boolean") return value ? "✓" : "–";
  const text = isScalar(value) ? String(value) : "";
  return <span title={text.length > 60 ? text : undefined}>{text.length > 60 ? `${text.slice(0, 60)}…` : text}</span>;
}

const labels = { GET: "Show", PUT: "Change", DELETE: "Delete" } as const;

/** What can be done with one record of a list: the operations at its path and one parameter more. */
function actionsOn({ operations }: ApiDocument, list: Operation) {
  return operations.flatMap((of) => {
    const [, name] = of.path.startsWith(`${list.path}/{`)
      ? (/^\/\{(\w+)\}$/.exec(of.path.slice(list.path.length)) ?? [])
      : [];
    const label = labels[of.method as keyof typeof labels];
    return name === undefined || label === undefined ? [] : [{ id: of.id, name, label, of }];
  });
}

/** The value of a record that a parameter of a path names. */
function keyOf(record: Entry, name: string): unknown {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const kin = Object.keys(record).find((key) => key.endsWith(name === "id" ? "_id" : `_${name}`));
  const own = /id$/i.test(name) ? record.id : record.name;
  return record[name] ?? record[snake] ?? own ?? (kin === undefined ? undefined : record[kin]);
}
