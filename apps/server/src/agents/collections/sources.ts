import { createHash } from 'node:crypto'
import { SvcError, toSvcError } from '@svc/errors'
import type { DocumentFile, DocumentStore } from '../../document-stores/document-store.ts'
import type { PrivateFile, PrivateFiles } from '../../files/private-files.ts'
import type { InnerCaller } from '../../inference/core/inner-context.ts'
import type { OutboundClient } from '../../outbound/client.ts'
import type { Clock, Logger } from '../../ports.ts'
import { listFetched, readSource, type SourceAttributes } from './collection-rows.ts'
import type { CollectionParts, Collections } from './collections.ts'

/** Documents of collections that are fetched from addresses, again and again. */
export interface CollectionSources {
  /** The sources of a collection, the oldest first. */
  list(store: DocumentStore): Promise<readonly SourceAttributes[]>
  /**
   * Fetches an address, and adds it. A source that is there gets the new interval, and is fetched again.
   *
   * @throws {SvcError} `invalid_request`; every failure of a fetch; as {@link Collections.add}
   */
  add(store: DocumentStore, source: NewSource, options: FetchOptions): Promise<void>
  /** Removes a source with its document. One that is not there is no failure. */
  remove(store: DocumentStore, url: string): Promise<void>
  /** Fetches again, once a minute, what is due. Ends with the signal. */
  follow(signal: AbortSignal): Promise<void>
}

/** A source that is added. */
export interface NewSource {
  readonly url: string
  /** Minutes between two fetches. */
  readonly intervalMinutes: number
}

interface FetchOptions {
  readonly caller: InnerCaller
  readonly signal: AbortSignal
}

/** Parts of {@link createSources}. */
export interface SourceParts extends Pick<CollectionParts, 'documents' | 'database'> {
  readonly collections: Collections
  readonly outbound: Pick<OutboundClient, 'fetch'>
  /** Where fetched bytes are kept until they are whole. */
  readonly temporary: PrivateFiles
  /** Gives the caller for work of an owner; undefined when there is none any more. */
  readonly findCaller: (owner: string, options: { readonly signal: AbortSignal }) => Promise<InnerCaller | undefined>
  /** Id of this server, which fetches what it has fetched first. */
  readonly server: string
  readonly clock: Clock
  readonly logger: Logger
}

