import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { PrivateFiles } from '../../files/private-files.ts'
import type { TranscribeRequest, TranscribeResult } from '../../inference/operations/audio/audio-operations.ts'
import { HEARD_RATE, type HeardPart, type StageCall } from '../ports.ts'
import type { PartAsker } from './ask-part.ts'
import type { HandOver } from './hand-over.ts'
import { withSoundFile } from './sound-files.ts'

/** What is known beside the sound. */
export interface HearingOptions {
  readonly language?: string | undefined
  readonly prompt?: string | undefined
}

/** Writes down sound, given as a file to the model. */
export type Transcriber = (samples: Float32Array, options: HearingOptions, call: StageCall) => AsyncIterable<HeardPart>

/** Options of {@link createTranscriber}. */
export interface TranscriberOptions {
  readonly asker: PartAsker
  readonly files: Pick<PrivateFiles, 'create'>
  readonly findModel: () => ModelConfig
  /** Whether the text is asked for while it is made (`pipeline.streaming.transcription`). */
  readonly streams: boolean
}

/** Creates the stage. A model that cannot stream is asked for whole texts from then on. */
export function createTranscriber({ asker, files, findModel, streams }: TranscriberOptions): Transcriber {
  let canStream = streams
  return (samples, options, call) =>
    withSoundFile(files, samples, async function* (path) {
      const ask = (stream: boolean): AsyncIterable<HeardPart> => {
        const request = toRequest(path, options, stream)
        const seconds = samples.length / HEARD_RATE
        const read = (result: TranscribeResult, give: HandOver<HeardPart>): Promise<void> =>
          giveParts(result, seconds, give)
        return asker.follow<'transcribe', HeardPart>(request, { model: findModel(), usecase: 'transcript', read }, call)
      }
      if (!canStream) return yield* ask(false)
      try {
        yield* ask(true)
      } catch (error) {
        if (!SvcError.is(error) || error.code !== 'no_transcription_stream') throw error
        canStream = false
        yield* ask(false)
      }
    })
}

function toRequest(path: string, { language, prompt }: HearingOptions, stream: boolean): TranscribeRequest {
  return {
    kind: 'transcribe',
    path,
    language: language || undefined,
    prompt: prompt || undefined,
    translates: false,
    diarizes: false,
    granularities: [],
    stream,
  }
}

async function giveParts(
  { live, transcript }: TranscribeResult,
  seconds: number,
  give: HandOver<HeardPart>,
): Promise<void> {
  for await (const part of live ?? []) {
    if (part.type === 'delta') await give(part)
    else await give({ type: 'done', text: part.transcript.text.trim(), seconds: part.transcript.duration || seconds })
  }
  if (transcript === undefined) return
  const text = transcript.text.trim()
  if (text !== '') await give({ type: 'delta', text })
  await give({ type: 'done', text, seconds: transcript.duration || seconds })
}
