import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { ModelUploads, UploadState } from '../../../catalog/model-uploads.ts'
import type { BodyReader } from '../../../http/body.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import type { uploadState } from './schemas.ts'

/** Parts of the routes of uploads. */
export interface UploadRouteParts {
  /** Loads the receiver of files; few servers need it. */
  readonly openUploads: () => Promise<ModelUploads>
  readonly bodies: BodyReader
}

/** A piece of this size is written fast, and passes most proxies. */
const PIECE_BYTES = 8 * 1024 * 1024

const shared = { access: 'admin', family: 'flat', tag: 'models' } as const
const schemas = () => import('./schemas.ts')
const state = async () => (await schemas()).uploadState
const UNKNOWN = { description: 'There is no such upload.' }

/** A GGUF file from the client's machine, in pieces: a request has a time limit, and a file of weights none. */
export function uploadRoutes({ openUploads, bodies }: UploadRouteParts): Route[] {
  const toReply = ({ id, name, sizeBytes, receivedBytes }: UploadState) =>
    json({
      id,
      name,
      size_bytes: sizeBytes,
      received_bytes: receivedBytes,
      piece_bytes: Math.min(PIECE_BYTES, bodies.maxBytes),
    } satisfies z.output<typeof uploadState>)
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/models/uploads',
      summary: 'Begin to send a GGUF file that becomes a model',
      audit: { unrecorded: 'no model is there before the file is complete' },
      body: async () => (await schemas()).uploadRequest,
      responses: {
        200: { description: 'Pieces can be sent.', schema: state },
        400: { description: 'The file is not a model by its name.' },
        409: { description: 'A model of this name exists.' },
        507: { description: 'The disk has too little room.' },
      },
      async handler(call) {
        const { filename, name, size_bytes } = await readJsonBody(call, (await schemas()).uploadRequest, bodies)
        return toReply(await (await openUploads()).begin({ filename, name: name || undefined, sizeBytes: size_bytes }))
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/uploads/:id',
      summary: 'How much of a file has arrived',
      responses: { 200: { description: 'The next piece begins at `received_bytes`.', schema: state }, 404: UNKNOWN },
      handler: async (call) => toReply((await openUploads()).read(call.param('id'))),
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      path: '/api/models/uploads/:id',
      summary: 'Send the next piece of a file',
      audit: { unrecorded: 'no model is there before the file is complete' },
      query: async () => (await schemas()).pieceQuery,
      body: async () => (await schemas()).piece,
      bodyType: 'application/octet-stream',
      responses: {
        200: { description: 'The piece is written.', schema: state },
        404: UNKNOWN,
        409: { description: 'Another piece is the next one.' },
      },
      async handler(call) {
        const offset = readOffset(call.query('offset'))
        const uploads = await openUploads()
        return toReply(await uploads.append(call.param('id'), offset, bodies.stream(call)))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/models/uploads/:id/finish',
      summary: 'Make a model of a file that has arrived',
      audit: { change: 'model.upload' },
      responses: {
        200: { description: 'The model can be used.', schema: async () => (await schemas()).addedModel },
        400: { description: 'The file is not a model.' },
        404: UNKNOWN,
        409: { description: 'The file is not complete, or a model of this name exists.' },
      },
      async handler(call) {
        const { name, weightsFile, configFile, sizeBytes } = await (await openUploads()).finish(call.param('id'), call)
        call.noteChange({ target: name, details: `${weightsFile}, ${sizeBytes} bytes` })
        return json({ name, filename: configFile, weights_file: weightsFile, size_bytes: sizeBytes })
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/api/models/uploads/:id',
      summary: 'Drop a file that is being sent',
      audit: { unrecorded: 'the file is not a model yet' },
      responses: { 200: { description: 'Nothing of it is left.', schema: async () => (await schemas()).dropped } },
      async handler(call) {
        await (await openUploads()).cancel(call.param('id'))
        return json({ success: true })
      },
    }),
  ]
}

function readOffset(text = ''): number {
  const offset = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(offset)) return offset
  throw new SvcError('invalid_request', 'offset must be a number of bytes', {
    code: 'invalid_offset',
    details: { param: 'offset' },
  })
}
