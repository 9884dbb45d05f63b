import { ensureSuccess } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { PrivateFile } from '../../../files/private-files.ts'
import { measureResult } from '../../../generated-files/generated-files.ts'
import type { MediaKind } from '../../media/attachment.ts'
import { sniffMedia } from '../../media/sniff-media.ts'
import { readMadeHead } from '../made-file.ts'
import type { OperationContext } from '../operation-runner.ts'
import type { MadeFile, MadeFiles } from './image-operations.ts'

/** Rules for the files of one operation. */
export interface FileRules {
  /** The kind that the file must have. */
  readonly kind: MediaKind
  /** End of the names that backends write to, with the dot. */
  readonly extension: string
  /** Largest file. */
  readonly maxBytes: number
}

/** An image. An upscaled picture of 16384 × 16384 points fits when it is a photograph. */
export const IMAGE_RULES: FileRules = { kind: 'image', extension: '.png', maxBytes: 256 * 1024 * 1024 }
/** A film. */
export const VIDEO_RULES: FileRules = { kind: 'video', extension: '.mp4', maxBytes: 2 * 1024 * 1024 * 1024 }

/** Answer of the calls that write a file. */
interface BackendResult {
  readonly success: boolean
  readonly message: string
}

/** The calls of an operation. */
export interface FileCalls {
  readonly rules: FileRules
  /** Number of files. @default 1 */
  readonly count?: number | undefined
  /** Has the backend write a file. @param index of the call, from 0 */
  ask(dst: string, index: number): Promise<BackendResult>
  /** Called after each file. @param made the number of files so far */
  onMade(made: number): void
}

/**
 * Has a backend write files, one after the other: most backends hold one picture in memory at a time. A failure leaves no
 * file.
 *
 * @throws {SvcError} the failure of the backend; `internal` for a file that is missing, empty, too large or of another
 *   kind; `insufficient_storage`
 */
export async function makeFiles({ drafts, signal }: OperationContext, calls: FileCalls): Promise<MadeFiles> {
  const { rules, count = 1 } = calls
  const written: PrivateFile[] = []
  const release = (): void => {
    for (const file of written) void file.remove()
  }
  try {
    const files: MadeFile[] = []
    for (let index = 0; index < count; index += 1) {
      signal.throwIfAborted()
      const draft = await drafts.create({ extension: rules.extension })
      written.push(draft)
      await draft.close()
      ensureSuccess(await calls.ask(draft.path, index))
      files.push(await readMade(draft.path, rules))
      calls.onMade(index + 1)
    }
    return { promptTokens: 0, files, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Looks at a file that a backend has written. Only its first bytes decide its type. */
async function readMade(path: string, { kind, maxBytes }: FileRules): Promise<MadeFile> {
  const sizeBytes = await measureResult(path)
  if (sizeBytes > maxBytes) {
    throw new SvcError('internal', `the backend has written a file of more than ${maxBytes} bytes`, {
      code: 'result_too_large',
    })
  }
  const found = sniffMedia(await readMadeHead(path))
  if (found?.kinds.includes(kind) === true) return { path, mediaType: found.mediaType, sizeBytes }
  throw new SvcError('internal', `the backend has written no ${kind} of a known type`, { code: 'invalid_result_file' })
}
