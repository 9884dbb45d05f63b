import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Trust } from '../outbound/failures.ts'
import type { Clock, Logger } from '../ports.ts'
import { untilAborted } from '../until-aborted.ts'
import type { Gallery, Listed } from './gallery.ts'
import { MAX_INDEX_BYTES, readIndex } from './read-index.ts'

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
  /** What is wrong with galleries now, by their names. */
  problems(): ReadonlyMap<string, string>
}

/** What {@link createGalleryIndexes} needs. */
export interface GalleryIndexesOptions<Entry> {
  readonly galleries: () => readonly Gallery[]
  readonly toEntry: (value: unknown) => Entry | undefined
  /** Where the last good copies are kept. */
  readonly folder: string
  readonly client: OutboundClient
  readonly clock: Clock
  readonly logger: Logger
}

const FETCH_MS = 120_000
const FRESH_MS = 60 * 60 * 1000
/** A gallery that failed is not asked again before. */
const REST_MS = 10 * 60 * 1000
const MAX_REFERENCE_BYTES = 4096
/** Entries that are made before other work runs. */
const ITEMS_PER_TURN = 200

interface Index<Entry> {
  entries: readonly Listed<Entry>[]
  byName: ReadonlyMap<string, Listed<Entry>>
  /** When the index is looked for again, monotonic. */
  dueAt: number
  problem: string | undefined
  loading: Promise<void> | undefined
}

/** Galleries of which nothing is read yet. */
export function createGalleryIndexes<Entry extends { readonly name: string }>(
  options: GalleryIndexesOptions<Entry>,
): GalleryIndexes<Entry> {
  const { clock, logger } = options
  const indexes = new Map<string, Index<Entry>>()

  const openIndex = (gallery: Gallery): Index<Entry> => {
    const key = JSON.stringify([gallery.name, gallery.url, gallery.mirrors])
    const known = indexes.get(key)
    if (known !== undefined) return known
    const index: Index<Entry> = { entries: [], byName: new Map(), dueAt: 0, problem: undefined, loading: undefined }
    indexes.set(key, index)
    return index
  }

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

  /** The load is not tied to whoever asks first: others wait for it too. */
  async function load(index: Index<Entry>, gallery: Gallery): Promise<void> {
    const signal = AbortSignal.timeout(2 * FETCH_MS)
    const copy = join(options.folder, `${createHash('sha256').update(gallery.url).digest('hex')}.yaml`)
    try {
      const bytes = await fetchIndex(gallery, { ...options, signal })
      await fill(index, gallery, await readIndex(bytes, { signal }))
      index.problem = undefined
      index.dueAt = clock.monotonic() + FRESH_MS
      await mkdir(options.folder, { recursive: true })
      await writeFileAtomic(copy, bytes, { mode: 0o600 })
    } catch (error) {
      index.problem = error instanceof Error ? error.message : String(error)
      index.dueAt = clock.monotonic() + REST_MS
      logger.warn({ err: error, gallery: gallery.name }, 'gallery cannot be read')
      if (index.entries.length > 0) return
      const bytes = await readFile(copy).catch(() => undefined)
      if (bytes !== undefined) await fill(index, gallery, await readIndex(bytes, { signal }).catch(() => []))
    }
  }

  /** Waits for an index of which nothing is known; one that is only old is read in the background. */
  async function settle(gallery: Gallery, signal: AbortSignal): Promise<Index<Entry>> {
    const index = openIndex(gallery)
    if (index.loading === undefined && clock.monotonic() >= index.dueAt) {
      index.loading = load(index, gallery).finally(() => {
        index.loading = undefined
      })
    }
    if (index.entries.length === 0 && index.loading !== undefined) await untilAborted(index.loading, signal)
    return index
  }

  return {
    galleries: options.galleries,
    async list({ signal }) {
      const all = await Promise.all(options.galleries().map((gallery) => settle(gallery, signal)))
      return all.flatMap(({ entries }) => entries)
    },
    async find(id, { signal }) {
      const at = id.indexOf('@')
      const [wanted, name] = at < 0 ? [undefined, id] : [id.slice(0, at).toLowerCase(), id.slice(at + 1)]
      for (const gallery of options.galleries()) {
        if (wanted !== undefined && gallery.name.toLowerCase() !== wanted) continue
        const found = (await settle(gallery, signal)).byName.get(name.toLowerCase())
        if (found !== undefined) return found
      }
      return undefined
    },
    problems() {
      const found = options.galleries().flatMap((gallery) => {
        const { problem } = openIndex(gallery)
        return problem === undefined ? [] : [[gallery.name, problem] as const]
      })
      return new Map(found)
    },
  }
}

/** The bytes of an index, from its URL or the first mirror that has them. @throws the failure of the last */
async function fetchIndex(
  gallery: Gallery,
  { client, signal }: { readonly client: OutboundClient; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  let failure: unknown
  for (const url of [gallery.url, ...(gallery.mirrors ?? [])]) {
    try {
      const bytes = await fetchBytes(url, { client, signal, trust: 'operator' })
      if (!new URL(url).pathname.endsWith('.ref')) return bytes
      const reference = new URL(new TextDecoder().decode(bytes.subarray(0, MAX_REFERENCE_BYTES)).trim(), url)
      // A document may lead away from what the operator configured.
      const trust = reference.origin === new URL(url).origin ? 'operator' : 'public'
      return await fetchBytes(reference.href, { client, signal, trust })
    } catch (error) {
      signal.throwIfAborted()
      failure = error
    }
  }
  throw failure
}

async function fetchBytes(
  url: string,
  { client, signal, trust }: { readonly client: OutboundClient; readonly signal: AbortSignal; readonly trust: Trust },
): Promise<Uint8Array> {
  const limits = { maxBytes: MAX_INDEX_BYTES, timeoutMs: FETCH_MS, redirects: 3 } as const
  await using reply = await client.fetch(url, { signal, trust, ...limits })
  if (reply.status !== 200) {
    throw new SvcError('upstream_failed', `the gallery answers with status ${reply.status}`, {
      code: 'gallery_refused',
    })
  }
  // Awaited here: the reply is closed at the end of this function.
  return await reply.bytes()
}
