import { checkModelAccess } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { hasUsecase } from '../../catalog/usecases.ts'
import type { Database } from '../../db/database.ts'
import { checkType } from '../../document-stores/check-type.ts'
import type { Attributes, DocumentFile, DocumentStore } from '../../document-stores/document-store.ts'
import type { Documents } from '../../document-stores/documents.ts'
import { type EmbeddingModelParts, findEmbeddingModel, fitChunkSize } from '../../document-stores/embedding-model.ts'
import type { DocumentHit } from '../../document-stores/search-documents.ts'
import type { InnerCaller } from '../../inference/core/inner-context.ts'
import type { StoredFile } from '../../stored-files/stored-file.ts'
import { COLLECTION_MARK, findFile, findStore, listFiles, listStores } from './collection-rows.ts'

/** Collections: vector stores of documents that are found by a name. Each belongs to an account. */
export interface Collections {
  /** Names of the collections of an owner, the oldest first. */
  list(owner: string): Promise<readonly string[]>
  /** @throws {SvcError} `not_found` */
  get(owner: string, name: string): Promise<DocumentStore>
  /** @throws {SvcError} `invalid_request` for a name that cannot be one; `conflict` for one that is taken */
  create(owner: string, name: string): Promise<DocumentStore>
  /** The documents of a collection, the oldest first. */
  entries(store: DocumentStore): Promise<readonly DocumentFile[]>
  /** @throws {SvcError} `not_found` */
  entry(store: DocumentStore, name: string): Promise<DocumentFile>
  /**
   * Adds an uploaded file, to be indexed in the background with the rights of its owner. When this throws, the file is
   * gone.
   *
   * @throws {SvcError} `conflict` for an entry of that name, `unsupported_media`; `invalid_request` where no model embeds
   */
  add(
    store: DocumentStore,
    file: StoredFile,
    options: {
      readonly caller: InnerCaller
      readonly attributes?: Attributes
      /** The document that the new one takes the place of. */
      readonly replaced?: DocumentFile | undefined
    },
  ): Promise<DocumentFile>
  /** Removes a document with its bytes. @throws {SvcError} `not_found` */
  removeEntry(store: DocumentStore, name: string): Promise<void>
  /** Removes all documents. */
  reset(store: DocumentStore): Promise<void>
  remove(store: DocumentStore): Promise<void>
  /** Finds the chunks nearest to a text, the best first. @throws {SvcError} every refusal of an inference request */
  search(
    stores: readonly DocumentStore[],
    search: { readonly query: string; readonly count: number },
    options: { readonly caller: InnerCaller; readonly signal: AbortSignal },
  ): Promise<readonly DocumentHit[]>
  /** Gives the text of a document, and the number of its chunks. */
  readContent(file: DocumentFile): Promise<{ readonly content: string; readonly chunkCount: number }>
}

/** Parts of {@link createCollections}. */
export interface CollectionParts extends EmbeddingModelParts {
  readonly documents: { open(): Promise<Documents> }
  readonly database: Pick<Database, 'queries' | 'dialect'>
}

const MAX_NAME_BYTES = 128
/** One part of a path: no separators, no control characters, not `.` and `..`. */
const NAME = /^(?!\.{1,2}$)[^/\\\p{Cc}\p{Surrogate}]+$/u
const MAX_CONTENT_CHARACTERS = 16 * 1024 * 1024
const ADMIN = { id: '', isAdmin: true }

