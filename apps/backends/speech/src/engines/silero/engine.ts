import { stat } from 'node:fs/promises'
import path from 'node:path'
import { readInteger, readNumber } from '@svc/backend-kit/options'
import { badModel } from '../../errors.ts'
import { readOnnxHeader } from '../../onnx/read-onnx-header.ts'
import type { SpeechModel } from '../../speech-model.ts'
import { type EnginePool, openEnginePool } from '../child/engine-pool.ts'
import { findProgramFile } from '../child/program-file.ts'
import type { Engine } from '../engine.ts'
import { findSpeech, type SpeechRules } from './find-speech.ts'
import { type SileroCall, type SileroLoad, type SileroResult, WINDOW } from './protocol.ts'

const LOAD_TIMEOUT_MS = 60_000
/** The files have about 2 MB. */
const MAX_FILE_BYTES = 64 * 1024 * 1024
const SAMPLE_RATE = 16_000
const INPUTS = { v5: ['input', 'state', 'sr'], v4: ['input', 'sr', 'h', 'c'] } as const

/** Finds speech by a graph of Silero's voice activity detection, versions 4 and 5, over ONNX Runtime. */
export const sileroEngine: Engine = {
  options: ['threshold', 'min_speech_ms', 'min_silence_ms', 'padding_ms'],
  recognizes: async (place) => {
    if (!place.endsWith('.onnx')) return false
    return await checkSileroFile(place).then(
      () => true,
      () => false,
    )
  },
  load: async (settings, { signal }): Promise<SpeechModel> => {
    const { path: file, threads, parallel, maxWaiting, memoryLimit, options } = settings
    const rules = readRules(options)
    await checkSileroFile(file)
    const load: SileroLoad = { file, threads }
    const pool = await openEnginePool({
      program: {
        file: findProgramFile('silero/silero-process.mjs'),
        settings: load,
        memoryLimit,
        loadTimeoutMs: LOAD_TIMEOUT_MS,
      },
      parallel,
      maxWaiting,
      spare: false,
      signal,
    })
    return {
      engine: 'silero',
      parallel,
      get busy() {
        return pool.busy
      },
      get memoryBytes() {
        return pool.memoryBytes
      },
      speechDetector: {
        detect: async (samples, call) => {
          if (samples.length === 0) return []
          const probabilities = await listen(pool, { samples }, call.signal)
          return findSpeech(probabilities, WINDOW / SAMPLE_RATE, rules)
        },
      },
      close: pool.close,
    }
  },
}

function readRules(options: ReadonlyMap<string, string>): SpeechRules {
  const seconds = (name: string, otherwise: number): number =>
    readInteger(options, [name], { min: 0, max: 60_000, otherwise }) / 1000
  return {
    threshold: readNumber(options, ['threshold'], { min: 0.05, max: 0.99, otherwise: 0.5 }),
    minSpeech: seconds('min_speech_ms', 250),
    minSilence: seconds('min_silence_ms', 300),
    padding: seconds('padding_ms', 150),
  }
}

async function listen(pool: EnginePool, request: SileroCall, signal: AbortSignal): Promise<Float32Array> {
  const session = await pool.begin({ signal })
  try {
    const { value } = await session.call(request).next()
    // The other side is a file of this package: its answer matches the type.
    return (value as SileroResult).probabilities
  } finally {
    session.end()
  }
}

/** @throws SpeechError `unprocessable` for another file */
async function checkSileroFile(file: string): Promise<void> {
  const name = path.basename(file)
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() !== true) throw badModel(`${name}: there is no such file`)
  if (found.size > MAX_FILE_BYTES) throw badModel(`${name}: too large for a graph that finds speech`)
  const { inputs, outputs } = await readOnnxHeader(file)
  const isKnown = Object.values(INPUTS).some((names) => names.every((each) => inputs.includes(each)))
  if (!isKnown || !outputs.includes('output')) {
    throw badModel(`${name}: not a graph of Silero's voice activity detection, version 4 or 5`)
  }
}
