import { dirname, resolve } from 'node:path'
import type { ObjectStorage } from '../../cluster/object-storage/object-storage.ts'
import type { ServerReply } from '../../http/messages.ts'
import type { Clock, Logger } from '../../ports.ts'
import { listFolder, sendFile } from './downloads.ts'
import { checkInside, type FilePlace, toFilePlace, type WorkerFolders } from './file-keys.ts'
import { badRequest, notFound } from './refusals.ts'
import type { FileReply } from './reply.ts'
import { type FileRequest, reply, wrongMethod } from './request.ts'
import { openStagingFolder } from './staging-folder.ts'
import { createStorageFiles } from './storage-files.ts'
import { createStoredHashes, readState, removeEmptyParents, removeFile } from './stored-files.ts'
import { createUploads } from './uploads.ts'

/** The files of a worker. */
export function createFileRoutes({
  folders,
  isShared = false,
  objects,
  clock,
  logger,
}: {
  readonly folders: WorkerFolders
  readonly isShared?: boolean | undefined
  readonly objects?: ObjectStorage | undefined
  readonly clock: Clock
  readonly logger: Logger
}) {
  const uploads = createUploads({ clock })
  const hashes = createStoredHashes()
  const staging = openStagingFolder({ folder: folders.staging, others: [folders.models, folders.data], clock, logger })

  const storageFiles =
    objects &&
    createStorageFiles({
      folders,
      objects,
      uploads,
      hashes,
      staging,
      checkWritten: (place) => checkWritten(place, isShared),
    })

  async function head(key: string, outgoing: ServerReply): Promise<void> {
    const place = toFilePlace(key, folders)
    await checkInside(place)
    const found = await readState(place.path)
    if (found.state === 'absent') throw notFound()
    const isPart = found.state === 'partial'
    const hash = isPart ? found.target : await hashes.read(place.path)
    const hashHeader = isPart ? 'X-Target-SHA256' : 'X-Content-SHA256'
    outgoing
      .writeHead(200, {
        'Content-Length': found.size,
        'X-File-Size': found.size,
        'X-Local-Path': toHeader(place.path),
        'Accept-Ranges': 'bytes',
        ...(hash === undefined ? {} : { [hashHeader]: hash }),
      })
      .end()
  }

  async function put(key: string, { incoming, outgoing }: FileRequest): Promise<FileReply> {
    const place = toFilePlace(key, folders)
    checkWritten(place, isShared)
    const isNew = !/^\s*bytes\s+0*[1-9]/.test(incoming.headers['content-range'] ?? '')
    if (place.area === 'staging' && isNew) staging.claim()
    return uploads.put(place, incoming, () => outgoing.sendContinue?.())
  }

  async function remove(key: string): Promise<FileReply> {
    const place = toFilePlace(key, folders)
    if (place.area !== 'staging') throw badRequest('only files of requests can be removed')
    return uploads.alone(place.path, async () => {
      uploads.forget(place.path)
      await checkInside(place)
      await removeFile(place.path)
      await removeEmptyParents(place.path, place.folder)
      staging.release()
      return { status: 204 }
    })
  }

  return {
    storageFiles,
    async serve(key: string, request: FileRequest): Promise<void> {
      const { incoming, outgoing } = request
      switch (incoming.method) {
        case 'HEAD': {
          return head(key, outgoing)
        }
        case 'GET': {
          // Replies carry no validator, so that a condition on one never holds.
          const { range, 'if-range': condition } = incoming.headers
          return sendFile(toFilePlace(key, folders), outgoing, { range: condition === undefined ? range : undefined })
        }
        case 'PUT': {
          return reply(request, await put(key, request))
        }
        case 'DELETE': {
          return reply(request, await remove(key))
        }
        case 'POST': {
          if (key !== 'temp') throw notFound()
          return reply(request, { status: 200, json: { local_path: await staging.createFile() } })
        }
        default: {
          throw wrongMethod(request, 'GET, HEAD, PUT, POST, DELETE')
        }
      }
    },
    async list(key: string, request: FileRequest): Promise<void> {
      if (request.incoming.method !== 'GET') throw wrongMethod(request, 'GET')
      reply(request, { status: 200, json: { files: await listFolder(toFilePlace(key, folders)) } })
    },
    async close(): Promise<void> {
      await storageFiles?.close()
      await Promise.all([uploads.close(), hashes.close(), staging.close()])
    },
  }
}

/**
 * Files of a model go into its own folder: one that stands directly in the models folder may describe a model to a server.
 *
 * @throws {SvcError} `invalid_request`
 */
function checkWritten({ area, folder, path }: FilePlace, isShared: boolean): void {
  if (area !== 'models') return
  if (isShared) throw badRequest('the models folder is shared and takes no files', 'models_shared')
  if (dirname(path) === resolve(folder)) throw badRequest('the key names no folder of a model', 'bad_file_key')
}

/** A header has bytes only: those of UTF-8. */
const toHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
