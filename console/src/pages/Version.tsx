import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useId, useState } from "react";
import { Action } from "../Decision.tsx";
import {
  deleteVersion,
  deliveryVersionQuery,
  deliveryVersionsQuery,
  deployVersion,
  differenceQuery,
  retryVersion,
  type VersionImage,
  verificationQuery,
  type Version as Whole,
} from "../deliveryQueries.ts";
import { environmentsQuery } from "../environmentQueries.ts";
import { Diff, Loaded, Status, When } from "../parts.tsx";
import { mayOne, type Place, type Rights, rightsQuery, searchOf } from "../queries.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";

const here = "/shell/v1/projects/detail/$project/version/$version";

/** A delivery version: its images by digest, what is different from another, and what can be done with it. */
export default function Version() {
  const { t } = useWords();
  const { project, version: id } = useParams({ from: here });
  const { data: rights } = useQuery(rightsQuery(project));
  return (
    <Loaded from={useQuery(deliveryVersionQuery(project, id))}>
      {(version) => (
        <>
          <div className="head">
            <h1>
              {version.version_name} <Status status={version.status} />
            </h1>
            {rights !== undefined && <Actions version={version} rights={rights} />}
          </div>
          <p className="quiet">
            {version.desc} <When who={version.created_by} seconds={version.create_time} />
            {version.env_name !== "" && (
              <>
                {", "}
                {t("of what {name} ran", { name: version.env_name })}
              </>
            )}
          </p>
          {version.error !== "" && !isOfAnImage(version) && <p className="failure">{version.error}</p>}
          {rights !== undefined && mayOne(rights) && <Signatures project={project} />}
          <h2>{t("Images")}</h2>
          <Services version={version} />
          <Comparison version={version} />
        </>
      )}
    </Loaded>
  );
}

/** Whether an image says the same of itself. */
const isOfAnImage = ({ error, services }: Whole): boolean =>
  services.some(({ images }) => images.some((image) => image.error === error));

/** What its project demands of signatures; a version whose images lack them fails. */
function Signatures({ project }: { project: string }) {
  const { t } = useWords();
  return (
    <Loaded from={useQuery(verificationQuery(project))}>
      {({ enabled }) => (
        <p className="quiet">
          {enabled
            ? t("The project demands signatures: a version with an image that nobody signed fails and names it.")
            : t("The project demands no signatures.")}
        </p>
      )}
    </Loaded>
  );
}

function Services({ version }: { version: Whole }) {
  const { t } = useWords();
  return (
    <ul className="rows" aria-label={t("Images")}>
      {version.services.flatMap(({ service_name, chart_version, chart_status, images, error }) => [
        ...(chart_version === ""
          ? []
          : [
              <li key={service_name}>
                <span className="name">
                  {service_name} {chart_version}
                </span>
                {chart_status !== "" && <Status status={chart_status} />}
                {error !== "" && <p className="problem">{error}</p>}
              </li>,
            ]),
        ...images.map((image) => (
          <ImageOf
            key={`${service_name}/${image.container_name}`}
            service={service_name}
            image={image}
            isRefused={version.error !== ""}
          />
        )),
      ])}
    </ul>
  );
}

/** As it was when the version was made; the error of a refused version says what is missing. */
function Signature({ signature, isRefused }: Pick<VersionImage, "signature"> & { isRefused: boolean }) {
  const { t } = useWords();
  if (signature === null && isRefused) return null;
  if (signature === null) return <span className="quiet">{t("Its signature was not checked.")}</span>;
  const { identity, issuer } = signature;
  return (
    <span className="quiet">
      {identity === ""
        ? t("Signed with the key of the project.")
        : t("Signed by {identity} ({issuer}).", { identity, issuer })}
    </span>
  );
}

function ImageOf({ service, image, isRefused }: { service: string; image: VersionImage; isRefused: boolean }) {
  const { t } = useWords();
  const { container_name, target_image, source_image, push_image, status, digest, size, platforms, error } = image;
  return (
    <li>
      <span className="name">
        {service}/{container_name}
      </span>
      {push_image && status !== "" && <Status status={status} />}
      {!push_image && <span className="tag">{t("stays where it is")}</span>}
      <span className="quiet">
        {size > 0 && t("{count} MB", { count: Math.ceil(size / 1_000_000) })} {platforms.join(", ")}
      </span>
      <Link to="/v1/artifacts/trace" search={{ image: digest || target_image }} className="away">
        {t("Trace of {name}", { name: container_name })}
      </Link>
      <code>{target_image}</code>
      <code>{digest === "" ? t("Its digest is not known yet.") : digest}</code>
      <Signature signature={image.signature} isRefused={isRefused} />
      {push_image && source_image !== "" && <code>{t("copied from {image}", { image: source_image })}</code>}
      {error !== "" && <p className="problem">{error}</p>}
    </li>
  );
}

