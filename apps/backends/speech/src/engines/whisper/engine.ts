import { open, stat } from 'node:fs/promises'
import path from 'node:path'
import { readInteger, readSwitch } from '@svc/backend-kit/options'
import { badModel } from '../../errors.ts'
import type { SpeechModel } from '../../speech-model.ts'
import { openEnginePool } from '../child/engine-pool.ts'
import { findProgramFile } from '../child/program-file.ts'
import type { Engine, LoadSettings } from '../engine.ts'
import { checkWhisperFile } from './check-file.ts'
import type { WhisperFacts, WhisperLoad } from './protocol.ts'
import { transcribe } from './transcribe.ts'

const MB = 1024 * 1024
/** First bytes of a ggml file. */
const MAGIC = 0x67676d6c
/** A larger file has no spare process, unless the option asks for it. */
const SPARE_LIMIT = 1024 * MB
/** Time of a load, and bytes a second of the slowest disk. */
const LOAD_TIMEOUT_MS = 60_000
const SLOWEST_READ = 20 * MB

/** Runs ggml files of Whisper over `@napi-rs/whisper`. */
export const whisperEngine: Engine = {
  options: ['spare', 'audio_ctx'],
  recognizes: async (place) => {
    const file = await open(place).catch(() => undefined)
    if (file === undefined) return false
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
      return bytesRead === 4 && buffer.readUInt32LE() === MAGIC
    } catch {
      // a folder
      return false
    } finally {
      await file.close()
    }
  },
  load: async (settings, { signal }): Promise<SpeechModel> => {
    const { path: file, parallel, maxWaiting, options } = settings
    const audioContext = readInteger(options, ['audio_ctx'], { min: 0, max: 1500, otherwise: 0 })
    const found = await stat(file).catch(() => undefined)
    if (found?.isFile() !== true) throw badModel(`${path.basename(file)}: there is no such file`)
    const { size } = found
    await checkWhisperFile(file, { signal })
    const load: WhisperLoad = { file }
    const pool = await openEnginePool({
      program: {
        file: findProgramFile('whisper/whisper-process.mjs'),
        settings: load,
        memoryLimit: findMemoryLimit(settings, size),
        loadTimeoutMs: LOAD_TIMEOUT_MS + Math.ceil((size / SLOWEST_READ) * 1000),
      },
      parallel,
      maxWaiting,
      spare: findSpare(settings, size),
      signal,
    })
    // The other side is a file of this package: its facts match the type.
    const model = { pool, facts: pool.facts as WhisperFacts, threads: settings.threads, audioContext }
    return {
      engine: 'whisper',
      parallel,
      get busy() {
        return pool.busy
      },
      get memoryBytes() {
        return pool.memoryBytes
      },
      transcriber: { transcribe: (samples, request, call) => transcribe(model, { samples, request }, call) },
      close: pool.close,
    }
  },
}

/** The limit of the model file, or else one that fits to the size of the weights. */
function findMemoryLimit({ memoryLimit, options }: LoadSettings, size: number): number {
  return options.has('memory_limit_mb') ? memoryLimit : Math.max(memoryLimit, 2 * size + 1024 * MB)
}

function findSpare({ options }: LoadSettings, size: number): boolean {
  const wanted = readSwitch(options.get('spare') ?? 'auto', 'option spare')
  return wanted === 'auto' ? size <= SPARE_LIMIT : wanted
}
