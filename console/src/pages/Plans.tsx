import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { systemRightsQuery } from "../adminQueries.ts";
import { Operate } from "../operations/Operate.tsx";
import type { Answer } from "../operations/OperationForm.tsx";
import { OperationLinks } from "../operations/OperationLinks.tsx";
import { Loaded, Pages, Status, When } from "../parts.tsx";
import { plansOnPage, plansQuery } from "../planQueries.ts";
import { useSession } from "../session.ts";
import { useWords } from "../words.tsx";
import { PlanBoard } from "./PlanBoard.tsx";
import { PlanCalendar } from "./PlanCalendar.tsx";

/** Release plans as a list for everybody; for those who may read them all as a board and in a calendar besides. */
export default function Plans() {
  const { t } = useWords();
  const { view } = useSearch({ from: "/shell/v1/releasePlan" });
  const { data } = useQuery(systemRightsQuery);
  return (
    <>
      <div className="head">
        <h1>{t("Release plans")}</h1>
        {data?.mayReadPlans === true && (
          <nav className="actions" aria-label={t("Views")}>
            <Link to="/v1/releasePlan" activeOptions={{ exact: true }}>
              {t("List")}
            </Link>
            <Link to="/v1/releasePlan" search={{ view: "board" }}>
              {t("Board")}
            </Link>
            <Link to="/v1/releasePlan" search={{ view: "calendar" }}>
              {t("Calendar")}
            </Link>
          </nav>
        )}
        {data?.mayMakePlans === true && <NewPlan />}
      </div>
      {view === "board" ? <PlanBoard /> : view === "calendar" ? <PlanCalendar /> : <PlanList />}
    </>
  );
}

function NewPlan() {
  const { t } = useWords();
  const { account = "", identityType = "" } = useSession() ?? {};
  const navigate = useNavigate();
  const open = (answer: Answer): void => {
    const made = "json" in answer ? (answer.json as { id?: string } | null) : null;
    if (made?.id !== undefined) void navigate({ to: "/v1/releasePlan/detail", search: { id: made.id } });
  };
  return (
    <div className="actions">
      <OperationLinks label={t("Freezes")} operations={{ listFreezes: t("Freezes") }} />
      <Operate
        operation="createReleasePlan"
        label={t("New plan")}
        given={{ manager: account, manager_identity_type: identityType }}
        isMain
        onDone={open}
      />
    </div>
  );
}

function PlanList() {
  const { t } = useWords();
  const { page = 1 } = useSearch({ from: "/shell/v1/releasePlan" });
  return (
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
  );
}
