import { type ErrorKind, SvcError } from '@svc/errors'

/** Codes of {@link AudioError}. */
export type AudioErrorCode =
  | 'audio_limit'
  | 'bad_audio'
  | 'conversion_timeout'
  | 'converter_failed'
  | 'converter_missing'
  | 'invalid_audio_option'
  | 'unsupported_audio'

const KINDS: Readonly<Record<AudioErrorCode, ErrorKind>> = {
  audio_limit: 'too_large',
  bad_audio: 'invalid_request',
  conversion_timeout: 'timeout',
  converter_failed: 'internal',
  converter_missing: 'unsupported_media',
  invalid_audio_option: 'invalid_request',
  unsupported_audio: 'unsupported_media',
}

/**
 * Refusal of audio, or of a request to encode it.
 *
 * | Code                   | Kind                | Reason                                                        |
 * | ---------------------- | ------------------- | ------------------------------------------------------------- |
 * | `bad_audio`            | `invalid_request`   | the bytes are damaged, cut off or contradict themselves       |
 * | `unsupported_audio`    | `unsupported_media` | the bytes are sound, but their codec has no reader            |
 * | `converter_missing`    | `unsupported_media` | only ffmpeg can do it, and it is not installed                |
 * | `invalid_audio_option` | `invalid_request`   | a rate, a number of channels or a bit rate is out of range    |
 * | `audio_limit`          | `too_large`         | more bytes or samples than the caller allows                  |
 * | `conversion_timeout`   | `timeout`           | the converter did not end in time                             |
 * | `converter_failed`     | `internal`          | the converter cannot be started                               |
 */
export class AudioError extends SvcError {
  override readonly name = 'AudioError'

  constructor(code: AudioErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(KINDS[code], message, { ...options, code })
  }
}
