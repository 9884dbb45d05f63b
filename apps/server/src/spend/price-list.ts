import { readDecimal } from '../catalog/keys/decimal.ts'
import { about, block, list, map, plainText } from '../catalog/keys/fields.ts'
import { currencyCode, decimalText, PRICE } from '../catalog/keys/price-keys.ts'
import { readField } from '../catalog/keys/read-field.ts'
import { isNull, type YamlNode } from '../catalog/yaml/node.ts'
import { readYaml } from '../catalog/yaml/read-yaml.ts'
import { type Currencies, DEFAULT_CURRENCY, hasParts, type Price, toPrice } from './price.ts'
import { PRICE_FILE_LIMITS } from './price-file-limits.ts'

/** Prices of a list. */
const MAX_PRICES = 5000

const ENTRY = {
  model: about(plainText, 'Name of a model here; * at the start or the end stands for any text.'),
  upstream: about(plainText, 'Host of the upstream of models, or its provider.'),
  ...PRICE,
}

const PRICE_LIST = block({
  currency: currencyCode,
  rates: map(decimalText),
  prices: list(block(ENTRY)),
})

type WrittenList = NonNullable<ReturnType<typeof PRICE_LIST.parse>>
/** A price of a list as its file has it. */
export type WrittenEntry = NonNullable<WrittenList['prices']>[number]

/** A price of a list. */
export interface PriceEntry extends Price {
  readonly model: string | undefined
  /** In small letters. */
  readonly upstream: string | undefined
  /** Its line in the file, from 1. */
  readonly line: number
  readonly written: WrittenEntry
}

/** A list of prices. */
export interface PriceList extends Currencies {
  readonly entries: readonly PriceEntry[]
  readonly written: WrittenList
}

/** A fault of a price list. */
export interface PriceProblem {
  /** Counted from 1. */
  readonly line?: number | undefined
  /** Path of keys such as `prices[2].input`. */
  readonly key?: string | undefined
  readonly reason: string
}

/** A price list, or everything that is wrong with it. */
export type PriceListReading =
  | { readonly ok: true; readonly list: PriceList }
  | { readonly ok: false; readonly problems: readonly PriceProblem[] }

/** Problems that are named; a list that is wrong in every line would name thousands. */
const MAX_PROBLEMS = 50

/** Reads a price list. A list with any fault is refused as a whole. */
export function readPriceList(content: Uint8Array | string): PriceListReading {
  const read = readYaml(content, { limits: PRICE_FILE_LIMITS })
  if (!read.ok) return refuse([{ line: read.line, reason: read.reason }])
  // An empty file is a list without prices.
  const root: YamlNode = isNull(read.root) ? { ...read.root, kind: 'map', entries: new Map() } : read.root
  const { value, problems, warnings } = readField(PRICE_LIST, root)
  const unknown = warnings.map(({ line, key }) => ({ line, key, reason: 'unknown key' }))
  if (value === undefined || problems.length > 0 || unknown.length > 0) return refuse([...problems, ...unknown])
  const lines = findLines(root)
  if (lines.some(({ isEmpty }) => isEmpty)) {
    return refuse(lines.flatMap(({ isEmpty, line, key }) => (isEmpty ? [{ line, key, reason: 'must be a map' }] : [])))
  }
  return toPriceList(value, lines)
}

const refuse = (problems: readonly PriceProblem[]): PriceListReading => ({
  ok: false,
  problems: [...problems].sort((left, right) => (left.line ?? 0) - (right.line ?? 0)).slice(0, MAX_PROBLEMS),
})

interface EntryPlace {
  readonly line: number
  readonly key: string
  readonly isEmpty: boolean
}

/** The places of the prices in the file. */
function findLines(root: YamlNode): readonly EntryPlace[] {
  const prices = root.kind === 'map' ? root.entries.get('prices')?.value : undefined
  if (prices?.kind !== 'list') return []
  return prices.items.map((item, index) => ({ line: item.line, key: `prices[${index}]`, isEmpty: isNull(item) }))
}

function toPriceList(written: WrittenList, places: readonly EntryPlace[]): PriceListReading {
  const { currency = DEFAULT_CURRENCY, rates: writtenRates = {}, prices = [] } = written
  const problems: PriceProblem[] = listRateProblems(writtenRates, currency)
  const rates = new Map<string, bigint>()
  for (const [code, text] of Object.entries(writtenRates)) {
    const rate = readDecimal(text)
    if (typeof rate === 'bigint') rates.set(code, rate)
  }
  if (prices.length > MAX_PRICES) return refuse([{ key: 'prices', reason: `has more than ${MAX_PRICES} prices` }])
  const entries: PriceEntry[] = []
  const first = new Map<string, PriceEntry>()
  for (const [index, entry] of prices.entries()) {
    const { line = 0, key = '' } = places[index] ?? {}
    const reason = findFault(entry)
    if (reason !== undefined) {
      problems.push({ line, key: reason.key === undefined ? key : `${key}.${reason.key}`, reason: reason.text })
      continue
    }
    const price = toPrice(entry, { currency, rates })
    if (price === undefined) {
      const reason = `${entry.currency} has no rate: write what a unit of it is worth in ${currency} under rates`
      problems.push({ line, key: `${key}.currency`, reason })
      continue
    }
    const made: PriceEntry = {
      ...price,
      model: entry.model,
      upstream: entry.upstream?.toLowerCase(),
      line,
      written: entry,
    }
    const same = JSON.stringify([made.model, made.upstream, String(made.from)])
    const before = first.get(same)
    if (before !== undefined) {
      problems.push({ line, key, reason: `is the same model, upstream and from as the price of line ${before.line}` })
      continue
    }
    first.set(same, made)
    entries.push(made)
  }
  if (problems.length > 0) return refuse(problems)
  return { ok: true, list: { currency, rates, entries, written } }
}

function listRateProblems(rates: Readonly<Record<string, string>>, currency: string): PriceProblem[] {
  return Object.entries(rates).flatMap(([code, text]) => {
    const key = `rates.${code}`
    if (!/^[A-Z]{3}$/.test(code)) return [{ key, reason: 'must be the code of a currency in three capitals' }]
    if (code === currency) return [{ key, reason: 'is the currency of all costs, whose worth is 1' }]
    return readDecimal(text) === 0n ? [{ key, reason: 'must be more than 0' }] : []
  })
}

/** A name of a model, with a star at its start or its end at most. */
const PATTERN = /^\*?[^*]*\*?$/u
const MAX_NAME = 300

function findFault(entry: WrittenEntry): { readonly key?: string; readonly text: string } | undefined {
  const { model, upstream } = entry
  if (model === undefined && upstream === undefined) return { text: 'names neither a model nor an upstream' }
  if (model === '' || (model ?? '').length > MAX_NAME) return { key: 'model', text: 'must be the name of a model' }
  if (model !== undefined && !PATTERN.test(model))
    return { key: 'model', text: 'may have * at its start and its end only' }
  if (upstream !== undefined && !/^\S{1,300}$/.test(upstream))
    return { key: 'upstream', text: 'must be a host or a provider' }
  if (!hasParts(entry)) return { text: 'has no price: write input, output or another one, or 0 for what is free' }
  return undefined
}
