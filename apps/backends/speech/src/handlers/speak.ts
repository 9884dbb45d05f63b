import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { encodeWavHeader } from '@svc/audio'
import type { TTSRequest } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { invalidRequest, notSupported } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'
import type { SpeechRequest, Synthesizer } from '../speech-model.ts'
import { findVoice } from './find-voice.ts'

const SPEED = { min: 0.25, max: 4 } as const

/** TTS, which writes a WAV file, and TTSStream, whose first message has the sample rate. */
export function createSpeakHandlers(host: ModelHost): Pick<BackendHandlers, 'tts' | 'ttsStream'> {
  return {
    tts: async (request, { signal }) => {
      const { synthesizer, speech } = readRequest(host, request)
      if (!path.isAbsolute(request.dst)) throw invalidRequest('dst must be an absolute path', 'dst')
      await writeSpeech(request.dst, { synthesizer, speech, signal })
      return { success: true, message: 'spoken' }
    },
    async *ttsStream(request, { signal }) {
      const { synthesizer, speech } = readRequest(host, request)
      let isFirst = true
      for await (const samples of synthesizer.speak(speech, { signal })) {
        if (isFirst) yield { message: toHead(synthesizer.sampleRate(speech.voice)) }
        isFirst = false
        yield { audio: toBytes(samples) }
      }
    },
  }
}

function readRequest(
  host: ModelHost,
  request: TTSRequest,
): { readonly synthesizer: Synthesizer; readonly speech: SpeechRequest } {
  const { synthesizer } = host.use(request.ModelIdentity)
  if (synthesizer === undefined) throw notSupported('this model does not speak')
  if (request.text.trim() === '') throw invalidRequest('text must not be empty', 'text')
  const voice = findVoice(synthesizer, request.voice)
  return { synthesizer, speech: { text: request.text, voice, speed: readSpeed(request.params.speed) } }
}

function readSpeed(text: string | undefined): number {
  if (text === undefined || text === '') return 1
  const speed = /^\d{1,9}(\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN
  if (speed >= SPEED.min && speed <= SPEED.max) return speed
  throw invalidRequest(`speed must be a number of ${SPEED.min} to ${SPEED.max}`, 'speed')
}

interface SpeechToWrite {
  readonly synthesizer: Synthesizer
  readonly speech: SpeechRequest
  readonly signal: AbortSignal
}

/** Writes a WAV file. A failure leaves none. */
async function writeSpeech(dst: string, { synthesizer, speech, signal }: SpeechToWrite): Promise<void> {
  try {
    await using file = await open(dst, 'w', 0o600)
    const sampleRate = synthesizer.sampleRate(speech.voice)
    await file.write(encodeWavHeader({ sampleRate }))
    let frames = 0
    for await (const samples of synthesizer.speak(speech, { signal })) {
      await file.writeFile(toBytes(samples))
      frames += samples.length
    }
    const header = encodeWavHeader({ sampleRate, frames })
    await file.write(header, 0, header.length, 0)
    signal.throwIfAborted()
  } catch (error) {
    await rm(dst, { force: true })
    throw error
  }
}

function toHead(sampleRate: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ sample_rate: sampleRate }))
}

/** Little endian, on every machine that this runs on. */
function toBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
}
