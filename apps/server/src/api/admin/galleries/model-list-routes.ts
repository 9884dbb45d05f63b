import { SvcError } from '@svc/errors'
import { checkName } from '../../../files/safe-path.ts'
import type { Listed, ModelEntry } from '../../../galleries/gallery.ts'
import { estimateMemory, formatBytes, type ModelShape } from '../../../galleries/memory-estimate.ts'
import type { ModelGallery } from '../../../galleries/model-gallery.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { findJob, toShortJob } from './job.ts'
import { listModels, type ModelPageParts } from './model-page.ts'

/** Parts of the routes of the model page. */
export interface ModelListParts extends ModelPageParts {
  /** The size of a model that is here; undefined where its files do not tell. */
  readonly installedShape: (name: string) => Promise<ModelShape | undefined>
  readonly bodies: BodyReader
}

const DEFAULT_CONTEXTS = [8192, 32_768, 131_072]
const schemas = () => import('./schemas.ts')
const lists = () => import('./list-schemas.ts')
const shared = { access: 'admin', family: 'flat', tag: 'models' } as const

/** The list of models for the management pages, with the possible actions (§4.6). */
export function modelListRoutes(parts: ModelListParts): Route[] {
  return [
    listRoute(parts),
    installRoute(parts),
    deleteRoute(parts),
    saveConfigRoute(parts),
    jobRoute(parts),
    variantsRoute(parts),
    estimateRoute(parts),
    installedEstimateRoute(parts),
  ]
}

function listRoute(parts: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/models',
    summary: 'Models of the galleries, with filters and pages',
    query: async () => (await schemas()).modelListQuery,
    responses: { 200: { description: 'One page.', schema: async () => (await schemas()).modelPage } },
    handler: async (call) => json(await listModels(call, parts)),
  })
}

function installRoute({ gallery }: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/models/install/:id{.+}',
    summary: 'Install a model of a gallery',
    audit: { change: 'model.install', target: 'id' },
    query: async () => (await schemas()).installQuery,
    responses: { 200: { description: 'The installation is queued.', schema: async () => (await schemas()).started } },
    async handler(call) {
      const variant = call.query('variant')
      const { jobId } = await gallery.install({ id: call.param('id'), ...(variant ? { variant } : {}) })
      return json({ jobID: jobId, message: 'Installation started' })
    },
  })
}

function deleteRoute({ gallery }: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/models/delete/:id{.+}',
    summary: 'Delete a model',
    audit: { change: 'model.delete', target: 'id' },
    responses: { 200: { description: 'The deletion is queued.', schema: async () => (await schemas()).started } },
    async handler(call) {
      const id = call.param('id')
      const name = id.slice(id.indexOf('@') + 1)
      checkName(name, 'model')
      const { jobId } = await gallery.remove(name)
      return json({ jobID: jobId, message: 'Deletion started' })
    },
  })
}

function saveConfigRoute({ gallery }: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/models/config/:id{.+}',
    summary: 'Write the configuration of a model of a gallery without its files',
    audit: { change: 'model.create', target: 'id' },
    responses: {
      200: { description: 'Written and in force.', schema: async () => (await schemas()).saved },
      409: { description: 'A model of this name exists.' },
    },
    async handler(call) {
      await gallery.saveConfig(call.param('id'), { signal: call.signal })
      return json({ message: 'Configuration file saved' })
    },
  })
}

function jobRoute({ operations }: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/models/job/:uid',
    summary: 'A job of a model, in short',
    quiet: true,
    revalidated: true,
    responses: { 200: { description: 'The job.', schema: async () => (await schemas()).shortJobReply } },
    handler: async (call) => json(toShortJob(await findJob(operations, call.param('uid'), 'model'))),
  })
}

function variantsRoute({ gallery }: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/models/variants/:id{.+}',
    summary: 'The forms of a model, and which fits this machine',
    responses: {
      200: {
        description: 'The variants, and the one that an installation takes.',
        schema: async () => (await schemas()).variantsReply,
      },
    },
    async handler(call) {
      const listed = await findListed(call, gallery)
      const { variants, best } = await gallery.variants(listed, { signal: call.signal })
      return json({
        variants: variants.map(({ listed: { entry }, backend, memoryBytes, fits, isBase }) => ({
          model: entry.name,
          backend,
          ...(memoryBytes === undefined ? {} : { memory_bytes: memoryBytes, fits }),
          is_base: isBase,
        })),
        auto_selected: best.listed.entry.name,
      })
    },
  })
}

function estimateRoute({ gallery }: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/models/estimate/:id{.+}',
    summary: 'How much memory a model takes',
    query: async () => (await schemas()).estimateQuery,
    responses: {
      200: { description: 'An estimate for each context.', schema: async () => (await lists()).estimatesReply },
    },
    async handler(call) {
      const listed = await findListed(call, gallery)
      const shape = await gallery.measureShape(listed.entry, { signal: call.signal })
      return json(toEstimates(shape, toContexts(call.query('contexts'))))
    },
  })
}

function installedEstimateRoute({ installedShape, bodies }: ModelListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/models/vram-estimate',
    summary: 'How much memory an installed model takes as it is to be loaded',
    audit: { unrecorded: 'it estimates and changes nothing' },
    body: async () => (await schemas()).estimateBody,
    responses: {
      200: {
        description: 'The estimate; without figures where its files do not tell.',
        schema: async () => (await lists()).estimateReply,
      },
    },
    async handler(call) {
      const body = await readJsonBody(call, (await schemas()).estimateBody, bodies)
      const shape = await installedShape(body.model)
      if (shape === undefined) return json({})
      const vramBytes = estimateMemory(shape, {
        contextSize: body.context_size ?? DEFAULT_CONTEXTS[0] ?? 0,
        gpuLayers: body.gpu_layers ?? undefined,
        cacheBits: body.kv_quant_bits ?? undefined,
      })
      return json({
        sizeBytes: shape.weightsBytes,
        sizeDisplay: formatBytes(shape.weightsBytes),
        vramBytes,
        vramDisplay: formatBytes(vramBytes),
        ...(shape.maxContext === undefined ? {} : { model_max_context: shape.maxContext }),
      })
    },
  })
}

async function findListed(call: Call, gallery: ModelGallery): Promise<Listed<ModelEntry>> {
  const listed = await gallery.indexes.find(call.param('id'), { signal: call.signal })
  if (listed === undefined) throw new SvcError('not_found', 'model not found', { code: 'model_not_found' })
  return listed
}

function toContexts(asked: string | undefined): readonly number[] {
  if (asked === undefined || asked === '') return DEFAULT_CONTEXTS
  const contexts = asked
    .split(',')
    .slice(0, 20)
    .map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : 0))
  if (contexts.every((context) => context > 0)) return contexts
  throw new SvcError('invalid_request', 'contexts is not a list of whole numbers from 1', {
    code: 'invalid_query',
    details: { param: 'contexts' },
  })
}

function toEstimates(shape: ModelShape | undefined, contexts: readonly number[]): Readonly<Record<string, unknown>> {
  if (shape === undefined) return { estimates: {} }
  const estimates = contexts.map((contextSize) => {
    const vramBytes = estimateMemory(shape, { contextSize })
    return [contextSize, { vramBytes, vramDisplay: formatBytes(vramBytes) }] as const
  })
  return {
    sizeBytes: shape.weightsBytes,
    sizeDisplay: formatBytes(shape.weightsBytes),
    ...(shape.maxContext === undefined ? {} : { model_max_context: shape.maxContext }),
    estimates: Object.fromEntries(estimates),
  }
}
