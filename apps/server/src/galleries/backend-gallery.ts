import { rm } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import * as z from 'zod'
import { toCanonicalBackend } from '../backends/backend-names.ts'
import { toFileError } from '../files/file-error.ts'
import { isImageReference, parseImageReference } from '../oci/image-reference.ts'
import type { Operation } from '../operations/operation.ts'
import type { Operations } from '../operations/operations.ts'
import type { Logger } from '../ports.ts'
import { type BackendFolder, listBackendFolders } from './backend-folder.ts'
import { type BackendEntry, isMetaBackend } from './gallery.ts'
import type { GalleryIndexes } from './gallery-indexes.ts'
import type { BackendInstallerParts, BackendRequest } from './install-backend.ts'

/** A newer build of a backend that is here. */
export interface BackendUpgrade {
  readonly name: string
  readonly installedVersion: string
  readonly availableVersion: string
  readonly installedDigest?: string | undefined
  readonly availableDigest?: string | undefined
}

/** The backends of galleries, and the actions on them. */
export interface BackendGallery {
  readonly indexes: GalleryIndexes<BackendEntry>
  /** The hardware that this machine computes on. */
  capability(): Promise<string>
  folders(): Promise<readonly BackendFolder[]>
  /** Queues an installation. @throws as {@link Operations.enqueue} */
  install(request: BackendRequest, options?: Parameters<Operations['enqueue']>[1]): Promise<Operation>
  /** Queues the deletion of a backend that is here. @throws as {@link Operations.enqueue} */
  remove(name: string): Promise<Operation>
  /** The upgrades that the last check found. */
  upgrades(): readonly BackendUpgrade[]
  /** Looks for upgrades of everything that came from a gallery. */
  checkUpgrades(options: { readonly signal: AbortSignal }): Promise<readonly BackendUpgrade[]>
}

/** Parts of {@link createBackendGallery}. */
export interface BackendGalleryParts extends BackendInstallerParts {
  readonly operations: Operations
  readonly logger: Logger
  /** Called with backends whose folders have changed or are gone; it reads the folders again. */
  readonly changed: (names: readonly string[]) => Promise<void>
}

const storedRequest = z.object({
  id: z.string().optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
  alias: z.string().optional(),
  force: z.boolean().optional(),
})

/** Makes the gallery and takes over the operations on backends. */
export function createBackendGallery(parts: BackendGalleryParts): BackendGallery {
  const { operations, indexes, backendsPath, systemPath, changed, logger } = parts
  const folders = (): Promise<readonly BackendFolder[]> =>
    listBackendFolders({ user: backendsPath, system: systemPath })
  let found: readonly BackendUpgrade[] = []

  operations.register('backend', 'installation', async (work) => {
    const { installBackend } = await import('./install-backend.ts')
    const names = await installBackend(storedRequest.parse(work.details), work, parts)
    await changed(names)
    found = found.filter(({ name }) => !names.includes(name))
  })
  operations.register('backend', 'deletion', async (work) =>
    changed(await removeBackend(work.fullName, await folders())),
  )

  /** The upgrade of one folder, by the version of its entry, else by the digest of its image. */
  async function findUpgrade(folder: BackendFolder, signal: AbortSignal): Promise<BackendUpgrade | undefined> {
    const { name, version: installedVersion = '', digest: installedDigest, galleryUrl, uri } = folder.metadata
    if (galleryUrl === undefined || folder.isSystem || !folder.hasRunFile) return undefined
    const listed = await indexes.find(name, { signal })
    if (listed === undefined || isMetaBackend(listed.entry)) return undefined
    const { version: availableVersion } = listed.entry
    if (availableVersion !== '' && availableVersion !== installedVersion) {
      return { name, installedVersion, availableVersion, installedDigest }
    }
    const { createRegistryClient } = await import('../oci/registry-client.ts')
    const registry = createRegistryClient({ client: parts.client, credentials: parts.credentials })
    const address = (uri ?? listed.entry.uri).replace(/^oci:\/\//, '')
    // An archive has only its version to tell.
    if (address.includes('://') || !isImageReference(address)) return undefined
    const reference = parseImageReference(address)
    const { digest: availableDigest } = await registry.readManifest(reference, { signal })
    if (availableDigest === installedDigest) return undefined
    return { name, installedVersion, availableVersion, installedDigest, availableDigest }
  }

  return {
    indexes,
    capability: parts.capability,
    folders,
    install(request, options) {
      const fullName = request.id ?? request.name ?? request.uri ?? ''
      const details = storedRequest.parse(request)
      return operations.enqueue({ subject: 'backend', action: 'installation', fullName, details }, options)
    },
    remove: (name) => operations.enqueue({ subject: 'backend', action: 'deletion', fullName: name, details: {} }),
    upgrades: () => found,
    async checkUpgrades({ signal }) {
      const checked: BackendUpgrade[] = []
      for (const folder of await folders()) {
        try {
          const upgrade = await findUpgrade(folder, signal)
          if (upgrade !== undefined) checked.push(upgrade)
        } catch (error) {
          signal.throwIfAborted()
          logger.warn({ err: error, backend: folder.metadata.name }, 'upgrades of a backend could not be looked for')
        }
      }
      found = checked
      return found
    },
  }
}

/** Removes a backend, and with a meta backend the one that it leads to. @returns the names that no longer resolve */
export async function removeBackend(asked: string, folders: readonly BackendFolder[]): Promise<readonly string[]> {
  const name = asked.slice(asked.indexOf('@') + 1)
  const isNamed = (folder: BackendFolder): boolean =>
    [folder.folderName, folder.metadata.name].some((one) => one.toLowerCase() === name.toLowerCase())
  const own = folders.find((folder) => isNamed(folder) && !folder.isSystem)
  if (own === undefined) {
    if (folders.some(isNamed)) {
      throw new SvcError('conflict', `the backend "${name}" belongs to the system and is not removed`, {
        code: 'system_backend',
      })
    }
    throw new SvcError('not_found', `there is no installed backend "${name}"`, { code: 'backend_not_found' })
  }
  const target = folders.find(({ folderName, isSystem }) => !isSystem && folderName === own.metadata.metaBackendFor)
  const gone = [own, ...(target === undefined ? [] : [target])]
  for (const { folder } of gone) {
    await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
      throw toFileError(error, 'deleted', folder)
    })
  }
  return gone.flatMap(({ folderName, metadata }) => [folderName, metadata.name, metadata.alias ?? ''])
}

/** Whether a backend that a model names is among the changed ones. */
export function matchesBackend(backend: string, changed: readonly string[]): boolean {
  const names = new Set(changed.map((name) => toCanonicalBackend(name).name))
  return names.has(toCanonicalBackend(backend).name)
}
