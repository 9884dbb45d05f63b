import { invalidRequest } from '../../errors.ts'
import type { Diarizer } from '../../speech-model.ts'
import type { EnginePool } from '../child/engine-pool.ts'
import { SPEECH_RATE } from '../whisper/windows.ts'
import { askSession } from './ask-session.ts'
import type { DiarizedResult } from './protocol.ts'

/** Longest audio of one call, in seconds: it is in memory as a whole. */
const MAX_SECONDS = 4 * 3600
const USUAL_THRESHOLD = 0.5

/** Creates the diarizer of a loaded model. It works on the whole audio. */
export function createDiarizer(pool: EnginePool): Diarizer {
  return {
    diarize: async (samples, { speakers, clusteringThreshold, minOnSeconds, minOffSeconds }, { signal }) => {
      // Calls that wait hold no audio: an hour of it takes 230 MB.
      const session = await pool.begin({ signal })
      try {
        const all = await collect(samples)
        const clustering = {
          numClusters: speakers > 0 ? speakers : -1,
          threshold: clusteringThreshold > 0 ? clusteringThreshold : USUAL_THRESHOLD,
        }
        const found = await askSession<DiarizedResult>(session, { kind: 'diarize', samples: all, clustering })
        return joinTurns(found, minOffSeconds).filter(({ start, end }) => end - start >= minOnSeconds)
      } finally {
        session.end()
      }
    },
  }
}

/** Joins turns of one speaker with a shorter pause between them. @param minOff length of that pause, in seconds */
export function joinTurns(turns: DiarizedResult, minOff: number): DiarizedResult {
  const joined: { start: number; end: number; speaker: number }[] = []
  for (const turn of turns.toSorted((left, right) => left.start - right.start)) {
    const last = joined.at(-1)
    if (last?.speaker === turn.speaker && turn.start - last.end < minOff) last.end = Math.max(last.end, turn.end)
    else joined.push({ ...turn })
  }
  return joined
}

async function collect(samples: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const pieces: Float32Array[] = []
  let length = 0
  for await (const piece of samples) {
    length += piece.length
    if (length > MAX_SECONDS * SPEECH_RATE) throw invalidRequest('the audio must have at most 4 hours', 'dst')
    pieces.push(piece)
  }
  const all = new Float32Array(length)
  let place = 0
  for (const piece of pieces) {
    all.set(piece, place)
    place += piece.length
  }
  return all
}
