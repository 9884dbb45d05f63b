import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type {
  OllamaModel,
  OllamaPsReply,
  OllamaRunningModel,
  OllamaTagsReply,
  OllamaVersionReply,
} from '@svc/wire/ollama'
import { mayUse } from '../../../../catalog/model-access.ts'
import type { ModelConfig } from '../../../../catalog/model-config.ts'
import type { ModelDirectory } from '../../../../catalog/resolve.ts'
import type { BodyReader } from '../../../../http/body.ts'
import type { Call } from '../../../../http/call.ts'
import { json } from '../../../../http/json.ts'
import { defineRoute, type Route } from '../../../../http/route.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import type { Clock } from '../../../../ports.ts'
import type { KeepAlive } from '../../../../residency/keep-alive.ts'
import { measureWeights } from '../../../../residency/model-size.ts'
import type { LoadedModel } from '../../../../residency/resident-table.ts'
import { toDetails, toDigest, toOllamaCapabilities, toTaggedName } from './describe.ts'
import { showModel } from './show.ts'

const wire = () => import('@svc/wire/ollama')

/** Options of {@link ollamaModelRoutes}. */
export interface OllamaModelParts {
  readonly directory: Pick<ModelDirectory, 'list' | 'resolve' | 'find'>
  readonly loaded: () => readonly LoadedModel[]
  /** Bytes that a process holds on graphics devices; undefined when unknown. */
  readonly readVram: (pid: number) => Promise<number | undefined>
  readonly keepAlive: Pick<KeepAlive, 'expiresAt'>
  readonly bodies: BodyReader
  readonly clock: Pick<Clock, 'now'>
}

/** Version of the format; clients read it to learn which fields the server knows. */
const VERSION = '0.9.0'
/** Expiry shown for models without a time limit. */
const DAY_MS = 86_400_000

const common = { access: 'any', family: 'string', tag: 'models' } as const

/** `GET /api/tags`, `POST /api/show`, `GET /api/ps` and `GET /api/version`. */
export function ollamaModelRoutes(parts: OllamaModelParts): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/tags',
      summary: 'List the models, as the alternate ecosystem does',
      responses: {
        200: { description: 'The models in byte order.', schema: async () => (await wire()).ollamaTagsReply },
      },
      async handler({ principal }) {
        const listed = parts.directory.list().filter((model) => mayUse(principal, model))
        const models = await Promise.all(listed.map((model) => toEntry(model, parts)))
        return json({ models: models.filter((model) => model !== undefined) } satisfies OllamaTagsReply)
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/show',
      summary: 'The facts of a model, in the format of the alternate ecosystem',
      body: async () => (await wire()).ollamaShowRequest,
      responses: { 200: { description: 'The model.', schema: async () => (await wire()).ollamaShowReply } },
      async handler(call) {
        const name = await readName(call, parts.bodies)
        const model = parts.directory.resolve(name, { acceptLatest: true })
        if (model === undefined || !mayUse(call.principal, model)) throw notFound(name)
        return json(showModel(model))
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/ps',
      summary: 'List the models in memory, as the alternate ecosystem does',
      responses: {
        200: {
          description: 'The models in the order they were loaded.',
          schema: async () => (await wire()).ollamaPsReply,
        },
      },
      async handler({ principal }) {
        const listed = parts.loaded().filter((loaded) => mayUse(principal, loaded))
        const models = await Promise.all(listed.map((loaded) => toRunning(loaded, parts)))
        return json({ models: models.filter((model) => model !== undefined) } satisfies OllamaPsReply)
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/version',
      summary: 'The version of the format of the alternate ecosystem',
      responses: { 200: { description: 'The version.', schema: async () => (await wire()).ollamaVersionReply } },
      handler: () => json({ version: VERSION } satisfies OllamaVersionReply),
    }),
  ]
}

async function readName(call: Call, bodies: BodyReader): Promise<string> {
  const held = await bodies.read(call)
  try {
    if (held.bytes.length === 0) throw nameRequired()
    const document = await parseJsonCooperatively(held.bytes, {}, { signal: call.signal })
    if (document.root.kind !== 'object') throw unparsable('the body must be a JSON object')
    const [{ readBody }, { ollamaShowRequest }] = await Promise.all([
      import('../../../../inference/documents/read-body.ts'),
      wire(),
    ])
    const { model, name } = await readBody(ollamaShowRequest, document, call.signal)
    const said = model || name || ''
    if (said === '') throw nameRequired()
    return said
  } finally {
    held.release()
  }
}

function nameRequired(): SvcError {
  return new SvcError('invalid_request', 'name is required', { code: 'model_required', details: { param: 'model' } })
}

function notFound(name: string): SvcError {
  return new SvcError('not_found', `model '${name}' not found`, { code: 'model_not_found' })
}

/** Creates an entry of the list; undefined for unusable models: disabled ones and aliases without a target. */
async function toEntry(listed: ModelConfig, { directory }: OllamaModelParts): Promise<OllamaModel | undefined> {
  const model = listed.alias === undefined ? listed : directory.find(listed.name)
  if (model === undefined || model.disabled || listed.disabled) return undefined
  return {
    ...toNameFields(listed.name),
    modified_at: new Date(listed.modifiedAt).toISOString(),
    size: await measureWeights(model),
    details: toDetails(model),
    capabilities: toOllamaCapabilities(model),
  }
}

async function toRunning({ name, pid }: LoadedModel, parts: OllamaModelParts): Promise<OllamaRunningModel | undefined> {
  const model = parts.directory.resolve(name)
  if (model === undefined) return undefined
  const vram = pid === undefined ? undefined : await parts.readVram(pid).catch(() => undefined)
  return {
    ...toNameFields(name),
    size: await measureWeights(model),
    details: toDetails(model),
    expires_at: new Date(parts.keepAlive.expiresAt(name) ?? parts.clock.now() + DAY_MS).toISOString(),
    size_vram: vram ?? 0,
    context_length: Math.max(0, model.contextSize ?? model.gguf?.contextLength ?? 0),
  }
}

function toNameFields(name: string): Pick<OllamaModel, 'name' | 'model' | 'digest'> {
  const tagged = toTaggedName(name)
  return { name: tagged, model: tagged, digest: toDigest(tagged) }
}
