import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Loaded, Pages, Status, When } from "../parts.tsx";
import { plansOnPage, plansQuery } from "../planQueries.ts";
import { useWords } from "../words.tsx";

export default function Plans() {
  const { t } = useWords();
  const { page = 1 } = useSearch({ from: "/shell/v1/releasePlan" });
  return (
    <>
      <h1>{t("Release plans")}</h1>
      <Loaded from={useQuery(plansQuery(page))}>
        {({ list, total }) =>
          total === 0 ? (
            <p className="empty">{t("No release plans yet. POST /openapi/release_plan/v1 creates one.")}</p>
          ) : (
            <>
              <ul className="rows">
                {list.map(({ id, index, name, manager, status, create_time }) => (
                  <li key={id}>
                    <Link to="/v1/releasePlan/detail" search={{ id }}>
                      {index} {name}
                    </Link>
                    <Status status={status} />
                    <span className="quiet">
                      <When who={manager} seconds={create_time} />
                    </span>
                  </li>
                ))}
              </ul>
              <Pages page={page} isLast={page * plansOnPage >= total} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