/** Creates the collections on the documents of the server. Nothing is loaded yet. */
export function createCollections(parts: CollectionParts): Collections {
  const { documents, database, settings } = parts
  const { queries } = database

  /** @throws {SvcError} `precondition_failed` for an engine that this server does not have */
  function checkEngine(): void {
    if (settings.get('agent_pool_vector_engine') !== 'postgres' || database.dialect === 'postgres') return
    throw new SvcError(
      'precondition_failed',
      'agent_pool_vector_engine is postgres, and the database of this server is not PostgreSQL; set it to chromem',
      { code: 'vector_engine' },
    )
  }

  async function removeFiles(ids: readonly string[]): Promise<void> {
    const { uploads } = await documents.open()
    const found = await Promise.all(ids.map((id) => uploads.find(id, ADMIN)))
    await uploads.remove(found.filter((file) => file !== undefined))
  }

  async function entry(store: DocumentStore, name: string): Promise<DocumentFile> {
    const file = await findFile(queries, store.id, name)
    if (file === undefined) throw notFound(`entry not found: ${name.slice(0, MAX_NAME_BYTES)}`)
    return file
  }

  async function reset(store: DocumentStore): Promise<void> {
    const files = await listFiles(queries, store.id)
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      await removeFiles(files.slice(at, at + FILES_AT_ONCE).map(({ id }) => id))
    }
  }

  return {
    list: async (owner) => [...new Set((await listStores(queries, owner)).map(({ name }) => name))],
    async get(owner, name) {
      const store = await findStore(queries, owner, name)
      if (store === undefined) throw notFound(`collection not found: ${name.slice(0, MAX_NAME_BYTES)}`)
      return store
    },
    async create(owner, name) {
      checkEngine()
      if (!NAME.test(name) || Buffer.byteLength(name) > MAX_NAME_BYTES || name !== name.trim()) {
        throw new SvcError(
          'invalid_request',
          `name: must be 1 to ${MAX_NAME_BYTES} bytes without slashes, control characters and blanks at its ends`,
        )
      }
      if ((await findStore(queries, owner, name)) !== undefined) throw taken(`the collection '${name}' exists already`)
      const { stores } = await documents.open()
      const model = settings.get('agent_pool_embedding_model')
      const facts = { description: COLLECTION_MARK, metadata: '{}', expiresDays: null }
      return stores.create({ owner, name, model, ...facts })
    },
    entries: (store) => listFiles(queries, store.id),
    entry,
    async add(store, file, { caller, attributes = {}, replaced }) {
      const { uploads, stores, files, indexer } = await documents.open()
      try {
        checkEngine()
        await checkType(file, uploads)
        const same = await findFile(queries, store.id, file.filename)
        if (same !== undefined && same.id !== replaced?.id) throw taken('entry already exists')
        const model = chooseModel(store, caller, parts)
        if (store.model === '') await stores.setModel(store.id, model)
        const chunkSize = fitChunkSize(model, settings.get('agent_pool_max_chunking_size'), parts)
        const chunkOverlap = Math.min(settings.get('agent_pool_chunk_overlap'), Math.floor(chunkSize / 2))
        const [added] = await files.add(store.id, [{ file, attributes, chunkSize, chunkOverlap }], file.owner)
        indexer.wake()
        if (replaced !== undefined) await removeFiles([replaced.id])
        if (added === undefined) throw new SvcError('internal', 'the file was not added')
        return added
      } catch (error) {
        await uploads.remove([file])
        throw error
      }
    },
    removeEntry: async (store, name) => removeFiles([(await entry(store, name)).id]),
    reset,
    async remove(store) {
      await reset(store)
      await (await documents.open()).removeStore(store)
    },
    async search(stores, { query, count }, options) {
      checkEngine()
      const { search, stores: all } = await documents.open()
      for (const store of stores) await all.markUse(store)
      return search(stores, { queries: [query], count }, options)
    },
    readContent: async (file) => readContent(file, await documents.open()),
  }
}

async function readContent(
  file: DocumentFile,
  { files }: Documents,
): Promise<{ readonly content: string; readonly chunkCount: number }> {
  const pieces: string[] = []
  let [end, length] = [0, 0]
  for await (const chunks of file.status === 'completed' ? files.readChunks(file) : []) {
    for (const chunk of chunks) {
      const text = chunk.text.slice(Math.max(0, end - chunk.start))
      end = chunk.end
      length += text.length
      if (length > MAX_CONTENT_CHARACTERS) {
        throw new SvcError('too_large', `the text has more than ${MAX_CONTENT_CHARACTERS} characters`)
      }
      pieces.push(text)
    }
  }
  return { content: pieces.join(''), chunkCount: file.chunkCount }
}

const FILES_AT_ONCE = 100

function notFound(message: string): SvcError {
  return new SvcError('not_found', message)
}

function taken(message: string): SvcError {
  return new SvcError('conflict', message)
}

/** The model of a collection, which the caller may use. @throws {SvcError} `invalid_request`, `forbidden` */
function chooseModel({ model }: DocumentStore, { principal }: InnerCaller, parts: CollectionParts): string {
  const name = model || parts.settings.get('agent_pool_embedding_model') || findEmbeddingModel(parts)
  if (name === '')
    throw refuseModel('no model on this machine makes embeddings; install one, or set agent_pool_embedding_model')
  const found = parts.models.find(name)
  if (found === undefined || !hasUsecase(found, 'embeddings')) {
    throw refuseModel(`"${name}" is not a model that makes embeddings`)
  }
  checkModelAccess(principal, found.name, found.name === name ? [] : [name])
  return name
}

function refuseModel(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'no_embedding_model' })
}
