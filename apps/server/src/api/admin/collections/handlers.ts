import { createReadStream } from 'node:fs'
import { SvcError } from '@svc/errors'
import { DEFAULT_INTERVAL_MINUTES, readSource } from '../../../agents/collections/collection-rows.ts'
import type { Collections } from '../../../agents/collections/collections.ts'
import type { CollectionSources } from '../../../agents/collections/sources.ts'
import type { DocumentFile, DocumentStore } from '../../../document-stores/document-store.ts'
import type { Documents } from '../../../document-stores/documents.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { CompressionPolicy } from '../../../http/compression.ts'
import type { FormReader } from '../../../http/forms/form-reader.ts'
import { ALREADY_SENT, type HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import type { InnerCaller } from '../../../inference/core/inner-context.ts'
import { writeContent } from '../../../inference/replies/content.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { collectionDraft, entryBody, searchBody, sourceBody, sourceRemoval } from './schemas.ts'

/** Parts of the routes of collections. */
export interface CollectionRouteParts {
  readonly collections: {
    open(): Promise<{ readonly collections: Collections; readonly sources: CollectionSources }>
  }
  readonly documents: { open(): Promise<Documents> }
  readonly bodies: BodyReader
  readonly forms: Pick<FormReader, 'read'>
  readonly compression: CompressionPolicy
}

const DEFAULT_RESULTS = 5
const MAX_NAME_BYTES = 1024
const NOT_IN_NAME = /[\p{Cc}\p{Surrogate}]/gu
const FORM = { files: { file: {} } }

const readOwner = (call: Call): string => call.query('user_id') || call.principal.id

async function openStore(call: Call, parts: CollectionRouteParts) {
  const { collections, sources } = await parts.collections.open()
  return { collections, sources, store: await collections.get(readOwner(call), call.param('name')) }
}

function toCaller(call: Call): InnerCaller {
  const { principal, requestId, log } = call
  return {
    ...{ principal, requestId, log },
    header: (name) => call.header(name),
    useModel: (model, through) => call.useModel(model, through),
  }
}

/** Answers `GET /api/agents/collections`. */
export async function listCollections(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { collections } = await parts.collections.open()
  const names = await collections.list(readOwner(call))
  return json({ collections: names, count: names.length })
}

/** Answers `POST /api/agents/collections`. */
export async function createCollection(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { name } = await readJsonBody(call, collectionDraft, parts.bodies)
  const { collections } = await parts.collections.open()
  await collections.create(readOwner(call), name)
  call.noteChange({ target: name })
  return json({ status: 'ok', name }, { status: 201 })
}

/** Answers `DELETE /api/agents/collections/:name`. */
export async function deleteCollection(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { collections, store } = await openStore(call, parts)
  await collections.remove(store)
  return json({ status: 'ok' })
}

/** Answers `POST /api/agents/collections/:name/upload`. */
export async function uploadEntry(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { collections, store } = await openStore(call, parts)
  const form = await parts.forms.read(call, FORM)
  try {
    const [file] = form.files
    if (file === undefined || file.sizeBytes === 0) throw new SvcError('invalid_request', 'file required')
    const filename = readName(file.filename)
    const { uploads } = await parts.documents.open()
    // The client may have taken long for the bytes.
    await call.confirm()
    call.signal.throwIfAborted()
    const { path, sizeBytes } = file
    const facts = { owner: call.principal.id, filename, purpose: 'assistants', sizeBytes }
    await collections.add(store, await uploads.keep(path, facts), { caller: toCaller(call) })
    call.noteChange({ details: filename })
    return json({ status: 'ok', filename })
  } finally {
    form.release()
  }
}

/** The last part of the name that a client gave. */
function readName(name: string): string {
  const clean = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).replaceAll(NOT_IN_NAME, '_')
  if (Buffer.byteLength(clean) <= MAX_NAME_BYTES) return clean === '' ? 'file' : clean
  throw new SvcError('invalid_request', `file: its name has more than ${MAX_NAME_BYTES} bytes`)
}

