import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import {
  Boxes,
  ChartColumn,
  Fence,
  FolderKanban,
  LayoutDashboard,
  type LucideIcon,
  Package,
  Rocket,
  Settings,
  ShieldCheck,
  SquareFunction,
  UserRound,
  Waypoints,
} from "lucide-react";
import { systemRightsQuery } from "../adminQueries.ts";
import { mayOne, rightsQuery } from "../queries.ts";
import { useSession } from "../session.ts";
import { useWords } from "../words.tsx";
import { useHere } from "./crumbs.ts";

/** The pages of the installation, and below them those of the project that is shown. */
export function Sidebar() {
  const { t } = useWords();
  const session = useSession();
  const { params, search } = useHere();
  const project = params.project ?? (typeof search.namespace === "string" ? search.namespace : undefined);
  const { data: rights } = useQuery(systemRightsQuery);
  return (
    <>
      <nav aria-label={t("Main navigation")}>
        <Entry icon={FolderKanban} label={t("Projects")} to="/" activeOptions={{ exact: true }} />
        <Entry icon={Rocket} label={t("Release plans")} to="/v1/releasePlan" />
        <Entry icon={ChartColumn} label={t("Statistics")} to="/v1/statistics" />
        <Entry icon={Waypoints} label={t("Trace")} to="/v1/artifacts/trace" search={{ image: "" }} />
        {rights?.mayReadLog === true && <Entry icon={Settings} label={t("Administration")} to="/administration" />}
        <Entry icon={SquareFunction} label={t("All operations")} to="/operations" />
        <Entry icon={UserRound} label={session?.name ?? ""} to="/account" />
      </nav>
      {project !== undefined && <OfProject project={project} />}
    </>
  );
}

function OfProject({ project }: { project: string }) {
  const { t } = useWords();
  const { data: rights } = useQuery(rightsQuery(project));
  const may = (...verbs: string[]): boolean => rights !== undefined && mayOne(rights, [], ...verbs);
  const params = { project };
  return (
    <nav aria-label={t("This project")}>
      <p className="quiet">{project}</p>
      <Entry
        icon={LayoutDashboard}
        label={t("Overview")}
        to="/v1/projects/detail/$project"
        params={params}
        activeOptions={{ exact: true }}
      />
      {may("get_service", "get_production_service") && (
        <Entry icon={Boxes} label={t("Services")} to="/v1/projects/detail/$project/services" params={params} />
      )}
      {may("get_delivery") && (
        <Entry
          icon={Package}
          label={t("Delivery versions")}
          to="/v1/projects/detail/$project/version"
          params={params}
        />
      )}
      {may() && (
        <>
          <Entry icon={ShieldCheck} label={t("Roles")} to="/administration/roles" search={{ namespace: project }} />
          <Entry icon={Fence} label={t("Boundary")} to="/v1/projects/detail/$project/boundary" params={params} />
        </>
      )}
    </nav>
  );
}

function Entry({ icon: Icon, label, ...link }: { icon: LucideIcon; label: string } & LinkProps) {
  return (
    <Link {...link}>
      <Icon size={16} aria-hidden />
      {label}
    </Link>
  );
}
