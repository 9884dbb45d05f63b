/**
 * A value of a YAML file, with aliases and merge keys resolved. A shared subtree is one object, so the tree is a graph.
 */
export type YamlNode = YamlScalar | YamlList | YamlMap

/** Facts of every node. */
interface YamlFacts {
  /** Line of the value in the file, from 1. */
  readonly line: number
  /** Nodes of this subtree including this one, with every use of an alias counted. */
  readonly weight: number
  /** Levels of lists and maps, with every use of an alias counted: 0 for a scalar. */
  readonly height: number
}

/** A scalar as written; its key decides its type. */
export interface YamlScalar extends YamlFacts {
  readonly kind: 'scalar'
  /** The text without quotes; block scalars keep their line ends. */
  readonly text: string
  /** Plain text may be a number, a boolean or null; quoted and block text is only text. */
  readonly plain: boolean
}

/** A list. */
export interface YamlList extends YamlFacts {
  readonly kind: 'list'
  readonly items: readonly YamlNode[]
}

/** A map with text keys, in file order, merged keys last. */
export interface YamlMap extends YamlFacts {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, YamlEntry>
}

/** One key of a map. */
export interface YamlEntry {
  /** Line of the key, from 1. */
  readonly line: number
  readonly value: YamlNode
}

/** Whether a node is empty, `~` or `null`. */
export function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.plain && /^(?:~|null|Null|NULL|)$/.test(node.text)
}
