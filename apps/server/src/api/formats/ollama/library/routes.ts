import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import * as z from 'zod'
import type { ModelDirectory } from '../../../../catalog/resolve.ts'
import type { ModelGallery } from '../../../../galleries/model-gallery.ts'
import type { BodyReader } from '../../../../http/body.ts'
import type { Call } from '../../../../http/call.ts'
import type { CompressionPolicy } from '../../../../http/compression.ts'

import { ALREADY_SENT, HttpReply } from '../../../../http/http-reply.ts'
import { json } from '../../../../http/json.ts'
import { createReplyWriter } from '../../../../http/reply-writer.ts'
import { defineRoute, type Route } from '../../../../http/route.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import type { Operation } from '../../../../operations/operation.ts'
import type { Operations } from '../../../../operations/operations.ts'
import type { CopyParts } from './copy-model.ts'
import { followPull, type PullLine } from './pull.ts'

/** Parts of the routes that change the models of this format. */
export interface OllamaLibraryParts extends CopyParts {
  readonly gallery: ModelGallery
  readonly operations: Operations
  readonly directory: Pick<ModelDirectory, 'resolve'>
  readonly bodies: BodyReader
  readonly compression: CompressionPolicy
}

const named = z.looseObject({ model: z.string().nullish(), name: z.string().nullish(), stream: z.boolean().nullish() })
const copied = z.looseObject({ source: z.string().min(1), destination: z.string().min(1) })
const status = z.object({ status: z.string() })

const common = { access: 'admin', family: 'string', tag: 'models' } as const

/** `POST /api/pull`, `POST /api/copy` and `DELETE /api/delete`; `/api/create` and `/api/push` are not for this server. */
export function ollamaLibraryRoutes(parts: OllamaLibraryParts): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/pull',
      summary: 'Install a model of a gallery, as the alternate ecosystem asks for it',
      audit: { change: 'model.install' },
      body: async () => named,
      responses: {
        200: {
          description: 'Its progress line by line, or its end where `stream` is false.',
          schema: async () => status,
        },
      },
      handler: (call) => pull(call, parts),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/copy',
      summary: 'Give a model a second name',
      audit: { change: 'model.copy' },
      body: async () => copied,
      responses: { 200: { description: 'The copy is there.' }, 409: { description: 'The name is taken.' } },
      async handler(call) {
        const { source, destination } = await readJson(call, copied, parts.bodies)
        call.noteChange({ target: withoutLatest(destination), details: `copy of ${source}` })
        const model = parts.directory.resolve(source, { acceptLatest: true })
        if (model === undefined) throw notFound(source)
        const { copyModel } = await import('./copy-model.ts')
        const copy = (): Promise<void> => copyModel(model, withoutLatest(destination), parts)
        await parts.gallery.changeFolder(copy, { signal: call.signal })
        return new HttpReply(null, { status: 200 })
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/api/delete',
      summary: 'Delete a model, as the alternate ecosystem asks for it',
      audit: { change: 'model.delete' },
      body: async () => named,
      responses: { 200: { description: 'It is gone.' }, 404: { description: 'There is no such model.' } },
      async handler(call) {
        const name = toName(await readJson(call, named, parts.bodies))
        const model = parts.modelFiles.get(name) ?? parts.modelFiles.get(withoutLatest(name))
        if (model === undefined) throw notFound(name)
        call.noteChange({ target: model.name })
        const last = await waitForEnd(await parts.gallery.remove(model.name), parts, call.signal)
        if ('error' in last) throw new SvcError('internal', last.error, { code: 'deletion_failed' })
        return new HttpReply(null, { status: 200 })
      },
    }),
    ...(['/api/create', '/api/push'] as const).map((path) =>
      defineRoute({
        ...common,
        method: 'POST',
        path,
        summary: 'Not for this server',
        audit: { unrecorded: 'it is refused' },
        responses: { 501: { description: 'Models are installed from galleries or added by the operator.' } },
        handler: () => {
          throw new SvcError('not_implemented', `${path} is not supported: models are installed from galleries`, {
            code: 'not_supported',
          })
        },
      }),
    ),
  ]
}

async function pull(call: Call, parts: OllamaLibraryParts): Promise<HttpReply> {
  const body = await readJson(call, named, parts.bodies)
  const { gallery, operations } = parts
  const known = new Set(operations.list().map(({ jobId }) => jobId))
  const operation = await gallery.install({ id: withoutLatest(toName(body)) })
  call.noteChange({ target: operation.fullName })
  await call.recordChange()
  try {
    if (body.stream === false) {
      const last = await waitForEnd(operation, parts, call.signal)
      if ('error' in last) throw new SvcError('internal', last.error, { code: 'pull_failed' })
      return json(last)
    }
    const writer = createReplyWriter(call, parts)
    writer.startStream('application/x-ndjson')
    for await (const line of followPull(operations, operation, { signal: call.signal })) {
      await writer.write(`${JSON.stringify(line)}\n`)
    }
    writer.end()
    return ALREADY_SENT
  } catch (error) {
    // A client that leaves stops its own pull; the next one goes on where it stopped.
    if (call.signal.aborted && !known.has(operation.jobId))
      await operations.pause(operation.jobId).catch(() => undefined)
    if (call.outgoing.destroyed) return ALREADY_SENT
    throw error
  }
}

async function waitForEnd(
  operation: Operation,
  { operations }: OllamaLibraryParts,
  signal: AbortSignal,
): Promise<PullLine> {
  let last: PullLine = { status: '' }
  for await (const line of followPull(operations, operation, { signal })) last = line
  return last
}

async function readJson<S extends z.ZodType>(call: Call, schema: S, bodies: BodyReader): Promise<z.output<S>> {
  const held = await bodies.read(call)
  try {
    if (held.bytes.length === 0) throw unparsable('the body is empty')
    return await readBody(schema, await parseJsonCooperatively(held.bytes, {}, { signal: call.signal }), call.signal)
  } finally {
    held.release()
  }
}

function toName({ model, name }: z.output<typeof named>): string {
  const said = model || name || ''
  if (said !== '') return said
  throw new SvcError('invalid_request', 'name is required', { code: 'model_required', details: { param: 'model' } })
}

/** A name with `:latest` means the model without it. */
function withoutLatest(name: string): string {
  return name.replace(/:latest$/, '')
}

function notFound(name: string): SvcError {
  return new SvcError('not_found', `model '${name}' not found`, { code: 'model_not_found' })
}
