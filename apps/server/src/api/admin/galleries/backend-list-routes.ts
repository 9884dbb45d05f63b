import { SvcError } from '@svc/errors'
import { runsLanguage, toCanonicalBackend } from '../../../backends/backend-names.ts'
import { listBackendUsecases } from '../../../catalog/usecases.ts'
import { checkName } from '../../../files/safe-path.ts'
import type { BackendFolder } from '../../../galleries/backend-folder.ts'
import { type BackendEntry, isMetaBackend, type Listed } from '../../../galleries/gallery.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { Operation, OperationView } from '../../../operations/operation.ts'
import { readJsonBody } from '../../read-json-body.ts'
import { type BackendRouteParts, describeEntry, listFolderNames, refuseSystem } from './backend-routes.ts'
import { listRepositories } from './gallery-state.ts'
import { findJob, toShortJob } from './job.ts'
import { noteInstall } from './note-install.ts'
import { distinctTexts, toPage } from './page.ts'
import { sortEntries } from './sort-entries.ts'
import { toTaskTypes } from './task-types.ts'

/** Parts of the routes of the backend page. */
export interface BackendListParts extends BackendRouteParts {
  readonly prefersDevelopment: () => boolean
  readonly developmentSuffix: string
}

const PAGE_SIZE = 9

const schemas = () => import('./schemas.ts')
const lists = () => import('./list-schemas.ts')
const shared = { access: 'admin', family: 'flat', tag: 'backends' } as const

/** The list of backends for the management pages, with the possible actions (§4.6). */
export function backendListRoutes(parts: BackendListParts): Route[] {
  return [
    listRoute(parts),
    installRoute(parts),
    installExternalRoute(parts),
    deleteRoute(parts),
    deleteFolderRoute(parts),
    upgradeRoute(parts),
    usecasesRoute(parts),
    jobRoute(parts),
  ]
}

function listRoute(parts: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/backends',
    summary: 'Backends of the galleries for this machine, with filters and pages',
    query: async () => (await schemas()).backendListQuery,
    responses: { 200: { description: 'One page.', schema: async () => (await schemas()).backendPage } },
    handler: async (call) => json(await listBackends(call, parts)),
  })
}

function installRoute({ gallery }: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/backends/install/:id{.+}',
    summary: 'Install a backend of a gallery, again where it is here',
    audit: { change: 'backend.install', target: 'id' },
    responses: { 200: { description: 'The installation is queued.', schema: async () => (await schemas()).started } },
    async handler(call) {
      const { jobId } = await gallery.install({ id: call.param('id'), force: true })
      return json({ jobID: jobId, message: 'Backend installation started' })
    },
  })
}

function installExternalRoute({ gallery, bodies }: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/backends/install-external',
    summary: 'Install a backend from an image that no gallery has',
    audit: { change: 'backend.install' },
    body: async () => (await schemas()).externalBody,
    responses: { 200: { description: 'The installation is queued.', schema: async () => (await schemas()).started } },
    async handler(call) {
      const { uri, name, alias } = await readJsonBody(call, (await schemas()).externalBody, bodies)
      if (!uri) throw new SvcError('invalid_request', 'uri is required', { code: 'uri_required' })
      noteInstall(call, { name, address: uri })
      if (name) checkName(name, 'backend')
      const { jobId } = await gallery.install({
        uri,
        force: true,
        ...(name ? { name } : {}),
        ...(alias ? { alias } : {}),
      })
      return json({ jobID: jobId, message: 'External backend installation started' })
    },
  })
}

function deleteRoute({ gallery }: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/backends/delete/:id{.+}',
    summary: 'Delete an installed backend',
    audit: { change: 'backend.delete', target: 'id' },
    responses: { 200: { description: 'The deletion is queued.', schema: async () => (await schemas()).started } },
    async handler(call) {
      const { jobId } = await gallery.remove(nameIn(call.param('id')))
      return json({ jobID: jobId, message: 'Backend deletion started' })
    },
  })
}

function deleteFolderRoute({ gallery }: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/backends/system/delete/:name',
    summary: 'Delete an installed backend by the name of its folder',
    audit: { change: 'backend.delete', target: 'name' },
    responses: {
      200: { description: 'The deletion is queued.', schema: async () => (await lists()).deletionStarted },
      409: { description: 'It belongs to the system.' },
    },
    async handler(call) {
      const name = nameIn(call.param('name'))
      refuseSystem(name, await gallery.folders())
      const { jobId } = await gallery.remove(name)
      return json({ success: true, message: 'Backend deletion started', jobID: jobId })
    },
  })
}

function upgradeRoute({ gallery }: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/backends/upgrade/:name',
    summary: 'Install a backend again, as its gallery has it now',
    audit: { change: 'backend.upgrade', target: 'name' },
    responses: {
      200: { description: 'The installation is queued.', schema: async () => (await schemas()).upgradeStarted },
    },
    handler: async (call) =>
      toUpgradeStarted(call, await gallery.install({ id: nameIn(call.param('name')), force: true })),
  })
}

