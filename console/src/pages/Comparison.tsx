import { NativeSelect } from "@mantine/core";
import type { components } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useId } from "react";
import { environmentQuery, environmentsQuery } from "../environmentQueries.ts";
import { Loaded } from "../parts.tsx";
import type { Place } from "../queries.ts";
import { useWords } from "../words.tsx";

const here = "/shell/v1/projects/detail/$project/envs/compare";

type Service = components["schemas"]["EnvironmentDetail"]["services"][number];

/** What is different between two environments: services, images and variables. */
export default function Comparison() {
  const { t } = useWords();
  const { project } = useParams({ from: here });
  const { one, other } = useSearch({ from: here });
  const navigate = useNavigate({ from: "/v1/projects/detail/$project/envs/compare" });
  return (
    <>
      <h1>{t("Compare environments")}</h1>
      <Loaded from={useQuery(environmentsQuery(project))}>
        {(all) => {
          const placeOf = (env: string | undefined): Place | undefined =>
            all
              .filter(({ env_key }) => env_key === env)
              .map(({ env_key, production }) => ({ project, env: env_key, production }))[0];
          const [before, after] = [placeOf(one), placeOf(other)];
          const keys = all.map(({ env_key }) => env_key);
          return (
            <>
              <div className="actions">
                <Choice
                  label={t("From")}
                  keys={keys}
                  value={one}
                  choose={(env) => void navigate({ search: (rest) => ({ ...rest, one: env }) })}
                />
                <Choice
                  label={t("To")}
                  keys={keys}
                  value={other}
                  choose={(env) => void navigate({ search: (rest) => ({ ...rest, other: env }) })}
                />
              </div>
              {before !== undefined && after !== undefined && <Differences before={before} after={after} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Choice(props: { label: string; keys: string[]; value: string | undefined; choose(env: string): void }) {
  const { t } = useWords();
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{props.label}</label>
      <NativeSelect id={id} value={props.value ?? ""} onChange={({ target }) => props.choose(target.value)}>
        <option value="" disabled>
          {t("choose an environment")}
        </option>
        {props.keys.map((key) => (
          <option key={key}>{key}</option>
        ))}
      </NativeSelect>
    </div>
  );
}

function Differences({ before, after }: { before: Place; after: Place }) {
  const one = useQuery(environmentQuery(before));
  const other = useQuery(environmentQuery(after));
  return (
    <Loaded from={one}>
      {(left) => <Loaded from={other}>{(right) => <Found left={left.services} right={right.services} />}</Loaded>}
    </Loaded>
  );
}

function Found({ left, right }: { left: Service[]; right: Service[] }) {
  const { t } = useWords();
  const names = [...new Set([...left, ...right].map(({ service_name }) => service_name))].sort();
  const changed = names
    .map((name) => {
      const [before, after] = [left, right].map((services) => partsOf(services, name));
      return { name, lines: linesOf(before ?? new Map(), after ?? new Map()) };
    })
    .filter(({ lines }) => lines.length > 0);
  if (changed.length === 0) return <p>{t("Their services, images and variables are the same.")}</p>;
  return changed.map(({ name, lines }) => (
    <section key={name} aria-label={t("Differences of {name}", { name })}>
      <h2>{name}</h2>
      {lines.map(({ part, before, after }) => (
        <dl key={part}>
          <dt>{part}</dt>
          {before !== undefined && <dd className="removed">- {before}</dd>}
          {after !== undefined && <dd className="added">+ {after}</dd>}
        </dl>
      ))}
    </section>
  ));
}

/** What can be compared of a service: the chart, the image of each container, and each variable. */
function partsOf(services: readonly Service[], name: string): Map<string, string> {
  const service = services.find(({ service_name }) => service_name === name);
  if (service === undefined) return new Map();
  const { chart, containers, variable_kvs } = service;
  return new Map([
    ...(chart === undefined ? [] : [["chart", `${chart.name} ${chart.version}`] as const]),
    ...containers.map(({ name: container, image }) => [container, image] as const),
    ...variable_kvs.map(({ key, value }) => [`$${key}`, JSON.stringify(value)] as const),
  ]);
}

function linesOf(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>) {
  return [...new Set([...left.keys(), ...right.keys()])]
    .map((part) => ({ part, before: left.get(part), after: right.get(part) }))
    .filter(({ before, after }) => before !== after);
}
