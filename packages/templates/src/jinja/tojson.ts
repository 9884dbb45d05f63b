import { TemplateFloat } from '../number.ts'
import { toCount, toTextArgument } from './arguments.ts'
import { raise } from './errors.ts'
import { sortItems } from './filters/sort.ts'
import { toItems } from './iterate.ts'
import { printFloat } from './numbers/float-text.ts'
import { applyOperator } from './operators.ts'
import { printBig } from './print.ts'
import type { Rendering } from './rendering.ts'
import { isTrue } from './truth.ts'
import { define } from './values/callable.ts'
import { Dict } from './values/dict.ts'
import { typeName } from './values/type-name.ts'
import { Iteration, isList, isText, Tuple, toPlainText, type Value } from './values/value.ts'

/**
 * The filter `tojson` as chat templates know it: Python's `json.dumps`, so `1.0` stays `1.0`, keys keep their order,
 * nothing is escaped for HTML, and separators have blanks by default.
 */
export const tojson = define(
  'tojson',
  'x ensure_ascii? indent? separators? sort_keys?',
  (run, [value, ascii = false, indent = null, separators = null, sortKeys = false]) => {
    const [item, key] = toSeparators(run, separators, indent !== null)
    const writer = new JsonWriter(run, {
      ascii: isTrue(ascii),
      indent: toIndent(run, indent),
      item,
      key,
      sortKeys: isTrue(sortKeys),
    })
    return run.built(writer.write(value, 0))
  },
)

interface JsonStyle {
  readonly ascii: boolean
  /** Indentation of one level; undefined for all on one line. */
  readonly indent: string | undefined
  /** Between items. */
  readonly item: string
  /** Between a key and its value. */
  readonly key: string
  readonly sortKeys: boolean
}

class JsonWriter {
  readonly #run: Rendering
  readonly #style: JsonStyle

  constructor(run: Rendering, style: JsonStyle) {
    this.#run = run
    this.#style = style
  }

  write(value: Value, level: number): string {
    this.#run.spend()
    if (isText(value)) return this.#quote(toPlainText(value))
    if (value instanceof TemplateFloat) return printJsonFloat(value.value)
    if (value === null) return 'null'
    if (typeof value === 'boolean') return value ? 'true' : 'false'
    if (typeof value === 'number') return value.toString()
    if (typeof value === 'bigint') return printBig(this.#run, value)
    this.#run.enter()
    const text = this.#run.built(this.#writeContainer(value, level))
    this.#run.leave()
    return text
  }

  #writeContainer(value: Value, level: number): string {
    if (isList(value))
      return this.#writeItems(
        '[]',
        value.map((item) => this.write(item, level + 1)),
        level,
      )
    if (value instanceof Tuple) return this.#writeContainer(value.items, level)
    if (value instanceof Iteration && this.#run.lenient) return this.#writeContainer(toItems(this.#run, value), level)
    if (!(value instanceof Dict)) {
      return raise('TypeError', `Object of type ${typeName(value)} is not JSON serializable`)
    }
    const entries = this.#toEntries(value).map(([key, item]) => {
      const name = this.#quote(toKey(key))
      return this.#run.built(name + this.#style.key + this.write(item, level + 1))
    })
    return this.#writeItems('{}', entries, level)
  }

  #quote(text: string): string {
    if (this.#style.ascii) this.#run.walk(text.length * 4)
    return this.#run.built(quoteJson(text, this.#style.ascii))
  }

  #toEntries(dict: Dict): [Value, Value][] {
    const entries = [...dict.entries()]
    if (!this.#style.sortKeys) return entries
    const tuples = entries.map((entry) => new Tuple(entry))
    const sorted = sortItems(this.#run, tuples, { key: (item) => findKey(item), reverse: false })
    return sorted.map((item) => [findKey(item), item instanceof Tuple ? (item.items[1] ?? null) : null])
  }

  #writeItems(brackets: string, items: readonly string[], level: number): string {
    const { indent, item } = this.#style
    if (items.length === 0) return brackets
    const margin = indent === undefined ? '' : `\n${indent.repeat(level + 1)}`
    const end = indent === undefined ? '' : `\n${indent.repeat(level)}`
    this.#run.reserve((margin.length + item.length) * items.length)
    return brackets[0] + margin + items.join(item + margin) + end + brackets[1]
  }
}

function findKey(item: Value): Value {
  return item instanceof Tuple ? (item.items[0] ?? null) : item
}

function toKey(key: Value): string {
  if (isText(key)) return toPlainText(key)
  if (key instanceof TemplateFloat) return printJsonFloat(key.value)
  if (key === null) return 'null'
  if (typeof key === 'boolean') return key ? 'true' : 'false'
  if (typeof key === 'number' || typeof key === 'bigint') return key.toString()
  return raise('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`)
}

function printJsonFloat(value: number): string {
  if (Number.isFinite(value)) return printFloat(value)
  if (Number.isNaN(value)) return 'NaN'
  return value < 0 ? '-Infinity' : 'Infinity'
}

function toIndent(run: Rendering, indent: Value): string | undefined {
  if (indent === null) return undefined
  if (isText(indent)) return toPlainText(indent)
  return toTextArgument(applyOperator(run, '*', ' ', Math.max(0, toCount(indent))))
}

function toSeparators(run: Rendering, separators: Value, isIndented: boolean): [item: string, key: string] {
  if (separators === null) return [isIndented ? ',' : ', ', ': ']
  const parts = toItems(run, separators)
  if (parts.length !== 2) raise('ValueError', `separators must be two texts, not ${parts.length}`)
  return [toTextArgument(parts[0] ?? null), toTextArgument(parts[1] ?? null)]
}

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
  [0x0c, '\\f'],
  [0x08, '\\b'],
])

/** A text as a JSON string. */
function quoteJson(text: string, ascii: boolean): string {
  let result = '"'
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x20 && unit !== 0x22 && unit !== 0x5c && !(ascii && unit > 0x7e)) continue
    result += text.slice(start, index)
    result += SHORT_ESCAPES.get(unit) ?? `\\u${unit.toString(16).padStart(4, '0')}`
    start = index + 1
  }
  return `${result}${text.slice(start)}"`
}
