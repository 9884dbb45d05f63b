import { createFfmpeg } from '@svc/audio'
import { SvcError } from '@svc/errors'
import type { SpeechFormat } from '@svc/wire/openai'

/** The sound that a client asks for. */
export interface SoundWish {
  /** @default as the backend has written it; wav for live sound */
  readonly format?: SpeechFormat | 'ulaw' | 'alaw' | undefined
  /** Samples a second. @default as the backend has made it */
  readonly sampleRate?: number | undefined
  /** Bits a second, for mp3, opus and aac. @default the encoder's own */
  readonly bitRate?: number | undefined
}

/** Longest conversion. It includes the time in which a voice speaks and a client reads. */
const CONVERSION_MS = 3_600_000

/** Encodes what the server itself does not. */
export const converter = createFfmpeg({ timeoutMs: CONVERSION_MS })

/**
 * Refuses a wish that needs a program which is not installed, before a model works for it.
 *
 * @throws {SvcError} `unsupported_media` (`converter_missing`)
 */
export async function checkWish({ format }: SoundWish): Promise<void> {
  if (format === 'aac') await converter.require('response_format aac')
}

const VENDOR_FORMAT = /^(mp3|opus|pcm|wav|ulaw|alaw)_(\d{4,6})(?:_(\d{1,3}))?$/
const MIN_RATE = 4000
const MAX_RATE = 192_000

/**
 * Reads the sound format of the audio vendor: codec, samples a second, thousands of bits a second.
 *
 * @throws {SvcError} `invalid_request` for any other text
 * @example
 * readVendorFormat('mp3_44100_128') // { format: 'mp3', sampleRate: 44_100, bitRate: 128_000 }
 */
export function readVendorFormat(text: string | undefined): SoundWish {
  if (text === undefined || text === '') return {}
  const [, format, rate, kilobits] = VENDOR_FORMAT.exec(text) ?? []
  const sampleRate = Number(rate)
  const bitRate = kilobits === undefined ? undefined : Number(kilobits) * 1000
  const isFit = sampleRate >= MIN_RATE && sampleRate <= MAX_RATE && bitRate !== 0
  const hasBits = format === 'mp3' || format === 'opus'
  if (format === undefined || !isFit || (bitRate !== undefined && !hasBits)) throw unknownFormat()
  return { format: format as SoundWish['format'], sampleRate, bitRate }
}

function unknownFormat(): SvcError {
  const message =
    'output_format: must be a codec with its rate, such as mp3_44100_128, pcm_16000, wav_24000 or ulaw_8000'
  return new SvcError('invalid_request', message, {
    code: 'unknown_output_format',
    details: { type: 'invalid_request_error', param: 'output_format' },
  })
}
