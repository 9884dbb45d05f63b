import type * as z from 'zod'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { HttpMethod, LoadSchema } from '../../../http/route-info.ts'
import type { VectorStoreParts } from './parts.ts'

type Wire = typeof import('@svc/wire/openai')
type Handlers = typeof import('./file-handlers.ts') & typeof import('./store-handlers.ts')
type Handler = (call: Call, parts: VectorStoreParts) => Promise<HttpReply>

/** What differs between the routes. */
interface Row {
  readonly summary: string
  readonly handler: (handlers: Handlers) => Handler
  readonly reply: (wire: Wire) => z.ZodType
  readonly body?: (wire: Wire) => z.ZodType
  readonly query?: LoadSchema<z.ZodObject>
}

const STORES = '/v1/vector_stores'
const STORE = `${STORES}/:vector_store_id`
const FILE = `${STORE}/files/:file_id`
const BATCH = `${STORE}/file_batches/:batch_id`

const pageQuery = async () => (await import('../files/schemas.ts')).pageQuery
const storeFileQuery = async () => (await import('../files/schemas.ts')).storeFileQuery

/** The routes by method and path. */
const ROWS: Readonly<Record<string, Row>> = {
  [`POST ${STORES}`]: {
    summary: 'Create a vector store',
    handler: ({ createStore }) => createStore,
    body: (wire) => wire.vectorStoreRequest,
    reply: (wire) => wire.vectorStore,
  },
  [`GET ${STORES}`]: {
    summary: 'List vector stores',
    handler: ({ listStores }) => listStores,
    query: pageQuery,
    reply: (wire) => wire.vectorStoreList,
  },
  [`GET ${STORE}`]: {
    summary: 'Get a vector store',
    handler: ({ getStore }) => getStore,
    reply: (wire) => wire.vectorStore,
  },
  [`POST ${STORE}`]: {
    summary: 'Change a vector store',
    handler: ({ updateStore }) => updateStore,
    body: (wire) => wire.vectorStoreUpdate,
    reply: (wire) => wire.vectorStore,
  },
  [`DELETE ${STORE}`]: {
    summary: 'Delete a vector store; its uploaded files stay',
    handler: ({ deleteStore }) => deleteStore,
    reply: (wire) => wire.vectorStoreDeleted,
  },
  [`POST ${STORE}/search`]: {
    summary: 'Search a vector store',
    handler: ({ searchStore }) => searchStore,
    body: (wire) => wire.vectorStoreSearch,
    reply: (wire) => wire.vectorStoreResults,
  },
  [`POST ${STORE}/files`]: {
    summary: 'Add a file to a vector store',
    handler: ({ attachFile }) => attachFile,
    body: (wire) => wire.vectorStoreFileRequest,
    reply: (wire) => wire.vectorStoreFile,
  },
  [`GET ${STORE}/files`]: {
    summary: 'List the files of a vector store',
    handler: ({ listStoreFiles }) => listStoreFiles,
    query: storeFileQuery,
    reply: (wire) => wire.vectorStoreFileList,
  },
  [`GET ${FILE}`]: {
    summary: 'Get a file of a vector store',
    handler: ({ getStoreFile }) => getStoreFile,
    reply: (wire) => wire.vectorStoreFile,
  },
  [`POST ${FILE}`]: {
    summary: 'Change the attributes of a file of a vector store',
    handler: ({ updateStoreFile }) => updateStoreFile,
    body: (wire) => wire.vectorStoreFileUpdate,
    reply: (wire) => wire.vectorStoreFile,
  },
  [`DELETE ${FILE}`]: {
    summary: 'Take a file out of a vector store',
    handler: ({ detachFile }) => detachFile,
    reply: (wire) => wire.vectorStoreFileDeleted,
  },
  [`GET ${FILE}/content`]: {
    summary: 'Get the text of a file of a vector store',
    handler: ({ getStoreFileContent }) => getStoreFileContent,
    reply: (wire) => wire.vectorStoreFileContent,
  },
  [`POST ${STORE}/file_batches`]: {
    summary: 'Add several files to a vector store',
    handler: ({ createBatch }) => createBatch,
    body: (wire) => wire.fileBatchRequest,
    reply: (wire) => wire.fileBatch,
  },
  [`GET ${BATCH}`]: {
    summary: 'Get a batch of files',
    handler: ({ getBatch }) => getBatch,
    reply: (wire) => wire.fileBatch,
  },
  [`POST ${BATCH}/cancel`]: {
    summary: 'Cancel the files of a batch that wait',
    handler: ({ cancelBatch }) => cancelBatch,
    reply: (wire) => wire.fileBatch,
  },
  [`GET ${BATCH}/files`]: {
    summary: 'List the files of a batch',
    handler: ({ listBatchFiles }) => listBatchFiles,
    query: storeFileQuery,
    reply: (wire) => wire.vectorStoreFileList,
  },
}

const wire = () => import('@svc/wire/openai')

/** `/v1/vector_stores`: files that are cut, embedded and searched. */
export function vectorStoreRoutes(parts: VectorStoreParts): Route[] {
  return Object.entries(ROWS).map(([place, { summary, handler, reply, body, query }]) => {
    const [method = '', path = ''] = place.split(' ')
    return defineRoute({
      method: method as HttpMethod,
      path,
      access: 'self',
      feature: 'stores',
      family: 'compatible',
      tag: 'files',
      summary,
      query,
      body: body && (async () => body(await wire())),
      responses: {
        200: { description: 'Done.', schema: async () => reply(await wire()) },
        ...(path === STORES ? {} : { 404: { description: 'No such store or file, or one of another user.' } }),
      },
      async handler(call) {
        const handlers = { ...(await import('./store-handlers.ts')), ...(await import('./file-handlers.ts')) }
        return handler(handlers)(call, parts)
      },
    })
  })
}
