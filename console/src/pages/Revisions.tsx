import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Diff, Loaded, Pages, When } from "../parts.tsx";
import {
  type Definition,
  revisionQuery,
  revisionsOnPage,
  revisionsQuery,
  type ServiceDetail,
} from "../serviceQueries.ts";
import { unifiedDiff } from "../unifiedDiff.ts";
import { textOf } from "../VariableValue.tsx";
import { useWords } from "../words.tsx";

/** The revisions of a service, and of the chosen one what it changed. @param props.onTake takes its text over */
export function Revisions({ of, onTake }: { of: Definition; onTake?(yaml: string): void }) {
  const { t } = useWords();
  const { page = 1, revision: chosen } = useSearch({ from: "/shell/v1/projects/detail/$project/services" });
  return (
    <Loaded from={useQuery(revisionsQuery(of, page))}>
      {({ total, revisions }) => (
        <>
          <ul className="rows" aria-label={t("Revisions")}>
            {revisions.map(({ revision, created_by, created_time, images }) => (
              <li key={revision} className={revision === chosen ? "chosen" : ""}>
                <Link
                  to="."
                  search={({ revision: _shown, ...before }) => ({
                    ...before,
                    ...(revision !== chosen && { revision }),
                  })}
                  resetScroll={false}
                >
                  {t("Revision {number}", { number: revision })}
                </Link>
                <span className="quiet">
                  <When who={created_by} seconds={created_time} />
                </span>
                {revision === total && <span className="tag">{t("now")}</span>}
                {[...new Set(images)].map((image) => (
                  <code key={image}>{image}</code>
                ))}
                {revision === chosen && <Chosen of={of} revision={revision} {...(onTake && { onTake })} />}
              </li>
            ))}
          </ul>
          <Pages page={page} isLast={page * revisionsOnPage >= total} />
        </>
      )}
    </Loaded>
  );
}

function Chosen({ of, revision, onTake }: { of: Definition; revision: number; onTake?(yaml: string): void }) {
  const { t } = useWords();
  const before = useQuery({ ...revisionQuery(of, revision - 1), enabled: revision > 1 });
  return (
    <Loaded from={useQuery(revisionQuery(of, revision))}>
      {(after) => (
        <div className="shown">
          {revision === 1 ? (
            <Change before={undefined} after={after} />
          ) : (
            <Loaded from={before}>{(earlier) => <Change before={earlier} after={after} />}</Loaded>
          )}
          {onTake !== undefined && (
            <Button type="button" onClick={() => onTake(after.yaml)}>
              {t("Edit this text")}
            </Button>
          )}
        </div>
      )}
    </Loaded>
  );
}

const variablesOf = (service: ServiceDetail | undefined): string =>
  (service?.service_variable_kvs ?? []).map(({ key, value }) => `${key}: ${textOf(value)}\n`).join("");

function Change({ before, after }: { before: ServiceDetail | undefined; after: ServiceDetail }) {
  const { t } = useWords();
  const changes = [
    unifiedDiff(before?.yaml ?? "", after.yaml, ["YAML", "YAML"]),
    unifiedDiff(variablesOf(before), variablesOf(after), [t("Variables"), t("Variables")]),
  ];
  if (changes.every((change) => change === "")) return <p>{t("The two are the same.")}</p>;
  return changes.map((change, at) =>
    change === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text and the variables, always in this order
      <p key={at}>{t("The two have too little in common to be compared.")}</p>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text and the variables, always in this order
      change !== "" && <Diff key={at} text={change} />
    ),
  );
}