const MAX_SOURCES = 100
const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 60_000
const REDIRECTS = 5
const LOOK_MS = 60_000
const MINUTE_MS = 60_000
const MAX_URL_CHARACTERS = 512
const MAX_ERROR_CHARACTERS = 256
/** Ends of names by the media types whose readers need one. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['text/html', '.html'],
  ['application/xhtml+xml', '.html'],
  ['text/markdown', '.md'],
  ['application/json', '.json'],
])

/** Creates the sources of collections. */
export function createSources(parts: SourceParts): CollectionSources {
  const { collections, documents, database, findCaller, server, clock, logger } = parts

  async function findSource(store: DocumentStore, url: string): Promise<DocumentFile | undefined> {
    return (await collections.entries(store)).find((file) => readSource(file)?.source_url === url)
  }

  async function fetchInto(store: DocumentStore, source: NewSource, options: FetchOptions): Promise<void> {
    const before = await findSource(store, source.url)
    const fetched = await fetchSource(source.url, parts, options.signal)
    try {
      await keepFetched(store, source, { ...options, before, fetched })
    } finally {
      await fetched.temporary.remove()
    }
  }

  async function keepFetched(
    store: DocumentStore,
    source: NewSource,
    {
      before,
      fetched,
      caller,
    }: FetchOptions & { readonly before: DocumentFile | undefined; readonly fetched: Fetched },
  ): Promise<void> {
    const { sha256, sizeBytes, filename, temporary } = fetched
    const attributes = {
      source_url: source.url,
      update_interval: source.intervalMinutes,
      fetched_at: clock.now(),
      sha256,
      fetch_error: '',
    } satisfies SourceAttributes
    const { uploads, files } = await documents.open()
    if (before !== undefined && readSource(before)?.sha256 === sha256) {
      await files.setAttributes(store.id, before.id, attributes)
      return
    }
    const owner = caller.principal.id
    const file = await uploads.keep(temporary.path, { owner, filename, purpose: 'assistants', sizeBytes })
    await collections.add(store, file, { caller, attributes, replaced: before })
  }

  async function refresh({ store, file }: Awaited<ReturnType<typeof listFetched>>[number], signal: AbortSignal) {
    const source = readSource(file)
    if (source === undefined || source.fetched_at + source.update_interval * MINUTE_MS > clock.now()) return
    const caller = await findCaller(store.owner, { signal })
    // The description of a store is no secret: only those of administrators are collections.
    if (caller?.principal.role !== 'admin') return
    try {
      const { source_url: url, update_interval: intervalMinutes } = source
      await fetchInto(store, { url, intervalMinutes }, { caller, signal })
    } catch (error) {
      signal.throwIfAborted()
      const { message } = toSvcError(error)
      logger.info({ err: error, store: store.id, file: file.id }, 'a source of a collection could not be fetched again')
      const { files } = await documents.open()
      const failed = { ...source, fetched_at: clock.now(), fetch_error: message.slice(0, MAX_ERROR_CHARACTERS) }
      await files.setAttributes(store.id, file.id, failed).catch(() => undefined)
    }
  }

  return {
    async list(store) {
      const found = (await collections.entries(store)).map((file) => readSource(file))
      return found.filter((source) => source !== undefined)
    },
    async add(store, source, options) {
      checkUrl(source.url)
      const sources = await this.list(store)
      const isNew = sources.every(({ source_url: url }) => url !== source.url)
      if (isNew && sources.length >= MAX_SOURCES) {
        throw new SvcError('insufficient_storage', `a collection has at most ${MAX_SOURCES} sources`)
      }
      await fetchInto(store, source, options)
    },
    async remove(store, url) {
      const file = await findSource(store, url)
      if (file !== undefined) await collections.removeEntry(store, file.filename)
    },
    async follow(signal) {
      for (;;) {
        await clock.sleep(LOOK_MS, { signal })
        try {
          if (!(await database.queries.holdsRows('document_stores'))) continue
          for (const fetched of await listFetched(database.queries, server)) await refresh(fetched, signal)
        } catch (err) {
          signal.throwIfAborted()
          logger.warn({ err }, 'the sources of collections could not be looked through')
        }
      }
    },
  }
}

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isWeb = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  if (isWeb && url.length <= MAX_URL_CHARACTERS) return
  throw new SvcError(
    'invalid_request',
    `url: must be an http or https address of at most ${MAX_URL_CHARACTERS} characters`,
  )
}

/** What an address answered with. */
interface Fetched {
  readonly temporary: PrivateFile
  readonly sha256: string
  readonly sizeBytes: number
  readonly filename: string
}

async function fetchSource(
  url: string,
  { outbound, temporary: files }: SourceParts,
  signal: AbortSignal,
): Promise<Fetched> {
  const request = { signal, trust: 'public', maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, redirects: REDIRECTS } as const
  await using reply = await outbound.fetch(url, request)
  if (reply.status !== 200) throw refuseAnswer(`with status ${reply.status}`)
  const temporary = await files.create()
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of reply.body) {
      hash.update(piece)
      sizeBytes += piece.length
      await temporary.append(piece)
    }
    await temporary.close()
    if (sizeBytes === 0) throw refuseAnswer('with nothing')
    return {
      temporary,
      sizeBytes,
      sha256: hash.digest('hex'),
      filename: toFilename(url, reply.headers['content-type'] ?? ''),
    }
  } catch (error) {
    await temporary.remove()
    throw error
  }
}

function refuseAnswer(answer: string): SvcError {
  return new SvcError('upstream_failed', `the address answers ${answer}`, { code: 'fetch_failed' })
}

/** Names the document of an address: host, path and a digest, so that no two addresses have one name. */
function toFilename(url: string, contentType: string): string {
  const { host, pathname } = new URL(url)
  const extension = EXTENSIONS.get(contentType.split(';')[0]?.trim().toLowerCase() ?? '') ?? ''
  const own = /\.[a-z0-9]{1,10}$/iu.exec(pathname)?.[0] ?? ''
  const digest = createHash('sha256').update(url).digest('hex').slice(0, 8)
  const stem = `${host}${pathname.slice(0, pathname.length - own.length)}`.replaceAll(/[^A-Za-z0-9.-]+/gu, '_')
  return `${stem.slice(0, 100)}-${digest}${extension || own}`
}
