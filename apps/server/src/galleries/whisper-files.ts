import { SvcError } from '@svc/errors'
import type { HubFile } from './hub-repository.ts'

const MAX_NAMED = 12

/** Keys of a model file for a Whisper file. */
export const WHISPER_KEYS = { backend: 'whisper' } as const

/** Whether a path names a Whisper file of whisper.cpp, as all of them are named: `ggml-base.en-q5_1.bin`. */
export function isWhisperName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return /^ggml-.+\.bin$/i.test(name) && !/silero/i.test(name)
}

/**
 * The Whisper file of a repository that has one.
 *
 * @throws SvcError `invalid_request`, code `invalid_uri`, which names the files, for a repository with several
 */
export function findWhisperFile(files: readonly HubFile[], repository: string): HubFile | undefined {
  const found = files.filter(({ path }) => isWhisperName(path))
  if (found.length < 2) return found[0]
  const names = found.slice(0, MAX_NAMED).map(({ path }) => path)
  const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : ''
  throw new SvcError(
    'invalid_request',
    `${repository} has several Whisper files; name one, such as hf://${repository}/${names[0]}: ${names.join(', ')}${more}`,
    { code: 'invalid_uri', details: { param: 'uri' } },
  )
}
