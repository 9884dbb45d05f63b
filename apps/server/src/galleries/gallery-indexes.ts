import { hash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { escapeControls } from '../backends/log-text.ts'
import { untilAborted } from '../concurrency/until-aborted.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Gallery, Listed } from './gallery.ts'
import { type AddressParts, checkAddress, readAddress } from './read-address.ts'
import { MAX_INDEX_BYTES, readIndex } from './read-index.ts'

/** A gallery with the faults of its last read. */
export interface GalleryState {
  readonly gallery: Gallery
  /** The reason why it cannot be read; its last good copy may be in use. */
  readonly error?: string | undefined
  /** Faults of single entries. */
  readonly warnings: readonly string[]
}

/** The entries of all galleries of one kind. */
export interface GalleryIndexes<Entry> {
  /** The galleries that are configured now. */
  galleries(): readonly Gallery[]
  /**
   * Every entry, in the order of the galleries. An index is fetched when it is asked for first or is old; while it cannot
   * be had, its last good copy counts.
   */
  list(options: { readonly signal: AbortSignal }): Promise<readonly Listed<Entry>[]>
  /** The entry of `name` or `gallery@name`, in any case. */
  find(id: string, options: { readonly signal: AbortSignal }): Promise<Listed<Entry> | undefined>
  /** The galleries that are configured now, as they were read last. */
  states(): readonly GalleryState[]
  /** Checks an address that a gallery may get. @throws {SvcError} `invalid_request` for one that can never be read */
  checkAddress(url: string): void
  /** Ends the reads in the background. Nothing is read or written after that. */
  close(): Promise<void>
}

/** Options of {@link createGalleryIndexes}. */
export interface GalleryIndexesOptions<Entry> extends AddressParts {
  readonly galleries: () => readonly Gallery[]
  readonly toEntry: (value: unknown) => Entry | undefined
  /** Where the last good copies are kept. */
  readonly folder: string
  readonly clock: Clock
  readonly logger: Logger
}

const FETCH_MS = 120_000
const FRESH_MS = 60 * 60 * 1000
/** A gallery that failed is not asked again before. */
const REST_MS = 10 * 60 * 1000
/** A gallery of which nothing is known is asked again for one entry after this time. */
const SHORT_REST_MS = 10_000
const MAX_REFERENCE_BYTES = 4096
/** An address whose content is the address of the index; `@` begins the branch. */
const REFERENCE = /\.ref(?:[?#@].*)?$/
/** Entries that are made before other work runs. */
const ITEMS_PER_TURN = 200

interface Index<Entry> {
  entries: readonly Listed<Entry>[]
  byName: ReadonlyMap<string, Listed<Entry>>
  /** When the index is looked for again, monotonic. */
  dueAt: number
  /** When the index is looked for again for one entry, while it has none. */
  neededAt: number
  error: string | undefined
  warnings: readonly string[]
  loading: Promise<void> | undefined
}

/** Creates the function that reads the index of a gallery, from its address or from the last good copy. */
function createIndexLoader<Entry extends { readonly name: string }>(
  options: GalleryIndexesOptions<Entry>,
  closing: AbortSignal,
): (index: Index<Entry>, gallery: Gallery) => Promise<void> {
  const { clock, logger } = options

  const fill = async (index: Index<Entry>, gallery: Gallery, items: readonly unknown[]): Promise<void> => {
    const entries: Listed<Entry>[] = []
    for (const [position, item] of items.entries()) {
      const entry = options.toEntry(item)
      if (entry !== undefined) entries.push({ entry, gallery, id: `${gallery.name}@${entry.name}` })
      // Other work runs in between.
      if (position % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve))
    }
    index.entries = entries
    // The first of a name counts.
    index.byName = new Map(entries.toReversed().map((listed) => [listed.entry.name.toLowerCase(), listed]))
  }

  const read = async (index: Index<Entry>, gallery: Gallery, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
    let warnings: readonly string[] = []
    const items = await readIndex(bytes, {
      onWarnings(found) {
        warnings = found.map(escapeControls)
      },
      signal,
    })
    await fill(index, gallery, items)
    index.warnings = warnings
    if (warnings.length > 0) logger.warn({ gallery: gallery.name, warnings }, 'gallery has entries with faults')
  }

  /** The first caller's abort does not end the load: other callers wait for it too. */
  async function load(index: Index<Entry>, gallery: Gallery): Promise<void> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(2 * FETCH_MS)])
    const copy = join(options.folder, `${hash('sha256', gallery.url, 'hex')}.yaml`)
    try {
      const bytes = await fetchIndex(gallery, { ...options, signal })
      await read(index, gallery, bytes, signal)
      closing.throwIfAborted()
      index.error = undefined
      index.dueAt = clock.monotonic() + FRESH_MS
      await keepCopy(copy, bytes, gallery)
    } catch (error) {
      if (closing.aborted) return
      index.error = escapeControls(error instanceof Error ? error.message : String(error))
      index.dueAt = clock.monotonic() + REST_MS
      logger.warn({ err: error, gallery: gallery.name }, 'gallery cannot be read')
      if (index.entries.length > 0) return
      index.neededAt = clock.monotonic() + SHORT_REST_MS
      const bytes = await readFile(copy).catch(() => undefined)
      if (bytes !== undefined) await read(index, gallery, bytes, signal).catch(() => undefined)
    }
  }

  /** A gallery without a copy is read all the same. */
  async function keepCopy(copy: string, bytes: Uint8Array, gallery: Gallery): Promise<void> {
    try {
      await mkdir(options.folder, { recursive: true })
      await writeFileAtomic(copy, bytes, { mode: 0o600 })
    } catch (error) {
      logger.warn({ err: error, gallery: gallery.name }, 'copy of a gallery cannot be kept')
    }
  }

  return load
}

