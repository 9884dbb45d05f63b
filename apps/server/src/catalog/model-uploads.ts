import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { toFileError } from '../files/file-error.ts'
import { requireWritable } from '../files/folder-access.ts'
import { checkName, toFileName } from '../files/safe-path.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { type AddedModel, addModel, checkWeightsName, modelExists, nameModel } from './add-model.ts'
import type { ConfigStore } from './folder-store.ts'
import { measurePiece, writePiece } from './upload-piece.ts'
import { ADDING_FILE, type AddingFiles, identifyFile, UPLOAD_IDLE_MS, uploadsFolder } from './uploads-folder.ts'

/** GGUF files that clients send in pieces. Each becomes a model when it is complete, and leaves nothing before. */
export interface ModelUploads {
  /**
   * Makes room for a file.
   *
   * @throws {SvcError} `invalid_request` (`not_a_model`, `invalid_name`), `conflict` (`model_exists`),
   *   `insufficient_storage` (`disk_full`), `unavailable` (`too_many_uploads`)
   */
  begin(request: UploadRequest): Promise<UploadState>
  /** @throws {SvcError} `not_found` */
  read(id: string): UploadState
  /**
   * Adds the next piece as it arrives. A piece that is there already is not added again. A piece that is still arriving
   * ends when another one comes, which its sender sends after a broken connection.
   *
   * @param offset bytes before the piece
   * @throws {SvcError} `not_found`, `conflict` (`wrong_offset`, `upload_busy`), `invalid_request` (`not_a_model`),
   *   `too_large`, `insufficient_storage`
   */
  append(id: string, offset: number, piece: AsyncIterable<Uint8Array>): Promise<UploadState>
  /**
   * Makes a model of the complete file. The upload ends with the model, and with a file that is not a model. After any
   * other failure it can be finished again.
   *
   * @throws {SvcError} `not_found`, `conflict` (`incomplete`); as {@link addModel}
   */
  finish(id: string, options: { readonly signal: AbortSignal }): Promise<AddedModel>
  /** Drops an upload; one that is not there counts as dropped. */
  cancel(id: string): Promise<void>
  /** Drops all uploads. */
  close(): Promise<void>
}

/** A file that somebody wants to send. */
export interface UploadRequest {
  readonly filename: string
  /** @default the name of the file without its extension */
  readonly name?: string | undefined
  readonly sizeBytes: number
}

/** Progress of an upload. */
export interface UploadState {
  readonly id: string
  /** Name of the model that the upload becomes. */
  readonly name: string
  readonly sizeBytes: number
  readonly receivedBytes: number
}

/** Parts of {@link createModelUploads}. */
export interface ModelUploadParts {
  readonly modelsPath: string
  readonly serverId: string
  readonly modelFiles: ConfigStore
  /** Bytes that may still be written to the models folder; undefined where they are unknown. */
  readonly readFreeBytes: () => Promise<number | undefined>
  /** Runs a change of the models folder while no other one runs. */
  readonly alone: <T>(change: () => Promise<T>, options: { readonly signal: AbortSignal }) => Promise<T>
  /** Longest silence of a sender, milliseconds. @default 15 minutes */
  readonly idleMs?: number | undefined
}

/** A piece that is still arriving. */
interface ArrivingPiece {
  readonly cut: AbortController
  readonly ended: Promise<unknown>
}

interface Upload extends UploadRequest {
  readonly id: string
  readonly name: string
  readonly folder: string
  readonly path: string
  readonly file: FileHandle
  readonly timer: NodeJS.Timeout
  /** Bytes of whole pieces. */
  receivedBytes: number
  /** Whether it is becoming a model. */
  isBusy: boolean
  /** The piece that is arriving. */
  arriving: ArrivingPiece | undefined
}

const MAX_UPLOADS = 4
/** Left to the rest of the machine. */
const KEPT_FREE_BYTES = 64 * 1024 * 1024
const MODE = 0o644

