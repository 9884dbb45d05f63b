import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { checkName } from '../../../files/safe-path.ts'
import type { ImportPlan, ImportPreferences } from '../../../galleries/import-uri.ts'
import { estimateMemory, formatBytes } from '../../../galleries/memory-estimate.ts'
import type { ModelGallery } from '../../../galleries/model-gallery.ts'
import type { ModelRequest } from '../../../galleries/model-plan.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { noteInstall } from './note-install.ts'
import type { hubReply, importBody, importStarted } from './schemas.ts'

/** Parts of the routes that import models by their address. */
export interface ImportRouteParts {
  readonly gallery: ModelGallery
  readonly bodies: BodyReader
}

const CONTEXT = 8192
const MAX_QUANTIZATIONS = 50
const MAX_SEARCH_LENGTH = 200

const schemas = () => import('./schemas.ts')

/** `POST /models/import-uri`. */
export function importRoutes({ gallery, bodies }: ImportRouteParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/models/hub-search',
      access: 'admin',
      family: 'flat',
      tag: 'models',
      summary: 'Search the model hub for repositories with GGUF files',
      query: async () => (await schemas()).hubQuery,
      responses: {
        200: {
          description: 'The most fetched ones first, 20 at most.',
          schema: async () => (await schemas()).hubReply,
        },
        502: { description: 'The hub does not answer.' },
      },
      async handler(call) {
        const words = (call.query('q') ?? '').trim()
        if (words === '' || words.length > MAX_SEARCH_LENGTH) {
          throw new SvcError('invalid_request', `q must have 1 to ${MAX_SEARCH_LENGTH} characters`, {
            code: 'invalid_query',
            details: { param: 'q' },
          })
        }
        const found = await gallery.searchHub(words, { signal: call.signal })
        return json({
          models: found.map((repository) => ({ ...repository, uri: `huggingface://${repository.id}` })),
        } satisfies z.output<typeof hubReply>)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/models/import-uri',
      access: 'admin',
      family: 'flat',
      tag: 'models',
      summary: 'Install the model behind an address',
      audit: { change: 'model.import' },
      body: async () => (await schemas()).importBody,
      responses: {
        200: { description: 'The installation is queued.', schema: async () => (await schemas()).importStarted },
        400: {
          description: 'The address is of no known form, or several backends could run the model.',
          schema: async () => (await schemas()).importRefused,
        },
      },
      async handler(call) {
        const { uri, preferences } = await readJsonBody(call, (await schemas()).importBody, bodies)
        if (!uri) throw new SvcError('invalid_request', 'uri is required', { code: 'uri_required' })
        noteInstall(call, { name: preferences?.name, address: uri })
        const plan = await gallery.planImport(uri, toPreferences(preferences), { signal: call.signal })
        return plan.kind === 'ambiguous' ? toAmbiguous(plan) : install(call, plan.request, gallery)
      },
    }),
  ]
}

function toPreferences(body: z.output<typeof importBody>['preferences']): ImportPreferences {
  const { name, backend, description, quantizations } = body ?? {}
  if (name) checkName(name, 'model')
  const wanted = typeof quantizations === 'string' ? quantizations.split(',') : (quantizations ?? [])
  const words = wanted
    .slice(0, MAX_QUANTIZATIONS)
    .map((word) => word.trim())
    .filter((word) => word !== '')
  return {
    ...(name ? { name } : {}),
    ...(backend ? { backend } : {}),
    ...(description ? { description } : {}),
    ...(words.length === 0 ? {} : { quantizations: words }),
  }
}

function toAmbiguous({ modality, candidates }: Extract<ImportPlan, { kind: 'ambiguous' }>): HttpReply {
  return json(
    {
      error: 'ambiguous import',
      detail: `several backends could run this ${modality} model, or none is known`,
      modality,
      candidates,
      hint: 'Send the request again with "preferences": {"backend": "NAME"}.',
    },
    { status: 400 },
  )
}

async function install(call: Call, request: ModelRequest, gallery: ModelGallery): Promise<HttpReply> {
  const shape = await gallery.measureRequest(request, { signal: call.signal })
  const { jobId } = await gallery.install(request)
  const vramBytes = shape && estimateMemory(shape, { contextSize: CONTEXT })
  return json({
    uuid: jobId,
    status: `${call.baseUrl}models/jobs/${jobId}`,
    ...(shape === undefined || vramBytes === undefined
      ? {}
      : {
          estimated_vram_bytes: vramBytes,
          estimated_vram_display: formatBytes(vramBytes),
          estimated_size_bytes: shape.weightsBytes,
          estimated_size_display: formatBytes(shape.weightsBytes),
        }),
  } satisfies z.output<typeof importStarted>)
}
