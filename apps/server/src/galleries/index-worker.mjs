/**
 * The thread on which a gallery index is read. Plain JavaScript: it is started from the sources and beside the bundle
 * alike. `read-index.ts` is the other side; it sends one index and takes its entries in batches.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'
import { CORE_SCHEMA, load, types } from 'js-yaml'

/** Columns of indentation and list marks before a line's text: what bounds the nesting of blocks. */
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
 * A copy without shared parts, so that aliases cost what they add.
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

/** @param {string} text */
function read(text) {
  checkNesting(text)
  const list = load(text, { schema: SCHEMA, maxTotalMergeKeys: MAX_VALUES })
  if (!Array.isArray(list)) throw new Error('the index is not a list')
  if (list.length > MAX_ENTRIES) throw new Error(`the index has more than ${MAX_ENTRIES} entries`)
  let total = MAX_VALUES
  for (let start = 0; start < list.length; start += BATCH) {
    const entries = list.slice(start, start + BATCH).flatMap((item) => {
      const budget = { left: Math.min(MAX_ENTRY_VALUES, total) }
      const before = budget.left
      try {
        return [copy(item, budget, 0)]
      } catch {
        return []
      } finally {
        total -= before - Math.max(0, budget.left)
      }
    })
    parentPort?.postMessage({ kind: 'entries', entries })
  }
  parentPort?.postMessage({ kind: 'end' })
}

try {
  read(new TextDecoder('utf-8', { fatal: true }).decode(workerData.bytes))
} catch (error) {
  const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
  parentPort?.postMessage({ kind: 'failed', message })
}
