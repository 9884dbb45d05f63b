import type { Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { areTurnsScanned } from '../../../catalog/capabilities.ts'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import { mayUse } from '../../../catalog/model-access.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { isUsecase } from '../../../catalog/usecase-names.ts'
import { hasUsecase, listUsecases } from '../../../catalog/usecases.ts'
import { findNearestLoad, toLoadObject } from '../../../cluster/contract/load-object.ts'
import type { LoadProgress } from '../../../cluster/contract/nodes.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { modelNotFound } from '../../../inference/stages/resolve.ts'
import { hasModelServers } from '../../../mcp/model-texts.ts'
import { isPending, nameWithoutGallery, type OperationView } from '../../../operations/operation.ts'
import { listSectionFields, listSections } from './config-metadata.ts'
import type { capabilitiesReply, loadStatus, pipelineReply } from './schemas.ts'

/** Parts of the routes about models. */
export interface ModelFactParts {
  readonly modelFiles: Pick<ConfigStore, 'get' | 'list'>
  /** Names of backends that resolve. */
  readonly backendNames: () => readonly string[]
  /** Names of models whose load runs. */
  readonly loading: () => readonly string[]
  /** Operations that wait, run or have failed. */
  readonly operations: () => readonly OperationView[]
  /** Bytes of the weights on disk. */
  readonly measureWeights: (model: ModelConfig) => Promise<number>
  /** Loads of a model on workers. @default there are no workers */
  readonly loadsOnWorkers?: ((model: string) => Promise<readonly LoadProgress[]>) | undefined
}

const schemas = () => import('./schemas.ts')
const editor = () => import('./editor-schemas.ts')

/** Facts about models for pages: what they do, how they load, and the keys of their files (§4.6). */
export function modelFactRoutes(parts: ModelFactParts): Route[] {
  const { modelFiles } = parts
  return [
    defineRoute({
      method: 'GET',
      path: '/api/models/capabilities',
      access: 'any',
      family: 'flat',
      tag: 'models',
      summary: 'Every model with what it can be asked for and whether it is off or pinned',
      responses: {
        200: { description: 'The models in byte order.', schema: async () => (await schemas()).capabilitiesReply },
      },
      handler: ({ principal }) => json({ data: listUsable(principal, modelFiles).map(toCapabilities) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/pipeline-models',
      access: 'any',
      family: 'flat',
      tag: 'models',
      summary: 'Models of realtime conversations with the models that they consist of',
      responses: {
        200: { description: 'The models in byte order.', schema: async () => (await schemas()).pipelineReply },
      },
      handler: ({ principal }) => json(listUsable(principal, modelFiles).flatMap(toPipeline)),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/models/:id{.+}/load-status',
      access: 'any',
      family: 'compatible',
      tag: 'models',
      summary: 'How far the installation or the load of a model is',
      quiet: true,
      revalidated: true,
      responses: {
        200: { description: 'It is being installed or loaded.', schema: async () => (await schemas()).loadStatus },
        404: { description: 'There is no such model, or nothing of it runs.' },
      },
      handler: async (call) => json(await findLoadStatus(call.param('id'), call.principal, parts)),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/models/config-metadata',
      access: 'admin',
      family: 'flat',
      tag: 'models',
      summary: 'The keys of model files for editors',
      query: async () => (await schemas()).sectionQuery,
      responses: {
        200: { description: 'The sections, or the keys of one.', schema: async () => (await editor()).configMetadata },
        404: { description: 'There is no such section.' },
      },
      handler(call) {
        const section = call.query('section')
        return json(section ? listSectionFields(section) : listSections(call.baseUrl))
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/models/config-schema',
      access: 'admin',
      family: 'flat',
      tag: 'models',
      summary: 'The JSON Schema of model files, for editors',
      responses: {
        200: {
          description: 'Draft 7. Every file that the server takes is valid.',
          schema: async () => (await editor()).jsonSchema,
        },
      },
      async handler() {
        // Loaded here: most servers are never asked for it.
        const { toModelSchema } = await import('../../../catalog/keys/json-schema.ts')
        return json(toModelSchema(), { headers: { 'content-type': 'application/schema+json' } })
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/models/config-metadata/autocomplete/:provider',
      access: 'admin',
      family: 'flat',
      tag: 'models',
      summary: 'Names that a key of a model file can take',
      responses: {
        200: { description: 'In byte order.', schema: async () => (await schemas()).completions },
        404: { description: 'There is no such provider.' },
      },
      handler: (call) => json({ values: complete(call, parts) }),
    }),
  ]
}

/** The models that a caller may use. */
function listUsable(principal: Principal, modelFiles: Pick<ConfigStore, 'list'>): readonly ModelConfig[] {
  return modelFiles.list().filter((model) => mayUse(principal, model))
}

function toCapabilities(model: ModelConfig): z.output<typeof capabilitiesReply>['data'][number] {
  return {
    id: model.name,
    capabilities: listUsecases(model).map((usecase) => `FLAG_${usecase.toUpperCase()}`),
    backend: model.backend,
    disabled: model.disabled,
    pinned: model.pinned,
    ...(model.tts.voiceCloning === true ? { voice_cloning: true } : {}),
    ...(hasModelServers(model) ? { tools: true } : {}),
    ...(model.source === 'yaml' ? {} : { source: model.source }),
  }
}

function toPipeline(model: ModelConfig): z.output<typeof pipelineReply> {
  const { pipeline, tts, name } = model
  const { vad = '', transcription = '', llm = '', tts: speech = '' } = pipeline ?? {}
  const voice = tts.voice ?? ''
  const scanned = areTurnsScanned(model)
  if ([vad, transcription, llm, speech].some((part) => part !== '')) {
    return [{ name, vad, transcription, llm, tts: speech, voice, scanned }]
  }
  // One model that hears, thinks and speaks.
  if (!hasUsecase(model, 'realtime_audio')) return []
  return [{ name, vad, transcription, llm, tts: speech, voice, scanned, self_contained: true }]
}

async function findLoadStatus(
  name: string,
  principal: Principal,
  parts: ModelFactParts,
): Promise<z.output<typeof loadStatus>> {
  const model = parts.modelFiles.get(name)
  // An installation has no file yet.
  if (!mayUse(principal, model ?? { name })) throw notLoading(modelNotFound(name))
  const installation = parts
    .operations()
    .find(
      (operation) =>
        operation.subject === 'model' &&
        operation.action === 'installation' &&
        isPending(operation) &&
        nameWithoutGallery(operation.fullName) === name,
    )
  if (installation !== undefined) {
    const { percent, currentBytes = 0, totalBytes = 0 } = installation.progress
    const bytes = { bytes_sent: currentBytes, total_bytes: totalBytes }
    return { model: name, state: 'installing', progress: percent / 100, ...bytes, file_index: 0, total_files: 1 }
  }
  if (model === undefined) throw notLoading(modelNotFound(name))
  const onWorker = findNearestLoad((await parts.loadsOnWorkers?.(name)) ?? [])
  if (onWorker !== undefined) return toLoadObject(onWorker)
  if (!parts.loading().includes(name)) {
    throw notLoading(new SvcError('not_found', `model "${name}" is not being loaded`, { code: 'not_loading' }))
  }
  // Backends do not report the progress of a load.
  const bytes = { bytes_sent: 0, total_bytes: await parts.measureWeights(model) }
  return { model: name, state: 'loading', progress: 0, ...bytes, file_index: 0, total_files: 1 }
}

/** A 404 of the load status, in the words that clients of this route look for. */
function notLoading(cause: SvcError): SvcError {
  const details = { ...cause.details, type: 'not_found_error' }
  return new SvcError('not_found', cause.message, { code: cause.code, details, cause })
}

function complete(call: Call, { modelFiles, backendNames }: ModelFactParts): readonly string[] {
  const provider = call.param('provider')
  if (provider === 'backends') return backendNames()
  if (provider === 'models') return modelFiles.list().map(({ name }) => name)
  const usecase = provider.startsWith('models:') ? provider.slice('models:'.length) : ''
  if (!isUsecase(usecase)) {
    throw new SvcError('not_found', `there is no provider "${provider}"`, { code: 'provider_not_found' })
  }
  return modelFiles.list().flatMap((model) => (hasUsecase(model, usecase) ? [model.name] : []))
}
