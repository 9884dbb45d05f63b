/**
 * The thread on which a gallery index is read. Plain JavaScript: it is started from the sources and beside the bundle
 * alike. `read-index.ts` is the other side; it sends one index and takes its entries in batches.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'
import { CORE_SCHEMA, load, types, YAMLException } from 'js-yaml'

/** Columns of indentation and list marks before a line's text, which bound the nesting of blocks. */
const MAX_COLUMNS = 400
/** Brackets that an entry of the list may leave open. */
const MAX_BRACKETS = 400
const MAX_ENTRIES = 20_000
const MAX_DEPTH = 64
/** Values of one entry, every use of an alias counted. */
const MAX_ENTRY_VALUES = 20_000
/** Values of the whole index. */
const MAX_VALUES = 4_000_000
const BATCH = 10
/** Characters that reading entry by entry may take, every use of an anchor counted. */
const MAX_PIECEWISE = 64 * 1024 * 1024
/** Escapes of one entry that are mended. */
const MAX_ESCAPES = 1000
/** Largest number of faults in a report. */
const MAX_WARNINGS = 50

const SCHEMA = CORE_SCHEMA.extend({ implicit: [types.merge] })

/** Refuses a text that is nested so deeply that reading it could end the process. @param {string} text */
function checkNesting(text) {
  let open = 0
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    let column = start
    while (column < end && ' -?'.includes(text[column] ?? '')) column += 1
    if (column - start > MAX_COLUMNS) throw new Error('the index is nested too deeply')
    if (text[start] !== ' ') open = 0
    for (let index = column; index < end; index += 1) {
      const code = text.charCodeAt(index)
      if (code === 0x5b || code === 0x7b) {
        open += 1
        if (open > MAX_BRACKETS) throw new Error('the index is nested too deeply')
      } else if ((code === 0x5d || code === 0x7d) && open > 0) open -= 1
    }
    start = end + 1
  }
}

/**
 * A copy without shared parts, so that an alias costs as much of the budget as it adds.
 *
 * @param {unknown} value
 * @param {{ left: number }} budget
 * @param {number} depth
 * @returns {unknown}
 */
function copy(value, budget, depth) {
  budget.left -= 1
  if (budget.left < 0 || depth > MAX_DEPTH) throw new Error('holds too much')
  if (Array.isArray(value)) return value.map((item) => copy(item, budget, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, item]) => [key, copy(item, budget, depth + 1)]),
  )
}

/** @param {string} text @param {boolean} [takesLast] whether the last value of a repeated key counts */
function parse(text, takesLast = false) {
  checkNesting(text)
  return load(text, { schema: SCHEMA, maxTotalMergeKeys: MAX_VALUES, json: takesLast })
}

/** @param {unknown} error */
function describe(error) {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
}

/**
 * The text of an entry without an escape that only other readers know: `\'` in double quotes.
 *
 * @param {string} text
 * @param {unknown} error
 */
function mendEscape(text, error) {
  if (!(error instanceof YAMLException) || error.reason !== 'unknown escape sequence') return undefined
  const { position = 0 } = error.mark ?? {}
  const at = text.lastIndexOf("\\'", position)
  return at >= position - 2 && at >= 0 ? text.slice(0, at) + text.slice(at + 1) : undefined
}

/**
 * @typedef {object} Piece
 * @property {string} text
 * @property {number} line of the index, from 1
 * @property {ReadonlySet<string>} aliases
 */

/**
 * Cuts an index into its entries. Text before the first entry is left out.
 *
 * @param {string} text
 * @returns {Piece[]}
 */
function cut(text) {
  const first = /^( *)-(?=[ \t\n\r]|$)/m.exec(text)
  if (first === null) return []
  const begin = new RegExp(`^${first[1] ?? ''}-(?=[ \\t\\n\\r]|$)`, 'gm')
  const starts = [...text.matchAll(begin)].map(({ index }) => index)
  let line = 1
  let counted = 0
  return starts.map((start, index) => {
    for (; counted < start; counted += 1) if (text[counted] === '\n') line += 1
    const piece = text.slice(start, starts[index + 1])
    return {
      text: piece,
      line,
      aliases: new Set([...piece.matchAll(/\*([^\s,[\]{}]+)/g)].map(([, name = '']) => name)),
    }
  })
}