function usecasesRoute(parts: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/backends/usecases',
    summary: 'What models of each known backend can be asked for',
    responses: {
      200: {
        description: 'By the names of the backends.',
        schema: async () => (await schemas()).usecasesByBackend,
      },
    },
    handler: async (call) => json(await listUsecasesByName(call, parts)),
  })
}

function jobRoute({ operations }: BackendListParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/backends/job/:uid',
    summary: 'A job of a backend, in short',
    quiet: true,
    revalidated: true,
    responses: { 200: { description: 'The job.', schema: async () => (await schemas()).shortJobReply } },
    handler: async (call) => json(toShortJob(await findJob(operations, call.param('uid'), 'backend'))),
  })
}

async function listUsecasesByName(
  call: Call,
  { gallery }: BackendListParts,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const [listed, folders] = await Promise.all([gallery.indexes.list({ signal: call.signal }), gallery.folders()])
  const known = listed.filter(({ entry }) => isMetaBackend(entry) || entry.alias === '').map(({ entry }) => entry.name)
  const names = distinctTexts([...known, ...listFolderNames(folders)])
  return Object.fromEntries(
    names.map((name) => {
      const canonical = toCanonicalBackend(name).name
      return [name, listBackendUsecases(canonical, { runsLanguage: runsLanguage(canonical) })]
    }),
  )
}

function nameIn(id: string): string {
  const name = id.slice(id.indexOf('@') + 1)
  checkName(name, 'backend')
  return name
}

function toUpgradeStarted(call: Call, { jobId }: Operation): HttpReply {
  const statusUrl = `${call.baseUrl}backends/jobs/${jobId}`
  return json({ jobID: jobId, uuid: jobId, statusUrl, message: 'Backend upgrade started' })
}

async function listBackends(call: Call, parts: BackendListParts): Promise<Readonly<Record<string, unknown>>> {
  const { gallery, operations } = parts
  const [all, folders, capability] = await Promise.all([
    gallery.indexes.list({ signal: call.signal }),
    gallery.folders(),
    gallery.capability(),
  ])
  const wantsAll = call.query('all') === 'true'
  const here = wantsAll ? all : all.filter((listed) => describeEntry(listed, capability).runsHere)
  const installed = listFolderNames(folders)
  const sorted = sortEntries(filterBackends(here, call), call, installed)
  const page = toPage(sorted, { page: call.query('page'), items: call.query('items'), size: PAGE_SIZE })
  const processing = operations.list().filter((view) => view.subject === 'backend' && view.state !== 'failed')
  const byName = new Map(folders.map((folder) => [folder.metadata.name || folder.folderName, folder]))
  return {
    backends: page.items.map((listed) => toRow(listed, { installed, byName, processing, capability, parts })),
    repositories: listRepositories(gallery.indexes),
    allTags: distinctTexts(here.flatMap(({ entry }) => entry.tags)),
    processingBackends: Object.fromEntries(processing.map(({ fullName, jobId }) => [fullName, jobId])),
    taskTypes: toTaskTypes(processing),
    availableBackends: sorted.length,
    installedBackends: folders.length,
    currentPage: page.currentPage,
    totalPages: page.totalPages,
    prevPage: page.prevPage,
    nextPage: page.nextPage,
    systemCapability: capability,
    preferDevelopmentBackends: parts.prefersDevelopment(),
  }
}

function filterBackends(all: readonly Listed<BackendEntry>[], call: Call): readonly Listed<BackendEntry>[] {
  const [term, tag] = ['term', 'tag'].map((name) => (call.query(name) ?? '').toLowerCase())
  return all.filter(({ entry, gallery }) => {
    const tags = entry.tags.map((one) => one.toLowerCase())
    const words = [entry.name, entry.description, gallery.name, ...tags].join('\n').toLowerCase()
    return (!term || words.includes(term)) && (!tag || tags.includes(tag))
  })
}

interface RowFacts {
  readonly installed: ReadonlySet<string>
  readonly byName: ReadonlyMap<string, BackendFolder>
  readonly processing: readonly OperationView[]
  readonly capability: string
  readonly parts: BackendListParts
}

function toRow(
  listed: Listed<BackendEntry>,
  { installed, byName, processing, capability, parts }: RowFacts,
): Readonly<Record<string, unknown>> {
  const { entry, gallery, id } = listed
  const { name, description, icon, license, urls, tags, alias, capabilities } = entry
  const { isMeta, metaBackendFor } = describeEntry(listed, capability)
  const running = processing.find(({ fullName }) => fullName.toLowerCase() === id.toLowerCase() || fullName === name)
  return {
    id,
    name,
    description,
    icon,
    license,
    urls,
    tags,
    gallery: gallery.name,
    installed: installed.has(name),
    version: byName.get(name)?.metadata.version ?? '',
    processing: running !== undefined,
    jobID: running?.jobId ?? '',
    isDeletion: running?.action === 'deletion',
    isMeta,
    isAlias: !isMeta && alias !== '',
    isDevelopment: name.endsWith(`-${parts.developmentSuffix}`),
    capabilities: isMeta ? capabilities : {},
    metaBackendFor,
    nodes: [],
  }
}
