import { fileBatchRequest, vectorStoreFileRequest, vectorStoreFileUpdate } from '@svc/wire/openai'
import type { FileQuery } from '../../../document-stores/document-files.ts'
import type { DocumentBatch, DocumentStatus, DocumentStore } from '../../../document-stores/document-store.ts'
import { countFilesOfBatch } from '../../../document-stores/file-counts.ts'
import type { Call } from '../../../http/call.ts'
import { ALREADY_SENT, type HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { readPageQuery, toReader, writePage } from '../files/page-query.ts'
import { addFiles, readAddition, readAdditions } from './add-files.ts'
import { ensureModel, type VectorStoreParts } from './parts.ts'
import { writeBatch, writeStoreFile } from './write-resources.ts'

const STATES: readonly string[] = ['in_progress', 'completed', 'failed', 'cancelled'] satisfies DocumentStatus[]
/** The pause that helpers of clients make between two looks; without it they wait for five seconds. */
const POLL_HEADERS = { 'openai-poll-after-ms': '250' }

async function findStore(call: Call, { documents }: VectorStoreParts): Promise<DocumentStore> {
  const { stores } = await documents.open()
  return stores.get(call.param('vector_store_id'), toReader(call))
}

/** Finds the store of a call that adds files, with its model. */
async function prepareStore(call: Call, parts: VectorStoreParts): Promise<DocumentStore> {
  const { stores } = await parts.documents.open()
  const store = await stores.use(call.param('vector_store_id'), toReader(call))
  await ensureModel(store, call, parts)
  return store
}

/** Answers `POST /v1/vector_stores/:vector_store_id/files`. */
export async function attachFile(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const body = await readJsonBody(call, vectorStoreFileRequest, parts.bodies)
  const store = await prepareStore(call, parts)
  const addition = await readAddition(call, body, { model: store.model, parts })
  const [file] = await addFiles(call, store, [addition], parts)
  return json(file && writeStoreFile(file))
}

/** Answers `GET /v1/vector_stores/:vector_store_id/files`. */
export async function listStoreFiles(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const store = await findStore(call, parts)
  return listPage(store.id, readFileQuery(call), parts)
}

async function listPage(storeId: string, query: FileQuery, { documents }: VectorStoreParts): Promise<HttpReply> {
  const { files } = await documents.open()
  const { items, hasMore } = await files.list(storeId, query)
  return json(writePage(items.map(writeStoreFile), hasMore))
}

function readFileQuery(call: Call): FileQuery {
  const status = call.query('filter') || undefined
  if (status !== undefined && !STATES.includes(status)) {
    throw unparsable(`filter: must be one of ${STATES.join(', ')}`, 'filter')
  }
  return { ...readPageQuery(call), status: status as DocumentStatus | undefined }
}

/** Answers `GET /v1/vector_stores/:vector_store_id/files/:file_id`. */
export async function getStoreFile(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const store = await findStore(call, parts)
  const { files } = await parts.documents.open()
  return json(writeStoreFile(await files.get(store.id, call.param('file_id'))), { headers: POLL_HEADERS })
}

/** Answers `POST /v1/vector_stores/:vector_store_id/files/:file_id`. */
export async function updateStoreFile(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const { attributes } = await readJsonBody(call, vectorStoreFileUpdate, parts.bodies)
  const store = await findStore(call, parts)
  const { files } = await parts.documents.open()
  return json(writeStoreFile(await files.setAttributes(store.id, call.param('file_id'), attributes ?? {})))
}

/** Answers `DELETE /v1/vector_stores/:vector_store_id/files/:file_id`. */
export async function detachFile(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const store = await findStore(call, parts)
  const { files, indexer } = await parts.documents.open()
  const id = call.param('file_id')
  await files.remove(store.id, id)
  indexer.stop(store.id, id)
  return json({ id, object: 'vector_store.file.deleted', deleted: true })
}

/** Answers `GET /v1/vector_stores/:vector_store_id/files/:file_id/content`: its text, without what chunks share. */
export async function getStoreFileContent(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const store = await findStore(call, parts)
  const { files } = await parts.documents.open()
  const file = await files.get(store.id, call.param('file_id'))
  const writer = createReplyWriter(call, { compression: parts.compression })
  writer.startStream('application/json')
  await writer.write('{"object":"vector_store.file_content.page","data":[')
  let end = 0
  let comma = ''
  if (file.status === 'completed') {
    for await (const chunks of files.readChunks(file)) {
      let piece = ''
      for (const chunk of chunks) {
        const text = chunk.text.slice(Math.max(0, end - chunk.start))
        end = chunk.end
        piece += `${comma}${JSON.stringify({ type: 'text', text })}`
        comma = ','
      }
      await writer.write(piece)
    }
  }
  await writer.write('],"has_more":false,"next_page":null}')
  writer.end()
  return ALREADY_SENT
}

/** Answers `POST /v1/vector_stores/:vector_store_id/file_batches`. */
export async function createBatch(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const body = await readJsonBody(call, fileBatchRequest, parts.bodies)
  if ((body.file_ids?.length ?? 0) + (body.files?.length ?? 0) === 0) throw unparsable('file_ids: Required', 'file_ids')
  if (body.file_ids != null && body.files != null) throw unparsable('files: give them or file_ids, not both', 'files')
  const store = await prepareStore(call, parts)
  const additions = await readAdditions(call, body, { model: store.model, parts })
  const { files, indexer } = await parts.documents.open()
  const batch = await files.addBatch(store.id, additions, call.principal.id)
  indexer.wake()
  return replyBatch(batch, parts)
}

async function replyBatch(batch: DocumentBatch, { database }: VectorStoreParts): Promise<HttpReply> {
  const counts = await countFilesOfBatch(database.queries, batch.id)
  return json(writeBatch(batch, counts), { headers: POLL_HEADERS })
}

async function findBatch(call: Call, parts: VectorStoreParts): Promise<DocumentBatch> {
  const store = await findStore(call, parts)
  const { files } = await parts.documents.open()
  return files.getBatch(store.id, call.param('batch_id'))
}

/** Answers `GET /v1/vector_stores/:vector_store_id/file_batches/:batch_id`. */
export async function getBatch(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  return replyBatch(await findBatch(call, parts), parts)
}

/** Answers `POST /v1/vector_stores/:vector_store_id/file_batches/:batch_id/cancel`. */
export async function cancelBatch(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const batch = await findBatch(call, parts)
  const { files, indexer } = await parts.documents.open()
  for (const id of await files.cancelBatch(batch)) indexer.stop(batch.storeId, id)
  return replyBatch(await files.getBatch(batch.storeId, batch.id), parts)
}

/** Answers `GET /v1/vector_stores/:vector_store_id/file_batches/:batch_id/files`. */
export async function listBatchFiles(call: Call, parts: VectorStoreParts): Promise<HttpReply> {
  const batch = await findBatch(call, parts)
  return listPage(batch.storeId, { ...readFileQuery(call), batchId: batch.id }, parts)
}
