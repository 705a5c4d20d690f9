import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from "js-yaml";

/** A range of UTF-16 offsets in the source text. */
export interface Range {
  start: number;
  end: number;
}

interface NodeBase extends Range {
  /** The range of the anchor's name. */
  anchor?: Range;
  tagged: boolean;
}

/** `start` and `end` include the quotes. */
export interface ScalarNode extends NodeBase {
  kind: "scalar";
  text: string;
  isPlain: boolean;
}

export interface AliasNode extends NodeBase {
  kind: "alias";
  /** Undefined for an alias without anchor, or to a node that it is itself a part of. */
  target: YamlNode | undefined;
}

export interface ListNode extends NodeBase {
  kind: "list";
  items: YamlNode[];
}

export interface MapNode extends NodeBase {
  kind: "map";
  entries: { key: YamlNode; value: YamlNode }[];
}

/** A node of a YAML document with its place in the text; collections end where their last part ends. */
export type YamlNode = ScalarNode | AliasNode | ListNode | MapNode;

interface Open {
  node: ListNode | MapNode | undefined;
  key: YamlNode | undefined;
}

/** Builds the tree of each document from the parser's events. */
export function yamlTrees(source: string, events: readonly Event[]): YamlNode[] {
  const trees: YamlNode[] = [];
  const open: Open[] = [];
  let anchors = new Map<string, YamlNode>();
  let position = 0;

  function add(node: YamlNode): void {
    const parent = open.at(-1);
    if (!parent?.node) trees.push(node);
    else if (parent.node.kind === "list") parent.node.items.push(node);
    else if (parent.key) {
      parent.node.entries.push({ key: parent.key, value: node });
      parent.key = undefined;
    } else parent.key = node;
  }

  function remember(node: YamlNode): void {
    if (node.anchor) anchors.set(source.slice(node.anchor.start, node.anchor.end), node);
  }

  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        anchors = new Map();
        open.push({ node: undefined, key: undefined });
        break;
      case EVENT_ID.SCALAR: {
        const quotes = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
        const isEmpty = event.valueStart < 0;
        const node: ScalarNode = {
          kind: "scalar",
          ...properties(event),
          start: isEmpty ? position : event.valueStart - quotes,
          end: isEmpty ? position : event.valueEnd + quotes,
          text: getScalarValue(source, event),
          isPlain: event.style === SCALAR_STYLE.PLAIN,
        };
        position = Math.max(position, node.end);
        remember(node);
        add(node);
        break;
      }
      case EVENT_ID.ALIAS: {
        const name = source.slice(event.anchorStart, event.anchorEnd);
        const target = anchors.get(name);
        const isOpen = open.some(({ node }) => node !== undefined && node === target);
        position = event.anchorEnd;
        add({
          kind: "alias",
          start: event.anchorStart - 1,
          end: event.anchorEnd,
          tagged: false,
          target: isOpen ? undefined : target,
        });
        break;
      }
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING: {
        const place = { ...properties(event), start: event.start, end: event.start };
        const node: ListNode | MapNode =
          event.type === EVENT_ID.SEQUENCE
            ? { kind: "list", ...place, items: [] }
            : { kind: "map", ...place, entries: [] };
        remember(node);
        position = Math.max(position, event.start);
        open.push({ node, key: undefined });
        break;
      }
      case EVENT_ID.POP: {
        const node = open.pop()?.node;
        if (!node) break;
        node.end = Math.max(node.start, position);
        add(node);
      }
    }
  }
  return trees;
}

function properties(event: { anchorStart: number; anchorEnd: number; tagStart: number }) {
  const tagged = event.tagStart >= 0;
  return event.anchorStart < 0 ? { tagged } : { tagged, anchor: { start: event.anchorStart, end: event.anchorEnd } };
}
