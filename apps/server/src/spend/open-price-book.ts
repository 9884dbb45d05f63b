import type { ModelConfig } from '../catalog/model-config.ts'
import { costAt } from './cost.ts'
import { DEFAULT_CURRENCY, newestFirst, type Price, toPrice, toStart, type WrittenPrice } from './price.ts'
import type { PriceBook } from './price-book.ts'
import type { PriceEntry, PriceList } from './price-list.ts'

/** Where a price comes from. */
export type PriceOrigin = 'model' | 'list'

/** A price that holds for a model. */
export interface FoundPrice {
  readonly price: Price
  readonly origin: PriceOrigin
  /** The entry of the list; undefined for a price of the model's own file. */
  readonly entry: PriceEntry | undefined
}

/** A book over a price list and the prices of model files. */
export interface OpenPriceBook extends PriceBook {
  /** The price of a model at a time. @param at milliseconds since the epoch */
  findPrice(model: ModelConfig, at: number): FoundPrice | undefined
  /** Looks again whether a model file has a price of its own. Called after models have changed. */
  refresh(): void
}

/** Options of {@link createPriceBook}. */
export interface PriceBookOptions {
  /** The list in use; the same object while it is the same. */
  readonly list: () => PriceList | undefined
  readonly models: () => readonly ModelConfig[]
}

/** Chains of prices that are remembered; there are as many as models. */
const MAX_CHAINS = 10_000

/** A price of a model file; its price is undefined where its currency has no rate. */
interface OwnPrice {
  readonly from: number
  readonly price: Price | undefined
}

interface Compiled {
  readonly list: PriceList | undefined
  readonly chains: Map<string, readonly PriceEntry[][]>
  readonly own: WeakMap<readonly WrittenPrice[], readonly OwnPrice[]>
}

/** Creates a book. The price of a model file comes first, then the most exact one of the list. */
export function createPriceBook({ list, models }: PriceBookOptions): OpenPriceBook {
  const compile = (): Compiled => ({ list: list(), chains: new Map(), own: new WeakMap() })
  let compiled = compile()
  let hasOwn: boolean | undefined

  const current = (): Compiled => {
    if (compiled.list !== list()) compiled = compile()
    return compiled
  }

  function findOwn({ pricing = [] }: ModelConfig, at: number, { list: used, own }: Compiled): OwnPrice | undefined {
    if (pricing.length === 0) return undefined
    let prices = own.get(pricing)
    if (prices === undefined) {
      const currencies = used ?? { currency: DEFAULT_CURRENCY, rates: new Map() }
      prices = newestFirst(pricing.map((written) => ({ from: toStart(written), price: toPrice(written, currencies) })))
      own.set(pricing, prices)
    }
    return prices.find(({ from }) => from <= at)
  }

  function findChain(model: ModelConfig, { list: used, chains }: Compiled): readonly PriceEntry[][] {
    const upstreams = listUpstreams(model)
    const key = `${model.name}\0${upstreams.join('\0')}`
    const known = chains.get(key)
    if (known !== undefined) return known
    if (chains.size >= MAX_CHAINS) chains.clear()
    const chain = rankEntries(used?.entries ?? [], model.name, upstreams)
    chains.set(key, chain)
    return chain
  }

  function findPrice(model: ModelConfig, at: number): FoundPrice | undefined {
    const now = current()
    const own = findOwn(model, at, now)
    if (own !== undefined) return own.price && { price: own.price, origin: 'model', entry: undefined }
    for (const group of findChain(model, now)) {
      const entry = group.find(({ from }) => from <= at)
      if (entry !== undefined) return { price: entry, origin: 'list', entry }
    }
    return undefined
  }

  return {
    get currency() {
      const { list: used } = current()
      if (used !== undefined) return used.currency
      hasOwn ??= models().some(({ pricing = [] }) => pricing.length > 0)
      return hasOwn ? DEFAULT_CURRENCY : undefined
    },
    costOf(model, use, at) {
      const found = findPrice(model, at)
      return found && costAt(found.price, use)
    },
    findPrice,
    refresh() {
      hasOwn = undefined
    },
  }
}

/** The names by which a list may mean the upstream of a model: its host, with and without the port, and its provider. */
function listUpstreams({ proxy, serving }: ModelConfig): readonly string[] {
  const url = proxy?.upstreamUrl
  if (url === undefined || !URL.canParse(url)) return []
  const { host, hostname } = new URL(url)
  const names = [host, hostname]
  if (serving.kind === 'relay' || serving.kind === 'translation') {
    names.push(serving.provider, serving.provider === 'provider_a' ? 'openai' : 'anthropic')
  }
  return [...new Set(names.map((name) => name.toLowerCase()))]
}

/** Groups of prices for one model, the most exact group first and the newest price first in each. */
function rankEntries(
  entries: readonly PriceEntry[],
  name: string,
  upstreams: readonly string[],
): readonly PriceEntry[][] {
  const groups = new Map<string, { readonly rank: readonly number[]; readonly entries: PriceEntry[] }>()
  for (const entry of entries) {
    const rank = rankEntry(entry, name, upstreams)
    if (rank === undefined) continue
    const key = JSON.stringify([entry.model, entry.upstream])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { rank, entries: [entry] })
    else group.entries.push(entry)
  }
  return [...groups.values()]
    .sort((left, right) => compareRanks(left.rank, right.rank))
    .map((group) => [...newestFirst(group.entries)])
}

/** The place of a price: exact name, pattern, upstream only; the longest pattern first. Undefined for another model. */
function rankEntry(
  { model, upstream }: PriceEntry,
  name: string,
  upstreams: readonly string[],
): readonly number[] | undefined {
  const place = upstream === undefined ? upstreams.length : upstreams.indexOf(upstream)
  if (place < 0) return undefined
  if (model === undefined) return [2, place, 0]
  if (!model.includes('*')) return model === name ? [0, place, 0] : undefined
  return matches(model, name) ? [1, upstream === undefined ? 1 : 0, -model.length, place] : undefined
}

function matches(pattern: string, name: string): boolean {
  const text = pattern.replaceAll('*', '')
  if (name.length < text.length) return false
  if (pattern.startsWith('*') && pattern.endsWith('*')) return name.includes(text)
  return pattern.startsWith('*') ? name.endsWith(text) : name.startsWith(text)
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