/** Galleries of which nothing is read yet. */
export function createGalleryIndexes<Entry extends { readonly name: string }>(
  options: GalleryIndexesOptions<Entry>,
): GalleryIndexes<Entry> {
  const { clock } = options
  const indexes = new Map<string, Index<Entry>>()
  const closing = new AbortController()

  const openIndex = (gallery: Gallery): Index<Entry> => {
    const key = JSON.stringify([gallery.name, gallery.url, gallery.mirrors])
    const known = indexes.get(key)
    if (known !== undefined) return known
    const index: Index<Entry> = {
      entries: [],
      byName: new Map(),
      dueAt: 0,
      neededAt: Number.POSITIVE_INFINITY,
      error: undefined,
      warnings: [],
      loading: undefined,
    }
    indexes.set(key, index)
    return index
  }

  const load = createIndexLoader(options, closing.signal)

  /** Waits for an index of which nothing is known; one that is only old is read in the background. */
  async function settle(
    gallery: Gallery,
    { signal, isNeeded = false }: { readonly signal: AbortSignal; readonly isNeeded?: boolean },
  ): Promise<Index<Entry>> {
    closing.signal.throwIfAborted()
    const index = openIndex(gallery)
    const dueAt = isNeeded && index.entries.length === 0 ? Math.min(index.dueAt, index.neededAt) : index.dueAt
    if (index.loading === undefined && clock.monotonic() >= dueAt) {
      index.loading = load(index, gallery).finally(() => {
        index.loading = undefined
      })
    }
    if (index.entries.length === 0 && index.loading !== undefined) await untilAborted(index.loading, signal)
    closing.signal.throwIfAborted()
    return index
  }

  return {
    galleries: options.galleries,
    async list({ signal }) {
      // Every gallery waits on it.
      setMaxListeners(0, signal)
      const all = await Promise.all(options.galleries().map((gallery) => settle(gallery, { signal })))
      return all.flatMap(({ entries }) => entries)
    },
    async find(id, { signal }) {
      const at = id.indexOf('@')
      const [wanted, name] = at < 0 ? [undefined, id] : [id.slice(0, at).toLowerCase(), id.slice(at + 1)]
      for (const gallery of options.galleries()) {
        if (wanted !== undefined && gallery.name.toLowerCase() !== wanted) continue
        const found = (await settle(gallery, { signal, isNeeded: true })).byName.get(name.toLowerCase())
        if (found !== undefined) return found
      }
      return undefined
    },
    states: () =>
      options.galleries().map((gallery) => {
        const { error, warnings } = openIndex(gallery)
        return { gallery, error, warnings }
      }),
    checkAddress: (url) => checkAddress(url, { trust: 'operator', what: 'the gallery' }, options),
    async close() {
      closing.abort(new SvcError('unavailable', 'the server is stopping'))
      await Promise.all([...indexes.values()].flatMap(({ loading }) => loading ?? []))
    },
  }
}

/** The galleries that could not be read, as the end of a message that something is not found; empty without them. */
export function describeUnread(states: readonly GalleryState[]): string {
  const unread = states.flatMap(({ gallery, error }) => (error === undefined ? [] : [`"${gallery.name}" (${error})`]))
  return unread.length === 0 ? '' : `; these galleries cannot be read: ${unread.join(', ')}`
}

/** The bytes of an index, from its URL or the first mirror that has them. @throws the failure of the last */
async function fetchIndex(
  gallery: Gallery,
  { signal, ...parts }: AddressParts & { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  let failure: unknown
  const limits = { maxBytes: MAX_INDEX_BYTES, timeoutMs: FETCH_MS, what: 'the gallery', signal }
  for (const url of [gallery.url, ...(gallery.mirrors ?? [])]) {
    try {
      const content = await readAddress(url, { ...limits, trust: 'operator' }, parts)
      if (!REFERENCE.test(url)) return content.bytes
      const text = new TextDecoder().decode(content.bytes.subarray(0, MAX_REFERENCE_BYTES)).trim()
      // A document may lead away from the origin that the operator configured.
      const { uri, trust } = content.resolve(text)
      return (await readAddress(uri, { ...limits, trust }, parts)).bytes
    } catch (error) {
      signal.throwIfAborted()
      failure = error
    }
  }
  throw failure
}
