import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { FileRouteParts } from './handlers.ts'

type Handlers = typeof import('./handlers.ts')

const wire = () => import('@svc/wire/openai')
const schemas = () => import('./schemas.ts')

const shared = { access: 'self', feature: 'stores', family: 'compatible', tag: 'files' } as const
const MISSING = { 404: { description: 'No such file, or one of another user.' } }

/** `/v1/files`: the files that users upload. */
export function fileRoutes(parts: FileRouteParts): Route[] {
  const handle = (choose: (handlers: Handlers) => (call: Call, parts: FileRouteParts) => Promise<HttpReply>) => {
    return async (call: Call) => choose(await import('./handlers.ts'))(call, parts)
  }
  const found = { 200: { description: 'The file.', schema: async () => (await wire()).fileObject }, ...MISSING }
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/files',
      form: true,
      bodyType: 'multipart/form-data',
      summary: 'Upload a file',
      body: async () => (await wire()).fileForm,
      responses: {
        200: { description: 'The file.', schema: async () => (await wire()).fileObject },
        507: { description: 'The files of the account would be too large together.' },
      },
      handler: handle(({ uploadFile }) => uploadFile),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/files',
      summary: 'List files',
      query: async () => (await schemas()).fileQuery,
      responses: { 200: { description: 'A page of files.', schema: async () => (await wire()).fileList } },
      handler: handle(({ listFiles }) => listFiles),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/files/:file_id',
      summary: 'Get a file',
      responses: found,
      handler: handle(({ getFile }) => getFile),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/files/:file_id/content',
      summary: 'Get the bytes of a file',
      responses: {
        200: { description: 'The bytes.', contentType: 'application/octet-stream' },
        206: { description: 'The part that the header `range` names.', contentType: 'application/octet-stream' },
        ...MISSING,
      },
      handler: handle(({ getFileContent }) => getFileContent),
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/files/:file_id',
      summary: 'Delete a file, also from all vector stores',
      responses: { 200: { description: 'It is gone.', schema: async () => (await wire()).fileDeleted }, ...MISSING },
      handler: handle(({ deleteFile }) => deleteFile),
    }),
  ]
}
