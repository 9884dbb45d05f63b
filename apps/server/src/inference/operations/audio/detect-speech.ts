import type { OperationRunner } from '../operation-runner.ts'
import { countWhenLeft } from './count-use.ts'
import { roundSeconds, toSeconds } from './transcript.ts'

/** Samples a second of the sound in which speech is searched. */
const SPEECH_RATE = 16_000

/** Finds speech. A part that is still open, which backends give an end of 0, ends with the samples. */
export const runDetectSpeech: OperationRunner<'detect-speech'> = async ({ samples }, context) => {
  const { client, model, signal, onMedia } = context
  const seconds = samples.length / SPEECH_RATE
  // The samples may be many: the message reads them and does not change them.
  const audio = samples as number[]
  const { segments } = await countWhenLeft(context, { seconds }, () =>
    client.vad({ audio, ModelIdentity: model.parameters.model ?? '' }, { signal }),
  )
  onMedia?.({ seconds })
  return {
    promptTokens: 0,
    segments: segments.map(({ start, end }) => {
      const from = roundSeconds(toSeconds(start))
      return { start: from, end: Math.max(from, roundSeconds(toSeconds(end) || seconds)) }
    }),
  }
}