function Comparison({ version }: { version: Whole }) {
  const { t } = useWords();
  const id = useId();
  const navigate = useNavigate({ from: "/v1/projects/detail/$project/version/$version" });
  const { compare } = useSearch({ from: here });
  return (
    <Loaded from={useQuery(deliveryVersionsQuery(version.project_key))}>
      {({ list }) => {
        const others = list.filter((other) => other.id !== version.id);
        if (others.length === 0) return null;
        return (
          <>
            <h2>{t("Differences")}</h2>
            <label htmlFor={id}>{t("What is different from")}</label>
            <NativeSelect
              id={id}
              value={compare ?? ""}
              onChange={({ target: { value } }) => void navigate({ search: value === "" ? {} : { compare: value } })}
            >
              <option value="">{t("choose a version")}</option>
              {others.map((other) => (
                <option key={other.id} value={other.id}>
                  {other.version_name}
                </option>
              ))}
            </NativeSelect>
            {compare !== undefined && <Difference before={compare} after={version.id} />}
          </>
        );
      }}
    </Loaded>
  );
}

const shownImage = (image: { image: string; digest: string } | null): string =>
  image === null ? "" : [image.image, image.digest].filter((part) => part !== "").join(" ");

function Difference({ before, after }: { before: string; after: string }) {
  const { t } = useWords();
  return (
    <Loaded from={useQuery(differenceQuery(before, after))}>
      {({ services }) => {
        const changed = services.filter(({ change }) => change !== "unchanged");
        if (changed.length === 0) return <p>{t("The two are the same.")}</p>;
        return changed.map(({ service_name, change, images, yaml_diff }) => (
          <section key={service_name} aria-label={t("Differences of {name}", { name: service_name })}>
            <h3>
              {service_name} <span className="tag">{change}</span>
            </h3>
            {images
              .filter((image) => image.change !== "unchanged")
              .map((image) => (
                <dl key={image.container_name}>
                  <dt>{image.container_name}</dt>
                  {image.before !== null && <dd className="removed">- {shownImage(image.before)}</dd>}
                  {image.after !== null && <dd className="added">+ {shownImage(image.after)}</dd>}
                </dl>
              ))}
            {yaml_diff !== "" && <Diff text={yaml_diff} />}
          </section>
        ));
      }}
    </Loaded>
  );
}

type Change = { kind: "deploy"; place: Place } | { kind: "delete" };

function Actions({ version, rights }: { version: Whole; rights: Rights }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const [change, setChange] = useState<Change>();
  const { project_key: project, version_name: name } = version;
  const { data: environments = [] } = useQuery(environmentsQuery(project));
  const places = environments
    .filter(({ env_key, production }) =>
      mayOne(
        rights,
        rights.environment_verbs_map[env_key],
        production ? "config_production_environment" : "config_environment",
      ),
    )
    .map(({ env_key: env, production }) => ({ project, env, production }));
  return (
    <div className="actions">
      {version.status === "success" && places.length > 0 && (
        <NativeSelect
          aria-label={t("Deploy {name}", { name })}
          value=""
          onChange={({ target }) => {
            const place = places.find(({ env }) => env === target.value);
            if (place !== undefined) setChange({ kind: "deploy", place });
          }}
        >
          <option value="">{t("Deploy into…")}</option>
          {places.map(({ env, production }) => (
            <option key={env} value={env}>
              {production ? `${env} (${t("production")})` : env}
            </option>
          ))}
        </NativeSelect>
      )}
      {version.status === "failed" && mayOne(rights, [], "create_delivery") && (
        <Action label={t("Retry")} run={() => retryVersion(version)} />
      )}
      {mayOne(rights, [], "delete_delivery") && (
        <Button type="button" onClick={() => setChange({ kind: "delete" })}>
          {t("Delete")}
        </Button>
      )}
      {change?.kind === "deploy" && (
        <Confirmed
          name={change.place.env}
          title={t("Deploy {name} into {env}", { name, env: change.place.env })}
          action={t("Deploy")}
          run={(isPreview) => deployVersion(version, change.place, isPreview)}
          onDone={() =>
            void navigate({
              to: "/v1/projects/detail/$project/envs/detail",
              params: { project },
              search: searchOf(change.place),
            })
          }
          onClose={() => setChange(undefined)}
        />
      )}
      {change?.kind === "delete" && (
        <Confirmed
          name={name}
          title={t("Delete version {name}", { name })}
          action={t("Delete")}
          warning={t("Its images stay in the registry, and what runs keeps running. Its name becomes free.")}
          run={() => deleteVersion(version)}
          onDone={() => void navigate({ to: "/v1/projects/detail/$project/version", params: { project } })}
          onClose={() => setChange(undefined)}
        />
      )}
    </div>
  );
}