/** Takes files for a models folder. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the life of an upload; its steps share the table of uploads
export function createModelUploads(parts: ModelUploadParts): ModelUploads {
  const { modelsPath, modelFiles, idleMs = UPLOAD_IDLE_MS } = parts
  const root = uploadsFolder(modelsPath, parts.serverId)
  const uploads = new Map<string, Upload>()
  /** Files that are about to be uploads. */
  const beginning = new Set<UploadRequest>()

  function find(id: string): Upload {
    const upload = uploads.get(id)
    if (upload === undefined) throw new SvcError('not_found', 'there is no such upload', { code: 'upload_not_found' })
    if (upload.isBusy) throw uploadBusy()
    return upload
  }

  async function drop(upload: Upload): Promise<void> {
    uploads.delete(upload.id)
    clearTimeout(upload.timer)
    if (upload.arriving !== undefined) await cutArriving(upload.arriving)
    await upload.file.close().catch(() => undefined)
    await rm(upload.folder, { recursive: true, force: true })
    // fails while it holds another upload
    await rmdir(root)
      .then(() => rmdir(dirname(root)))
      .catch(() => undefined)
  }

  /** Drops an upload whose caller gets another result. The next start removes the files that are left. */
  async function discard(upload: Upload): Promise<void> {
    await drop(upload).catch(() => undefined)
  }

  /** Adds a piece behind the received ones. */
  async function receive(upload: Upload, piece: AsyncIterable<Uint8Array>): Promise<void> {
    const cut = new AbortController()
    const { receivedBytes: offset } = upload
    const onPart = (): void => void upload.timer.refresh()
    const receiving = writePiece(upload, piece, { offset, onPart, signal: cut.signal })
      .then((length) => {
        upload.receivedBytes += length
      })
      .finally(() => {
        upload.arriving = undefined
        upload.timer.refresh()
      })
    upload.arriving = { cut, ended: receiving.catch(() => undefined) }
    await receiving
  }

  async function refuseTooLarge({ filename, sizeBytes }: UploadRequest): Promise<void> {
    const free = await parts.readFreeBytes()
    if (free === undefined) return
    const missing = [...uploads.values()].reduce((sum, one) => sum + one.sizeBytes - one.receivedBytes, 0)
    const begun = [...beginning].reduce((sum, one) => sum + one.sizeBytes, 0)
    const expected = missing + begun - sizeBytes
    if (sizeBytes + expected + KEPT_FREE_BYTES <= free) return
    throw new SvcError(
      'insufficient_storage',
      `${filename} has ${sizeBytes} bytes, and the disk of the models folder has ${Math.max(0, free - expected)} free`,
      { code: 'disk_full' },
    )
  }

  /** Makes the empty file of an upload. */
  async function create(request: UploadRequest, name: string): Promise<Upload> {
    const id = randomUUID()
    const folder = join(root, id)
    const path = join(folder, `${toFileName(nameModel(request.filename))}.gguf`)
    let file: FileHandle
    try {
      await mkdir(folder, { recursive: true })
      file = await open(path, 'wx', MODE)
    } catch (error) {
      throw toFileError(error, 'written', path)
    }
    const timer = setTimeout(() => {
      const upload = uploads.get(id)
      if (upload === undefined || upload.isBusy || upload.arriving !== undefined) return
      void discard(upload)
    }, idleMs).unref()
    const upload: Upload = {
      ...request,
      id,
      name,
      folder,
      path,
      file,
      timer,
      receivedBytes: 0,
      isBusy: false,
      arriving: undefined,
    }
    uploads.set(id, upload)
    return upload
  }

  /** Lets a start undo what a kill would leave between the weights and the model file. */
  async function note({ folder, path }: Upload, files: Omit<AddingFiles, 'identity'>): Promise<void> {
    const adding: AddingFiles = { ...files, identity: (await identifyFile(path)) ?? '' }
    await writeFileAtomic(join(folder, ADDING_FILE), JSON.stringify(adding), { mode: MODE })
  }

  return {
    async begin(request) {
      const { filename, name = nameModel(filename) } = request
      checkWeightsName(filename)
      checkName(name, 'model')
      if (modelFiles.get(name) !== undefined) throw modelExists(name)
      if (uploads.size + beginning.size >= MAX_UPLOADS) {
        throw new SvcError('unavailable', `${MAX_UPLOADS} files are being sent already; retry shortly`, {
          code: 'too_many_uploads',
          retryAfterMs: 10_000,
        })
      }
      beginning.add(request)
      try {
        await requireWritable(modelsPath)
        await refuseTooLarge(request)
        return toState(await create(request, name))
      } finally {
        beginning.delete(request)
      }
    },

    read: (id) => toState(find(id)),

    async append(id, offset, piece) {
      let upload = find(id)
      while (upload.arriving !== undefined && offset === upload.receivedBytes) {
        await cutArriving(upload.arriving)
        upload = find(id)
      }
      const { receivedBytes } = upload
      if (offset === receivedBytes) {
        try {
          await receive(upload, piece)
        } catch (error) {
          if (isNotAModel(error)) await discard(upload)
          throw error
        }
        return toState(upload)
      }
      // The reply to the piece may have been lost: its sender sends it again.
      if (offset > receivedBytes || offset + (await measurePiece(piece)) !== upload.receivedBytes) {
        throw new SvcError('conflict', `the next piece begins at byte ${receivedBytes}`, { code: 'wrong_offset' })
      }
      return toState(upload)
    },

    async finish(id, { signal }) {
      const upload = find(id)
      const { name, filename, sizeBytes, receivedBytes, file, path } = upload
      if (receivedBytes !== sizeBytes) {
        throw new SvcError('conflict', `${filename} is not complete: ${receivedBytes} of ${sizeBytes} bytes are here`, {
          code: 'incomplete',
        })
      }
      upload.isBusy = true
      /** Whether the file is of no further use: it is a model, or cannot become one. */
      let isSpent = false
      try {
        if (upload.arriving !== undefined) await cutArriving(upload.arriving)
        await file.sync().catch((error: unknown) => {
          throw toFileError(error, 'written', path)
        })
        const add = async (): Promise<AddedModel> => {
          const added = await addModel({
            source: path,
            folder: modelsPath,
            name,
            transfer: 'move',
            signal,
            onBegin: (files) => note(upload, files),
          })
          isSpent = true
          await modelFiles.reload()
          return added
        }
        return await parts.alone(add, { signal })
      } catch (error) {
        isSpent ||= isNotAModel(error)
        throw error
      } finally {
        upload.isBusy = false
        upload.timer.refresh()
        if (isSpent) await discard(upload)
      }
    },

    async cancel(id) {
      const upload = uploads.get(id)
      if (upload !== undefined) await drop(find(id))
    },

    async close() {
      for (const upload of [...uploads.values()]) await discard(upload)
    },
  }
}

/** Ends a piece, and waits until nothing of it is written any more. */
async function cutArriving({ cut, ended }: ArrivingPiece): Promise<void> {
  cut.abort(uploadBusy())
  await ended
}

function isNotAModel(error: unknown): boolean {
  return SvcError.is(error) && error.code === 'not_a_model'
}

function uploadBusy(): SvcError {
  return new SvcError('conflict', 'the upload is being written at this moment', { code: 'upload_busy' })
}

function toState({ id, name, sizeBytes, receivedBytes }: Upload): UploadState {
  return { id, name, sizeBytes, receivedBytes }
}
