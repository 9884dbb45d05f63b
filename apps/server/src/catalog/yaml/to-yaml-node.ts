import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Pair, Scalar } from 'yaml'
import type { YamlLimits } from './limits.ts'
import type { YamlEntry, YamlMap, YamlNode, YamlScalar } from './node.ts'
import { YamlFault } from './yaml-fault.ts'

const CORE_TAG = 'tag:yaml.org,2002:'
const SCALAR_TAGS: ReadonlySet<string> = new Set(['str', 'int', 'float', 'bool', 'null', 'merge'])
const MERGE_KEY = '<<'

/**
 * Converts a composed document to our tree: resolves aliases and merge keys, refuses duplicate keys and foreign tags.
 * The depth of the document has been checked, so recursion is limited.
 *
 * @throws {YamlFault}
 */
export function toYamlNode(
  document: Document.Parsed,
  options: {
    readonly limits: YamlLimits
    readonly lines: LineCounter
    readonly repeatedKeys?: 'refuse' | 'last' | undefined
  },
): YamlNode {
  return new Converter(options.limits, options.lines, options.repeatedKeys === 'last').node(document.contents, 1)
}

class Converter {
  readonly #limits: YamlLimits
  readonly #lines: LineCounter
  readonly #takesLast: boolean
  /** Anchors with complete values; an alias inside its own anchor is not among them. */
  readonly #anchors = new Map<string, YamlNode>()

  constructor(limits: YamlLimits, lines: LineCounter, takesLast: boolean) {
    this.#limits = limits
    this.#lines = lines
    this.#takesLast = takesLast
  }

  node(source: unknown, fallbackLine: number): YamlNode {
    if (source === null || source === undefined) return emptyScalar(fallbackLine)
    const line = this.#findLine(source, fallbackLine)
    if (isAlias(source)) return this.#alias(source.source, line)
    const node = this.#ownNode(source, line)
    if ((isScalar(source) || isMap(source) || isSeq(source)) && source.anchor !== undefined) {
      this.#anchors.set(source.anchor, node)
    }
    return node
  }

  #ownNode(source: unknown, line: number): YamlNode {
    if (isScalar(source)) return this.#scalar(source, line)
    if (isSeq(source)) {
      refuseTag(source.tag, ['seq'], line)
      const items = source.items.map((item) => this.node(item, line))
      return this.#checked({ kind: 'list', line, items, ...measure(items) })
    }
    if (isMap(source)) {
      refuseTag(source.tag, ['map'], line)
      return this.#map(source.items, line)
    }
    throw new YamlFault('holds something that is neither text, list nor map', line)
  }

  #scalar(source: Scalar, line: number): YamlScalar {
    refuseTag(source.tag, [...SCALAR_TAGS], line)
    const text = source.source ?? ''
    const tag = source.tag?.slice(CORE_TAG.length)
    const plain = tag === undefined || source.tag === '!' ? source.type === Scalar.PLAIN : tag !== 'str'
    return { kind: 'scalar', text, plain: plain && source.tag !== '!', line, weight: 1, height: 0 }
  }

  #map(pairs: readonly Pair[], line: number): YamlMap {
    const entries = new Map<string, YamlEntry>()
    const merges: YamlNode[] = []
    let mergeLine: number | undefined
    for (const { key, value } of pairs) {
      const keyLine = this.#findLine(key, line)
      // The key comes first: it may carry the anchor that its own value refers to.
      const keyNode = this.node(key, keyLine)
      if (keyNode.kind !== 'scalar') throw new YamlFault('has a key that is not text', keyLine)
      const node = this.node(value, keyLine)
      if (isMergeKey(key)) {
        if (mergeLine !== undefined && !this.#takesLast)
          throw new YamlFault(`key "<<" is already defined at line ${mergeLine}`, keyLine)
        mergeLine = keyLine
        merges.push(...(node.kind === 'list' ? node.items : [node]))
      } else this.#add(entries, keyNode.text, { line: keyLine, value: node })
    }
    for (const source of merges) mergeInto(entries, source, mergeLine ?? line)
    if (entries.size > this.#limits.keysPerMap) {
      throw new YamlFault(`has a map of more than ${this.#limits.keysPerMap} keys`, line)
    }
    const values = [...entries.values()].map(({ value }) => value)
    return this.#checked({ kind: 'map', line, entries, ...measure(values) })
  }

  #add(entries: Map<string, YamlEntry>, key: string, entry: YamlEntry): void {
    const earlier = entries.get(key)
    const shown = JSON.stringify(key.slice(0, 80))
    if (earlier !== undefined && !this.#takesLast)
      throw new YamlFault(`key ${shown} is already defined at line ${earlier.line}`, entry.line)
    // As a property name it would change the prototype of an object.
    if (key === '__proto__') throw new YamlFault(`key ${shown} is not allowed`, entry.line)
    entries.set(key, entry)
  }

  #alias(name: string, line: number): YamlNode {
    const node = this.#anchors.get(name)
    if (node === undefined) throw new YamlFault(`alias "${name.slice(0, 80)}" has no anchor before it`, line)
    return node
  }

  #checked<Node extends YamlNode>(node: Node): Node {
    const { nodes, depth } = this.#limits
    if (node.weight > nodes) throw new YamlFault(`has more than ${nodes} values with its aliases`, node.line)
    if (node.height > depth) throw new YamlFault(`is nested deeper than ${depth} levels with its aliases`, node.line)
    return node
  }

  #findLine(source: unknown, fallback: number): number {
    const found = isScalar(source) || isMap(source) || isSeq(source) || isAlias(source) ? source.range : undefined
    return found ? this.#lines.linePos(found[0]).line : fallback
  }
}

function emptyScalar(line: number): YamlScalar {
  return { kind: 'scalar', text: '', plain: true, line, weight: 1, height: 0 }
}

function measure(children: readonly YamlNode[]): { weight: number; height: number } {
  let weight = 1
  let height = 0
  for (const child of children) {
    weight += child.weight
    height = Math.max(height, child.height)
  }
  return { weight, height: height + 1 }
}

/** Tags of the core schema change nothing and pass; other tags ask for unsupported types. */
function refuseTag(tag: string | undefined, known: readonly string[], line: number): void {
  if (tag === undefined || tag === '!') return
  if (tag.startsWith(CORE_TAG) && known.includes(tag.slice(CORE_TAG.length))) return
  throw new YamlFault(`has the tag ${JSON.stringify(tag.slice(0, 80))}, which is not known here`, line)
}

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key) || key.source !== MERGE_KEY) return false
  return key.tag === `${CORE_TAG}merge` || (key.tag === undefined && key.type === Scalar.PLAIN)
}

/** Own keys take precedence over merged ones, earlier sources over later ones. */
function mergeInto(entries: Map<string, YamlEntry>, source: YamlNode, line: number): void {
  if (source.kind !== 'map') throw new YamlFault('"<<" needs a map or a list of maps', line)
  for (const [key, entry] of source.entries) if (!entries.has(key)) entries.set(key, entry)
}
