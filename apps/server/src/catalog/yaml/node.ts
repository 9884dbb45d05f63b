/** A value of a YAML file, aliases and merge keys resolved. Shared subtrees are one object, so the tree is a graph. */
export type YamlNode = YamlScalar | YamlList | YamlMap

/** Facts every node has. */
interface YamlFacts {
  /** Line of the value in the file, from 1. */
  readonly line: number
  /** Nodes below and including this one, every use of an alias counted. */
  readonly weight: number
  /** Levels of lists and maps, every use of an alias counted: 0 for a scalar. */
  readonly height: number
}

/** A scalar as written: what it means depends on the key it belongs to. */
export interface YamlScalar extends YamlFacts {
  readonly kind: 'scalar'
  /** The text without quotes, block scalars with their line ends. */
  readonly text: string
  /** Plain text may stand for a number, a boolean or null; quoted and block text does not. */
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

/** Whether a node says nothing: empty, `~` or `null`. */
export function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.plain && /^(?:~|null|Null|NULL|)$/.test(node.text)
}
