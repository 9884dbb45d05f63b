import type { OperationRunner } from '../operation-runner.ts'
import type { SpeakerTurn } from './audio-operations.ts'
import { countWhenLeft } from './count-use.ts'
import { readSoundSeconds } from './sound-facts.ts'
import { roundSeconds, toSeconds } from './transcript.ts'

/** Tells the speakers of a recording apart. */
export const runDiarize: OperationRunner<'diarize'> = async (request, context) => {
  const { client, model, signal, onMedia } = context
  const seconds = await readSoundSeconds(request.path)
  const given = await countWhenLeft(context, seconds === undefined ? undefined : { seconds }, () =>
    client.diarize(
      {
        dst: request.path,
        threads: model.threads ?? 0,
        language: request.language ?? '',
        numSpeakers: request.speakers,
        minSpeakers: request.minSpeakers,
        maxSpeakers: request.maxSpeakers,
        clusteringThreshold: request.clusteringThreshold,
        minDurationOn: request.minSecondsOn,
        minDurationOff: request.minSecondsOff,
        includeText: request.includesText,
        ModelIdentity: model.parameters.model ?? '',
      },
      { signal },
    ),
  )
  const turns = given.segments.map(({ start, end, speaker, text }): SpeakerTurn => {
    const from = roundSeconds(toSeconds(start))
    return { start: from, end: Math.max(from, roundSeconds(toSeconds(end))), label: speaker, text }
  })
  const duration =
    roundSeconds(toSeconds(given.duration)) || Math.max(0, ...turns.slice(-1).map(({ end }) => end)) || (seconds ?? 0)
  onMedia?.({ seconds: duration })
  return { promptTokens: 0, turns, speakers: Math.max(0, given.numSpeakers), duration, language: given.language }
}
