import { SvcError } from '@svc/errors'
import { runsLanguage, runsModels } from '../../../backends/backend-names.ts'
import { chooseByCapability, isCompatible } from '../../../backends/capability.ts'
import { checkName } from '../../../files/safe-path.ts'
import { type BackendFolder, toWireMetadata } from '../../../galleries/backend-folder.ts'
import type { BackendGallery, BackendUpgrade } from '../../../galleries/backend-gallery.ts'
import { type BackendEntry, gallerySchema, isMetaBackend, type Listed } from '../../../galleries/gallery.ts'
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

/** Parts of the routes of backend jobs. */
export interface BackendRouteParts {
  readonly gallery: BackendGallery
  readonly operations: Operations
  readonly bodies: BodyReader
}

const schemas = () => import('./schemas.ts')
const lists = () => import('./list-schemas.ts')
const shared = { access: 'admin', family: 'compatible', tag: 'backends' } as const

/** Installation and deletion of backends as jobs, and the lists of galleries (§4.6). */
export function backendJobRoutes(parts: BackendRouteParts): Route[] {
  return [
    applyRoute(parts),
    deleteRoute(parts),
    upgradeRoute(parts),
    jobRoute(parts),
    installedRoute(parts),
    availableRoute(parts),
    knownRoute(parts),
    galleriesRoute(parts),
    upgradesRoute(parts),
    upgradeCheckRoute(parts),
  ]
}

function applyRoute({ gallery, bodies }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/backends/apply',
    summary: 'Install a backend of a gallery',
    audit: { change: 'backend.install' },
    body: async () => (await schemas()).applyBackendBody,
    responses: {
      200: { description: 'The installation is queued.', schema: async () => (await schemas()).backendJobCreated },
    },
    async handler(call) {
      const { id, force } = await readJsonBody(call, (await schemas()).applyBackendBody, bodies)
      call.noteChange({ target: id })
      return toCreated(call, await gallery.install({ id, ...(force === true ? { force } : {}) }))
    },
  })
}

function deleteRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/backends/delete/:name',
    summary: 'Delete an installed backend',
    audit: { change: 'backend.delete', target: 'name' },
    responses: {
      200: { description: 'The deletion is queued.', schema: async () => (await schemas()).backendJobCreated },
    },
    handler: async (call) => toCreated(call, await gallery.remove(named(call))),
  })
}

function upgradeRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/backends/upgrade/:name',
    summary: 'Install a backend again, as its gallery has it now',
    audit: { change: 'backend.upgrade', target: 'name' },
    responses: {
      200: { description: 'The installation is queued.', schema: async () => (await schemas()).backendJobCreated },
    },
    handler: async (call) => toCreated(call, await gallery.install({ id: named(call), force: true })),
  })
}

function jobRoute({ operations }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/backends/jobs/:uuid',
    summary: 'A job of a backend',
    quiet: true,
    revalidated: true,
    responses: { 200: { description: 'The job.', schema: async () => (await schemas()).jobReply } },
    handler: async (call) => json(toJob(await findJob(operations, call.param('uuid'), 'backend'))),
  })
}

function installedRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/backends',
    summary: 'The installed backends',
    responses: {
      200: {
        description: 'In byte order of their folders, those of the system last.',
        schema: async () => (await lists()).installedBackends,
      },
    },
    async handler() {
      const upgrades = new Map(gallery.upgrades().map((upgrade) => [upgrade.name, upgrade]))
      return json((await gallery.folders()).map((folder) => toInstalled(folder, upgrades.get(folder.metadata.name))))
    },
  })
}

function availableRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/backends/available',
    summary: 'The backends of all galleries',
    responses: {
      200: { description: 'In the order of the galleries.', schema: async () => (await lists()).availableBackends },
    },
    async handler(call) {
      const [listed, folders] = await Promise.all([gallery.indexes.list({ signal: call.signal }), gallery.folders()])
      const installed = listFolderNames(folders)
      return json(listed.map((one) => toAvailable(one, installed)))
    },
  })
}

function knownRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/backends/known',
    summary: 'The names that galleries know, with the kind of their models',
    responses: {
      200: { description: 'Without builds for single machines.', schema: async () => (await lists()).knownBackends },
    },
    async handler(call) {
      const [listed, folders] = await Promise.all([gallery.indexes.list({ signal: call.signal }), gallery.folders()])
      const installed = listFolderNames(folders)
      const known = listed.filter(({ entry }) => isMetaBackend(entry) || entry.alias === '')
      return json(
        known.map(({ entry: { name, description } }) => ({
          name,
          modality: runsLanguage(name) ? 'text' : 'other',
          auto_detect: runsModels(name),
          ...(description === '' ? {} : { description }),
          installed: installed.has(name),
        })),
      )
    },
  })
}

function galleriesRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/backends/galleries',
    summary: 'The backend galleries',
    responses: { 200: { description: 'As they are configured.', schema: async () => (await schemas()).galleryList } },
    handler: () => json(listGalleries(gallery.indexes)),
  })
}

function upgradesRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/backends/upgrades',
    aliases: ['/api/backends/upgrades'],
    summary: 'Upgrades that the last check found',
    responses: {
      200: { description: 'By the names of the backends.', schema: async () => (await lists()).upgradesByBackend },
    },
    handler: () => json(toUpgrades(gallery.upgrades())),
  })
}

function upgradeCheckRoute({ gallery }: BackendRouteParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/backends/upgrades/check',
    aliases: ['/api/backends/upgrades/check'],
    summary: 'Look for upgrades of everything that came from a gallery',
    audit: { unrecorded: 'it asks galleries and changes nothing' },
    responses: {
      200: { description: 'By the names of the backends.', schema: async () => (await lists()).upgradesByBackend },
    },
    handler: async (call) => json(toUpgrades(await gallery.checkUpgrades({ signal: call.signal }))),
  })
}

function named(call: Call): string {
  const name = call.param('name')
  checkName(name, 'backend')
  return name
}

/** The names under which the folders of backends can be asked for. */
export function listFolderNames(folders: readonly BackendFolder[]): ReadonlySet<string> {
  return new Set(folders.flatMap(({ folderName, metadata }) => [folderName, metadata.name, metadata.alias ?? '']))
}

/** An entry as the lists of backends need it. */
export function describeEntry(
  { entry }: Listed<BackendEntry>,
  capability: string,
): { readonly isMeta: boolean; readonly runsHere: boolean; readonly metaBackendFor: string } {
  const isMeta = isMetaBackend(entry)
  const metaBackendFor = isMeta ? (chooseByCapability(entry.capabilities, capability) ?? '') : ''
  return { isMeta, metaBackendFor, runsHere: isMeta ? metaBackendFor !== '' : isCompatible(entry, capability) }
}

function toCreated(call: Call, { jobId }: Operation): HttpReply {
  return json({ id: jobId, status_url: `${call.baseUrl}backends/jobs/${jobId}` })
}

function toInstalled(folder: BackendFolder, upgrade: BackendUpgrade | undefined): Readonly<Record<string, unknown>> {
  const { folderName, metadata, hasRunFile, isSystem } = folder
  return {
    Name: metadata.name || folderName,
    RunFile: hasRunFile ? 'run.sh' : '',
    IsMeta: metadata.metaBackendFor !== undefined,
    IsSystem: isSystem,
    Metadata: toWireMetadata(metadata),
    ...(upgrade === undefined ? {} : { upgrade_available: true, available_version: upgrade.availableVersion }),
  }
}

function toAvailable({ entry, gallery }: Listed<BackendEntry>, installed: ReadonlySet<string>): object {
  const { name, description, license, urls, icon, tags, alias, uri, version, mirrors, capabilities } = entry
  return {
    name,
    description,
    license,
    urls,
    icon,
    tags,
    alias,
    uri,
    version,
    mirrors,
    capabilities,
    gallery: gallerySchema.parse(gallery),
    installed: installed.has(name),
  }
}

function toUpgrades(upgrades: readonly BackendUpgrade[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    upgrades.map(({ name, installedVersion, availableVersion, installedDigest, availableDigest }) => [
      name,
      {
        backend_name: name,
        installed_version: installedVersion,
        available_version: availableVersion,
        ...(installedDigest === undefined ? {} : { installed_digest: installedDigest }),
        ...(availableDigest === undefined ? {} : { available_digest: availableDigest }),
      },
    ]),
  )
}

/** Refuses the removal of backends that are not ours. @throws {SvcError} `conflict`, code `system_backend` */
export function refuseSystem(name: string, folders: readonly BackendFolder[]): void {
  const named = folders.filter(({ folderName, metadata }) => [folderName, metadata.name].includes(name))
  if (named.length === 0 || named.some(({ isSystem }) => !isSystem)) return
  throw new SvcError('conflict', `the backend "${name}" belongs to the system and is not removed`, {
    code: 'system_backend',
  })
}
