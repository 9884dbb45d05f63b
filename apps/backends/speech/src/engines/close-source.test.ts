import { describe, expect, it } from 'vitest'
import { makeTone } from '../../test/audio.ts'
import type { EnginePool } from './child/engine-pool.ts'
import { createDiarizer } from './sherpa/diarize.ts'
import { createTranscriber } from './sherpa/transcribe.ts'
import { transcribe } from './whisper/transcribe.ts'

const { signal } = new AbortController()
const REQUEST = { language: undefined, translate: false, prompt: '', temperature: 0, words: false }

/** A pool whose engine fails at the first call, or that takes no call at all. */
function createPool({ takesCalls }: { readonly takesCalls: boolean }): EnginePool {
  return {
    facts: { languages: ['en'] },
    busy: 0,
    parallel: 1,
    memoryBytes: 0,
    begin: async () => {
      if (!takesCalls) throw new Error('too many calls')
      return {
        signal,
        end: () => undefined,
        // biome-ignore lint/correctness/useYield: fails before its first piece
        call: async function* () {
          throw new Error('out of order')
        },
      }
    },
    close: async () => undefined,
  }
}

/** Audio of two minutes, which notes that it is read and that it is ended. */
function createSource() {
  const seen = { isRead: false, isEnded: false }
  const read = async function* () {
    seen.isRead = true
    try {
      for (let second = 0; second < 120; second++) yield makeTone(1)
    } finally {
      seen.isEnded = true
    }
  }
  return { seen, samples: read() }
}

const TRANSCRIBERS = {
  whisper: (pool: EnginePool, samples: AsyncIterable<Float32Array>) => {
    const model = { pool, facts: { languages: ['en'] }, threads: 1, audioContext: 0 }
    return transcribe(model, { samples, request: REQUEST }, { signal })
  },
  sherpa: (pool: EnginePool, samples: AsyncIterable<Float32Array>) =>
    createTranscriber(pool).transcribe(samples, REQUEST, { signal }),
}

describe.each(['whisper', 'sherpa'] as const)('a transcription by %s', (name) => {
  it('whose engine fails ends its audio, which may be an open file', async () => {
    const { seen, samples } = createSource()
    const heard = TRANSCRIBERS[name](createPool({ takesCalls: true }), samples)
    await expect(heard[Symbol.asyncIterator]().next()).rejects.toThrow('out of order')
    expect(seen).toEqual({ isRead: true, isEnded: true })
  })
})

it('a diarization that waits for its place holds no audio', async () => {
  const { seen, samples } = createSource()
  const wishes = { speakers: 0, clusteringThreshold: 0, minOnSeconds: 0, minOffSeconds: 0 }
  const found = createDiarizer(createPool({ takesCalls: false })).diarize(samples, wishes, { signal })
  await expect(found).rejects.toThrow('too many calls')
  expect(seen.isRead).toBe(false)
})
