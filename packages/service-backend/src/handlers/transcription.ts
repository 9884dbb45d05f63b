import type {
  PartialMessage,
  TranscriptLiveRequest,
  TranscriptLiveResponse,
  TranscriptRequest,
  TranscriptResult,
} from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import { readInput } from '../files.ts'
import type { ServiceHost } from '../host.ts'
import type { LiveInput, LiveOutput } from '../service/live-transcription.ts'
import type { Transcript } from '../service/transcription.ts'

type TranscriptionHandlers = Pick<
  BackendHandlers,
  'audioTranscription' | 'audioTranscriptionStream' | 'audioTranscriptionLive'
>

/** AudioTranscription: whole, streamed, and live. */
export function createTranscriptionHandlers(host: ServiceHost): TranscriptionHandlers {
  return {
    audioTranscription: async (request, context) => {
      const service = host.use(request.ModelIdentity)
      return toResult(await service.transcribe(await toInput(request), toCall(context)))
    },
    audioTranscriptionStream: async function* (request, context) {
      const service = host.use(request.ModelIdentity)
      for await (const piece of service.transcribeStream(await toInput(request), toCall(context))) {
        yield 'delta' in piece ? { delta: piece.delta } : { finalResult: toResult(piece.transcript) }
      }
    },
    audioTranscriptionLive: async function* (requests, context) {
      for await (const output of host.use('').transcribeLive(toLiveInputs(requests), toCall(context))) {
        yield toLiveResponse(output)
      }
    },
  }
}

async function toInput(request: TranscriptRequest) {
  const { dst, language, prompt, temperature, translate, diarize, timestampGranularities: granularities } = request
  // `dst` is the path of the input.
  return { file: await readInput(dst), language, prompt, temperature, translate, diarize, granularities }
}

function toResult({ text, language, duration, segments }: Transcript): PartialMessage<TranscriptResult> {
  return {
    text,
    language,
    duration,
    segments: segments.map(({ words, tokens, ...segment }) => ({
      ...segment,
      tokens: [...tokens],
      words: words.map((word) => ({ ...word })),
    })),
  }
}

async function* toLiveInputs(requests: AsyncIterable<TranscriptLiveRequest>): AsyncGenerator<LiveInput> {
  for await (const { config, audio } of requests) {
    if (config !== undefined) yield { type: 'config', language: config.language, sampleRate: config.sampleRate }
    if (audio !== undefined) yield { type: 'audio', pcm: audio.pcm }
  }
}

function toLiveResponse(output: LiveOutput): PartialMessage<TranscriptLiveResponse> {
  switch (output.type) {
    case 'ready':
      return { ready: true }
    case 'delta':
      return { delta: output.text }
    case 'utterance-end':
      return { eou: true }
    case 'final':
      return { finalResult: { text: output.text } }
  }
}