/** Answers `POST /api/agents/collections/:name/search`. */
export async function searchCollection(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { query, max_results: most } = await readJsonBody(call, searchBody, parts.bodies)
  const { collections, store } = await openStore(call, parts)
  const options = { caller: toCaller(call), signal: call.signal }
  const hits = await collections.search([store], { query, count: most || DEFAULT_RESULTS }, options)
  const results = hits.map(({ fileId, filename, chunk, start, end, text, score, attributes }) => ({
    id: `${fileId}/${chunk}`,
    content: text,
    similarity: score,
    metadata: { source: attributes.source_url ?? filename, entry: filename, chunk, start, end },
  }))
  return json({ results, count: results.length })
}

/** Answers `POST /api/agents/collections/:name/reset`. */
export async function resetCollection(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { collections, store } = await openStore(call, parts)
  await collections.reset(store)
  return json({ status: 'ok' })
}

/** Answers `GET /api/agents/collections/:name/entries`. */
export async function listEntries(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { collections, store } = await openStore(call, parts)
  const files = await collections.entries(store)
  return json({ ...writeNames('entries', files), details: files.map(writeEntry) })
}

function writeNames<Key extends string>(key: Key, files: readonly DocumentFile[]) {
  return { [key]: files.map(({ filename }) => filename), count: files.length }
}

function writeEntry(file: DocumentFile) {
  return {
    entry: file.filename,
    status: file.status,
    error: file.errorMessage ?? undefined,
    chunk_count: file.chunkCount,
    created_at: new Date(file.createdAt).toISOString(),
    source_url: readSource(file)?.source_url,
  }
}

/** The name of an entry is the rest of the path. */
async function findEntry(call: Call, collections: Collections, store: DocumentStore): Promise<DocumentFile> {
  return collections.entry(store, call.param('entry'))
}

/** Answers `GET /api/agents/collections/:name/entries/*`. */
export async function getEntry(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { collections, store } = await openStore(call, parts)
  const { content, chunkCount } = await collections.readContent(await findEntry(call, collections, store))
  return json({ content, chunk_count: chunkCount })
}

/** Answers `GET /api/agents/collections/:name/entries-raw/*`. Browsers save the bytes and never show them as a page. */
export async function getRawEntry(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { collections, store } = await openStore(call, parts)
  const entry = await findEntry(call, collections, store)
  const { uploads } = await parts.documents.open()
  const file = await uploads.find(entry.id, { id: '', isAdmin: true })
  if (file === undefined) throw new SvcError('not_found', 'entry not found')
  const path = await uploads.locate(file)
  const content = {
    mediaType: 'application/octet-stream',
    length: file.sizeBytes,
    headers: { 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' },
    hasRanges: true,
    read: (range?: { readonly start: number; readonly end: number }) =>
      createReadStream(path, range && { start: range.start, end: range.end - 1 }),
  }
  await writeContent(createReplyWriter(call, { compression: parts.compression }), content, { request: call })
  return ALREADY_SENT
}

/** Answers `DELETE /api/agents/collections/:name/entry/delete`. */
export async function deleteEntry(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { entry } = await readJsonBody(call, entryBody, parts.bodies)
  const { collections, store } = await openStore(call, parts)
  await collections.removeEntry(store, entry)
  call.noteChange({ details: entry })
  return json(writeNames('remaining_entries', await collections.entries(store)))
}

/** Answers `GET /api/agents/collections/:name/sources`. */
export async function listSources(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { sources, store } = await openStore(call, parts)
  const found = (await sources.list(store)).map((source) => ({
    url: source.source_url,
    update_interval: source.update_interval,
    last_update: new Date(source.fetched_at).toISOString(),
    error: source.fetch_error || undefined,
  }))
  return json({ sources: found, count: found.length })
}

/** Answers `POST /api/agents/collections/:name/sources`. */
export async function addSource(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { url, update_interval: interval = 0 } = await readJsonBody(call, sourceBody, parts.bodies)
  const { sources, store } = await openStore(call, parts)
  const intervalMinutes = interval < 1 ? DEFAULT_INTERVAL_MINUTES : interval
  await sources.add(store, { url, intervalMinutes }, { caller: toCaller(call), signal: call.signal })
  return json({ status: 'ok' })
}

/** Answers `DELETE /api/agents/collections/:name/sources`. */
export async function removeSource(call: Call, parts: CollectionRouteParts): Promise<HttpReply> {
  const { url } = await readJsonBody(call, sourceRemoval, parts.bodies)
  const { sources, store } = await openStore(call, parts)
  await sources.remove(store, url)
  return json({ status: 'ok' })
}
