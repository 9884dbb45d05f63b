import { ensureSuccess } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import { measureResult } from '../../../generated-files/generated-files.ts'
import { sniffMedia } from '../../media/sniff-media.ts'
import { readMadeHead } from '../made-file.ts'
import type { OperationContext } from '../operation-runner.ts'
import type { MadeSound, MadeSoundResult } from './audio-operations.ts'
import { readSoundSeconds } from './sound-facts.ts'

/** Largest file of sound that a backend may write. */
const MAX_BYTES = 512 * 1024 * 1024

/** Answer of the calls that write a file. */
interface BackendResult {
  readonly success: boolean
  readonly message: string
}

/**
 * Has a backend write a file of sound. A failure leaves no file.
 *
 * @param ask calls the backend, which writes to this path
 * @throws {SvcError} the failure of the backend; `no_result_file`, `no_sound` when it wrote no file or something else
 */
export async function makeSoundFile(
  { drafts }: Pick<OperationContext, 'drafts'>,
  ask: (dst: string) => Promise<BackendResult>,
): Promise<MadeSoundResult> {
  const draft = await drafts.create({ extension: '.wav' })
  const release = (): void => void draft.remove()
  try {
    await draft.close()
    ensureSuccess(await ask(draft.path))
    return { promptTokens: 0, sound: await readMadeSound(draft.path), release }
  } catch (error) {
    release()
    throw error
  }
}

async function readMadeSound(path: string): Promise<MadeSound> {
  const sizeBytes = await measureResult(path)
  if (sizeBytes > MAX_BYTES) throw noSound(`a file of more than ${MAX_BYTES} bytes`)
  const sniffed = sniffMedia(await readMadeHead(path))
  if (sniffed?.kinds.includes('audio') !== true) throw noSound('a file that is no sound')
  return { path, mediaType: sniffed.mediaType, sizeBytes, seconds: await readSoundSeconds(path) }
}

function noSound(what: string): SvcError {
  return new SvcError('internal', `the backend has written ${what}`, { code: 'no_sound' })
}