/** Reads an index whose text has a fault, entry by entry. */
class PiecewiseReader {
  /** @type {unknown[]} */
  entries = []
  /** @type {string[]} */
  warnings = []
  /** The text that an anchor needs: its own entry, and the entries that this entry needs. @type {Map<string, string>} */
  #anchors = new Map()
  #left = MAX_PIECEWISE

  /** @param {Piece} piece */
  read(piece) {
    const needed = [...new Set([...piece.aliases].flatMap((name) => this.#anchors.get(name) ?? []))].join('')
    const found = this.#parse(needed, piece)
    if (found === undefined) return
    for (const [, name = ''] of piece.text.matchAll(/&([^\s,[\]{}]+)/g)) this.#anchors.set(name, needed + found.text)
    this.entries.push(found.entry)
  }

  /** @param {string} needed @param {Piece} piece @returns {{ text: string, entry: unknown } | undefined} */
  #parse(needed, { text: original, line }) {
    let text = original.endsWith('\n') ? original : `${original}\n`
    let takesLast = false
    for (let tries = 0; tries < MAX_ESCAPES; tries += 1) {
      this.#left -= needed.length + text.length
      if (this.#left < 0) throw new Error('the index has too many faults')
      try {
        const list = parse(needed + text, takesLast)
        if (!Array.isArray(list)) throw new Error('it is not an entry of a list')
        return { text, entry: list.at(-1) }
      } catch (error) {
        const mended = mendEscape(needed + text, error)
        if (mended !== undefined) text = mended.slice(needed.length)
        else if (!takesLast && error instanceof YAMLException && error.reason === 'duplicated mapping key') {
          this.warnings.push(`line ${line}: a key stands twice in the entry, its last value counts`)
          takesLast = true
        } else {
          this.warnings.push(`line ${line}: the entry is left out: ${describe(error)}`)
          return undefined
        }
      }
    }
    this.warnings.push(`line ${line}: the entry is left out: it has too many faults`)
    return undefined
  }
}

/**
 * The list of an index. A fault costs only the entry that has it.
 *
 * @param {string} text
 * @returns {{ list: unknown[], warnings: string[] }}
 */
function readList(text) {
  let failure
  try {
    const list = parse(text)
    if (!Array.isArray(list)) throw new Error('the index is not a list')
    return { list, warnings: [] }
  } catch (error) {
    failure = error
  }
  const pieces = cut(text)
  if (pieces.length > MAX_ENTRIES) throw failure
  const reader = new PiecewiseReader()
  for (const piece of pieces) reader.read(piece)
  if (reader.entries.length === 0) throw failure
  return { list: reader.entries, warnings: reader.warnings }
}

/** @param {string} text */
function read(text) {
  const { list, warnings } = readList(text)
  if (list.length > MAX_ENTRIES) throw new Error(`the index has more than ${MAX_ENTRIES} entries`)
  let total = MAX_VALUES
  for (let start = 0; start < list.length; start += BATCH) {
    const entries = list.slice(start, start + BATCH).flatMap((item, offset) => {
      const budget = { left: Math.min(MAX_ENTRY_VALUES, total) }
      const before = budget.left
      try {
        return [copy(item, budget, 0)]
      } catch {
        warnings.push(`entry ${start + offset + 1} is left out: it holds too much`)
        return []
      } finally {
        total -= before - Math.max(0, budget.left)
      }
    })
    parentPort?.postMessage({ kind: 'entries', entries })
  }
  const more = warnings.length - MAX_WARNINGS
  const reported = more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `${more} more entries have faults`] : warnings
  parentPort?.postMessage({ kind: 'end', warnings: reported })
}

/** Drops the entries whose bytes are not UTF-8. @param {Uint8Array} bytes */
function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // A character that no reader of YAML takes.
    return new TextDecoder().decode(bytes).replaceAll('\ufffd', '\u0000')
  }
}

try {
  read(decode(workerData.bytes))
} catch (error) {
  parentPort?.postMessage({ kind: 'failed', message: describe(error) })
}
