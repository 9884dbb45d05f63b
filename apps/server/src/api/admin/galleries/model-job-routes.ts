import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import { checkName } from '../../../files/safe-path.ts'
import { gallerySchema, type Listed, type ModelEntry } from '../../../galleries/gallery.ts'
import { findEntryBackend, type ModelGallery } from '../../../galleries/model-gallery.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Operation } from '../../../operations/operation.ts'
import type { Operations } from '../../../operations/operations.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { listGalleries } from './gallery-state.ts'
import { findJob, toJob } from './job.ts'
import { noteInstall } from './note-install.ts'
import type { applyBody, availableModels, modelJobCreated } from './schemas.ts'

/** Parts of the routes of model jobs. */
export interface ModelJobParts {
  readonly gallery: ModelGallery
  readonly modelFiles: ConfigStore
  readonly operations: Operations
  readonly bodies: BodyReader
}

const schemas = () => import('./schemas.ts')
const lists = () => import('./list-schemas.ts')
const shared = { access: 'admin', family: 'compatible', tag: 'models' } as const

/** Installation and deletion of models as jobs, and the lists of galleries (§4.6). */
export function modelJobRoutes(parts: ModelJobParts): Route[] {
  const { gallery, modelFiles, operations, bodies } = parts
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/models/apply',
      summary: 'Install a model of a gallery, of a document or of files',
      audit: { change: 'model.install' },
      body: async () => (await schemas()).applyBody,
      responses: {
        200: { description: 'The installation is queued.', schema: async () => (await schemas()).modelJobCreated },
      },
      async handler(call) {
        const body = await readJsonBody(call, (await schemas()).applyBody, bodies)
        noteInstall(call, { name: body.name || body.id, address: body.url })
        return toCreated(call, await gallery.install(toRequest(body)))
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/models/delete/:name{.+}',
      summary: 'Delete a model',
      audit: { change: 'model.delete', target: 'name' },
      responses: {
        200: { description: 'The deletion is queued.', schema: async () => (await schemas()).modelJobCreated },
      },
      async handler(call) {
        const name = call.param('name')
        checkName(name, 'model')
        return toCreated(call, await gallery.remove(name))
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/models/jobs/:uuid',
      summary: 'A job of a model',
      quiet: true,
      revalidated: true,
      responses: { 200: { description: 'The job.', schema: async () => (await schemas()).jobReply } },
      handler: async (call) => json(toJob(await findJob(operations, call.param('uuid'), 'model'))),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/models/jobs',
      summary: 'All jobs of models by their ids',
      quiet: true,
      revalidated: true,
      responses: {
        200: {
          description: 'Jobs that wait, run, have failed or are in the history.',
          schema: async () => (await lists()).modelJobs,
        },
      },
      async handler() {
        const known = [...operations.list(), ...(await operations.history())].filter(
          ({ subject }) => subject === 'model',
        )
        const views = await Promise.all(known.map(({ jobId }) => operations.find(jobId)))
        return json(
          Object.fromEntries(views.flatMap((view) => (view === undefined ? [] : [[view.jobId, toJob(view)]]))),
        )
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/models/available',
      summary: 'The models of all galleries',
      responses: {
        200: { description: 'In the order of the galleries.', schema: async () => (await schemas()).availableModels },
      },
      async handler(call) {
        const listed = await gallery.indexes.list({ signal: call.signal })
        const installed = new Set(modelFiles.list().map(({ name }) => name))
        const galleries = new Map(gallery.indexes.galleries().map((one) => [one, gallerySchema.parse(one)]))
        return json(
          listed.map((model) =>
            toAvailable(model, installed, galleries.get(model.gallery) ?? gallerySchema.parse(model.gallery)),
          ),
        )
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/models/galleries',
      summary: 'The model galleries',
      responses: { 200: { description: 'As they are configured.', schema: async () => (await schemas()).galleryList } },
      handler: () => json(listGalleries(gallery.indexes)),
    }),
  ]
}

function toCreated(call: Call, { jobId }: Operation): HttpReply {
  return json({ uuid: jobId, status: `${call.baseUrl}models/jobs/${jobId}` } satisfies z.output<typeof modelJobCreated>)
}

function toRequest(body: z.output<typeof applyBody>): Parameters<ModelGallery['install']>[0] {
  const files = body.files ?? []
  if (!body.id && !body.url && !body.config_file && files.length === 0) {
    throw new SvcError('invalid_request', 'id, url, config_file or files is required', { code: 'empty_request' })
  }
  if (body.name) checkName(body.name, 'model')
  if (!body.id && !body.name) {
    throw new SvcError('invalid_request', 'name is required where no id is given', {
      code: 'name_required',
      details: { param: 'name' },
    })
  }
  return {
    ...(body.id ? { id: body.id } : {}),
    ...(body.url ? { url: body.url } : {}),
    ...(body.name ? { name: body.name } : {}),
    ...(body.variant ? { variant: body.variant } : {}),
    ...(body.overrides ? { overrides: body.overrides } : {}),
    ...(body.config_file ? { configFile: body.config_file } : {}),
    ...(files.length === 0
      ? {}
      : {
          files: files.map(({ filename, uri, sha256 }) => ({
            filename,
            uri,
            ...(sha256 ? { sha256: sha256.toLowerCase() } : {}),
          })),
        }),
  }
}

function toAvailable(
  { entry }: Listed<ModelEntry>,
  installed: ReadonlySet<string>,
  wireGallery: z.output<typeof gallerySchema>,
): z.output<typeof availableModels>[number] {
  const { url, name, description, license, urls, icon, tags, size, files } = entry
  return {
    url,
    name,
    description,
    license,
    icon,
    size,
    urls: [...urls],
    tags: [...tags],
    files: files.map(({ filename, uri, sha256 = '' }) => ({ filename, uri, sha256 })),
    gallery: wireGallery,
    installed: installed.has(name),
    backend: findEntryBackend(entry),
  }
}
