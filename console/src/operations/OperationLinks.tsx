import { Link } from "@tanstack/react-router";

/** Ways to operations, such as the lists that have no page of their own. @param props.operations label by id */
export function OperationLinks(props: {
  label: string;
  operations: Readonly<Record<string, string>>;
  given?: Readonly<Record<string, string>>;
}) {
  return (
    <nav className="actions" aria-label={props.label}>
      {Object.entries(props.operations).map(([operation, label]) => (
        <Link key={operation} to="/operations/$operation" params={{ operation }} search={{ with: { ...props.given } }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
