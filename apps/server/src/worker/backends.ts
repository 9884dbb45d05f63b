import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { BackendCatalog, BackendProgram } from '../backends/catalog.ts'
import type { installRequest, listReply } from '../cluster/contract/node-requests.ts'
import { createKeyedLock } from '../concurrency/keyed-lock.ts'
import { galleries as gallerySchema } from '../config/setting-kind.ts'
import { type BackendFolder, toWireMetadata } from '../galleries/backend-folder.ts'
import { matchesBackend } from '../galleries/backend-gallery.ts'
import type { Gallery } from '../galleries/gallery.ts'
import type { BackendRequest } from '../galleries/install-backend.ts'
import type { OperationWork } from '../operations/operations.ts'
import type { ProgressReport } from '../operations/progress-meter.ts'

/** A request to install or upgrade a backend. */
export type InstallRequest = z.output<typeof installRequest>

/** A backend as `backend.list` shows it. */
export type ListedBackend = Partial<z.output<typeof listReply>['backends'][number]> & { readonly name: string }

/** How the work on a backend is followed and ended. */
export interface InstallOptions {
  readonly signal: AbortSignal
  readonly onProgress: (report: ProgressReport) => void
}

/** The backends of a worker: those that the server ships, and those of galleries. */
export interface WorkerBackends {
  /**
   * Gives the program of a backend, and installs it when it is not here.
   *
   * @throws {SvcError} `not_found`, code `backend_not_found`; as `installBackend`
   */
  ensure(request: InstallRequest, options: InstallOptions): Promise<BackendProgram>
  /** Installs a backend again, in the place of what is here. @returns the names that have changed @throws as above */
  upgrade(request: InstallRequest, options: InstallOptions): Promise<readonly string[]>
  /** Deletes a backend. @returns the names that are gone @throws {SvcError} `not_found`, `conflict` */
  remove(name: string, options: { readonly signal: AbortSignal }): Promise<readonly string[]>
  list(): Promise<readonly ListedBackend[]>
}

/** Parts of {@link createWorkerBackends}. */
export interface WorkerBackendsParts {
  readonly catalog: Pick<BackendCatalog, 'resolve' | 'refresh' | 'names'>
  readonly folders: () => Promise<readonly BackendFolder[]>
  readonly install: (request: BackendRequest, work: OperationWork) => Promise<readonly string[]>
  readonly removeFolders: (name: string, folders: readonly BackendFolder[]) => Promise<readonly string[]>
  /** Puts the galleries of a front end before those of the worker. */
  readonly useGalleries: (galleries: readonly Gallery[]) => void
  /** Backends without a folder that run here as processes. */
  readonly shipped: readonly string[]
}

/** Creates the backends of a worker. Changes of one backend come one after another. */
export function createWorkerBackends(parts: WorkerBackendsParts): WorkerBackends {
  const { catalog } = parts
  const lock = createKeyedLock()

  const install = async (
    request: InstallRequest,
    { isForced, signal, onProgress }: InstallOptions & { readonly isForced: boolean },
  ): Promise<readonly string[]> => {
    readGalleries(request, parts)
    const names = await parts.install(
      { ...toSource(request), force: isForced },
      {
        subject: 'backend',
        action: 'installation',
        fullName: toName(request),
        details: {},
        jobId: randomUUID(),
        signal,
        report: onProgress,
        commit: () => signal.throwIfAborted(),
      },
    )
    await catalog.refresh()
    return names
  }
  const findProgram = (request: InstallRequest): BackendProgram | undefined => {
    const program = catalog.resolve(toLocalName(toName(request)))
    return program?.kind === 'spawn' ? program : undefined
  }
  return {
    async ensure(request, options) {
      const present = findProgram(request)
      if (present !== undefined) return present
      const work = async (): Promise<BackendProgram> => {
        // Another request may have installed it meanwhile.
        if (findProgram(request) === undefined) await install(request, { ...options, isForced: false })
        const program = findProgram(request)
        if (program !== undefined) return program
        throw backendNotFound(`the backend "${toName(request)}" is installed and has no program`)
      }
      return lock.run(toKey(request), work, options)
    },
    upgrade: (request, options) =>
      lock.run(toKey(request), () => install(request, { ...options, isForced: true }), options),
    async remove(name, options) {
      const work = async (): Promise<readonly string[]> => {
        const folders = await parts.folders()
        const isInstalled = folders.some((folder) => usesBackend(name, [folder.folderName, folder.metadata.name]))
        if (!isInstalled && parts.shipped.includes(toLocalName(name).toLowerCase())) throw shippedBackend(name)
        const names = await parts.removeFolders(name, folders)
        await catalog.refresh()
        return names.filter((each) => each !== '')
      }
      return lock.run(toLocalName(name).toLowerCase(), work, options)
    },
    async list() {
      const folders = await parts.folders()
      const installed = folders.map(({ metadata, hasRunFile, isSystem }) => ({
        ...toWireMetadata(metadata),
        name: metadata.name,
        is_system: isSystem,
        is_meta: !hasRunFile,
      }))
      const known = new Set(installed.map(({ name }) => name.toLowerCase()))
      const shipped = parts.shipped
        .filter((name) => !known.has(name))
        .map((name) => ({ name, is_system: true, is_meta: false }))
      return [...installed, ...shipped]
    },
  }
}

/** Whether a process runs one of the changed backends. */
export function usesBackend(backend: string, changed: readonly string[]): boolean {
  return matchesBackend(toLocalName(backend), changed.map(toLocalName))
}

/** A name without its gallery. */
const toLocalName = (name: string): string => name.slice(name.indexOf('@') + 1)

const toName = ({ backend, name, uri }: InstallRequest): string => (uri === '' ? backend : name || backend)

const toKey = (request: InstallRequest): string => toLocalName(toName(request)).toLowerCase()

function toSource({ backend, uri, name, alias }: InstallRequest): BackendRequest {
  if (uri === '') return { id: backend }
  return { uri, name: name || backend, ...(alias === '' ? {} : { alias }) }
}

function readGalleries({ backend_galleries: text }: InstallRequest, { useGalleries }: WorkerBackendsParts): void {
  if (text === '') return
  const found = gallerySchema.safeParse(parseJson(text))
  if (!found.success) {
    throw new SvcError('invalid_request', 'backend_galleries is not a JSON list of objects with name and url', {
      code: 'bad_galleries',
    })
  }
  useGalleries(found.data as readonly Gallery[])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? []
  } catch {
    return undefined
  }
}

function backendNotFound(message: string): SvcError {
  return new SvcError('not_found', message, { code: 'backend_not_found' })
}

function shippedBackend(name: string): SvcError {
  return new SvcError('conflict', `the backend "${name}" ships with the worker and is not removed`, {
    code: 'system_backend',
  })
}
