import { vectorStoreRequest, vectorStoreSearch, vectorStoreUpdate } from '@svc/wire/openai'
import { readAttributeFilter } from '../../../document-stores/attribute-filter.ts'
import type { DocumentStore } from '../../../document-stores/document-store.ts'
import { countFilesOfStores } from '../../../document-stores/file-counts.ts'
import type { DocumentHit } from '../../../document-stores/search-documents.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { readPageQuery, toReader, writePage } from '../files/page-query.ts'
import { addFiles, readAdditions } from './add-files.ts'
import { checkEmbeddingModel, ensureModel, toCaller, type VectorStoreParts } from './parts.ts'
import { writeStore } from './write-resources.ts'

const DEFAULT_RESULTS = 10

async function reply(store: DocumentStore, { database, clock }: VectorStoreParts): Promise<HttpReply> {
  const counts = await countFilesOfStores(database.queries, [store.id])
  return json(writeStore(store, counts(store.id), clock.now()))
}

/** Answers `POST /v1/vector_stores`. */
export async function createStore(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const body = await readJsonBody(call, vectorStoreRequest, parts.bodies)
  const { stores } = await parts.documents.open()
  const { embedding_model: model } = body
  if (model != null) checkEmbeddingModel(model, call, parts, 'embedding_model')
  const additions = await readAdditions(call, body, { model: model ?? '', parts })
  const draft = {
    owner: call.principal.id,
    name: body.name ?? '',
    description: body.description ?? null,
    metadata: JSON.stringify(body.metadata ?? {}),
    model: model ?? '',
    expiresDays: body.expires_after?.days ?? null,
  }
  const store = await stores.create(draft)
  if (additions.length === 0) return reply(store, parts)
  try {
    await ensureModel(store, call, parts)
    await addFiles(call, store, additions, parts)
  } catch (error) {
    await stores.remove(store.id, toReader(call))
    throw error
  }
  return reply(await stores.get(store.id, toReader(call)), parts)
}

/** Answers `GET /v1/vector_stores`. */
export async function listStores(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const { stores } = await parts.documents.open()
  const { items, hasMore } = await stores.list(readPageQuery(call), toReader(call))
  const ids = items.map(({ id }) => id)
  const counts = await countFilesOfStores(parts.database.queries, ids)
  const now = parts.clock.now()
  return json(
    writePage(
      items.map((store) => writeStore(store, counts(store.id), now)),
      hasMore,
    ),
  )
}

/** Answers `GET /v1/vector_stores/:vector_store_id`. */
export async function getStore(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const { stores } = await parts.documents.open()
  return reply(await stores.get(call.param('vector_store_id'), toReader(call)), parts)
}

/** Answers `POST /v1/vector_stores/:vector_store_id`. */
export async function updateStore(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const { name, metadata, expires_after: expiry } = await readJsonBody(call, vectorStoreUpdate, parts.bodies)
  const { stores } = await parts.documents.open()
  const change = {
    name: name ?? undefined,
    metadata: metadata == null ? undefined : JSON.stringify(metadata),
    expiresDays: expiry === null ? null : expiry?.days,
  }
  return reply(await stores.update(call.param('vector_store_id'), change, toReader(call)), parts)
}

/** Answers `DELETE /v1/vector_stores/:vector_store_id`. */
export async function deleteStore(call: Call, { documents }: VectorStoreParts): Promise<HttpReply> {
  const { stores, removeStore } = await documents.open()
  const store = await stores.get(call.param('vector_store_id'), toReader(call))
  await removeStore(store)
  return json({ id: store.id, object: 'vector_store.deleted', deleted: true })
}

/** Answers `POST /v1/vector_stores/:vector_store_id/search`. */
export async function searchStore(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const body = await readJsonBody(call, vectorStoreSearch, parts.bodies)
  const filter = body.filters == null ? undefined : readAttributeFilter(body.filters)
  const { stores, search } = await parts.documents.open()
  const store = await stores.use(call.param('vector_store_id'), toReader(call))
  await stores.markUse(store)
  const queries = typeof body.query === 'string' ? [body.query] : body.query
  const hits = await search(
    [store],
    {
      queries,
      filter,
      count: body.max_num_results ?? DEFAULT_RESULTS,
      threshold: body.ranking_options?.score_threshold ?? undefined,
    },
    { caller: toCaller(call), signal: call.signal },
  )
  return json({
    object: 'vector_store.search_results.page',
    search_query: queries,
    data: hits.map(writeHit),
    has_more: false,
    next_page: null,
  })
}

function writeHit({ fileId, filename, score, attributes, text }: DocumentHit) {
  return { file_id: fileId, filename, score, attributes, content: [{ type: 'text', text }] }
}
