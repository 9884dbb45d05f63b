import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createFfmpeg, decodeAudio } from '@svc/audio'
import type { PartialMessage, TranscriptRequest, TranscriptResult } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { invalidRequest, notSupported } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'
import type { SpokenSegment, TranscriptionRequest } from '../speech-model.ts'

const SPEECH_RATE = 16_000
const NANOSECONDS = 1_000_000_000
/** Languages that write no spaces between words. */
const WITHOUT_SPACES: ReadonlySet<string> = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue'])
/** A file is decoded as fast as it is transcribed, which the signal of the call bounds. */
const CONVERSION_MS = 24 * 3600 * 1000
const converter = createFfmpeg({ timeoutMs: CONVERSION_MS })

type TranscriptionHandlers = Pick<BackendHandlers, 'audioTranscription' | 'audioTranscriptionStream'>

/** AudioTranscription, whole and streamed. A stream has a delta for each segment, as soon as it is heard. */
export function createTranscribeHandlers(host: ModelHost): TranscriptionHandlers {
  return {
    audioTranscription: async (request, { signal }) => {
      const heard = await listen(host, request, signal)
      const segments: SpokenSegment[] = []
      for await (const segment of heard.segments) segments.push(segment)
      return toResult(segments, heard)
    },
    audioTranscriptionStream: async function* (request, { signal }) {
      const heard = await listen(host, request, signal)
      const segments: SpokenSegment[] = []
      for await (const segment of heard.segments) {
        yield { delta: joint(segments.at(-1), segment) + segment.text }
        segments.push(segment)
      }
      yield { finalResult: toResult(segments, heard) }
    },
  }
}

interface Heard {
  /** What was asked for. */
  readonly language: string
  readonly segments: AsyncIterable<SpokenSegment>
  /** Length of the audio, once all segments are there. */
  seconds(): number
}

async function listen(host: ModelHost, request: TranscriptRequest, signal: AbortSignal): Promise<Heard> {
  const { transcriber } = host.use(request.ModelIdentity)
  if (transcriber === undefined) throw notSupported('this model does not transcribe')
  const wanted = toRequest(request)
  await checkInput(request.dst)
  let count = 0
  const read = async function* (): AsyncGenerator<Float32Array> {
    const file = createReadStream(request.dst)
    const samples = decodeAudio(file, { sampleRate: SPEECH_RATE, converter, signal })
    for await (const piece of samples) {
      count += piece.length
      yield piece
    }
  }
  return {
    language: wanted.language ?? '',
    segments: transcriber.transcribe(read(), wanted, { signal }),
    seconds: () => count / SPEECH_RATE,
  }
}

/** Names no folder, because the caller did not choose it. */
async function checkInput(file: string): Promise<void> {
  if (file === '') throw invalidRequest('no audio file is named', 'dst')
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() !== true) throw invalidRequest('the audio file cannot be read', 'dst')
}

function toRequest(request: TranscriptRequest): TranscriptionRequest {
  const { language, translate, prompt, temperature, timestampGranularities } = request
  if (!(temperature >= 0 && temperature <= 1)) throw invalidRequest('temperature must be 0 to 1', 'temperature')
  const code = language.trim().toLowerCase()
  return {
    language: code === '' || code === 'auto' ? undefined : code,
    translate,
    prompt,
    temperature,
    words: timestampGranularities.includes('word'),
  }
}

function toResult(segments: readonly SpokenSegment[], heard: Heard): PartialMessage<TranscriptResult> {
  return {
    text: segments.map((segment, index) => joint(segments[index - 1], segment) + segment.text).join(''),
    language: segments.find(({ language }) => language !== '')?.language ?? heard.language,
    duration: heard.seconds(),
    segments: segments.map(({ start, end, text, words }, id) => ({
      id,
      start: toNanoseconds(start),
      end: toNanoseconds(end),
      text,
      words: words.map((word) => ({
        start: toNanoseconds(word.start),
        end: toNanoseconds(word.end),
        text: word.text,
      })),
    })),
  }
}

/** What stands between two segments. */
function joint(before: SpokenSegment | undefined, { language }: SpokenSegment): string {
  return before === undefined || WITHOUT_SPACES.has(language) ? '' : ' '
}

function toNanoseconds(seconds: number): bigint {
  return BigInt(Math.round(seconds * NANOSECONDS))
}
