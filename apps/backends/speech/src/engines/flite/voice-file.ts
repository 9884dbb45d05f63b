import { open } from 'node:fs/promises'
import path from 'node:path'
import { badModel } from '../../errors.ts'
import type { Voice } from '../../speech-model.ts'

/** The voices inside of the engine. Voice `kal` has 8,000 samples a second, the others 16,000. */
export const FLITE_VOICES = ['slt', 'kal16', 'rms', 'awb', 'kal'].map((name): Voice => ({ name, language: 'en' }))

const MAX_BYTES = 4096

/** Whether a file names this engine: a small JSON file such as `{"engine": "flite", "voice": "slt"}`. */
export async function isVoiceFile(file: string): Promise<boolean> {
  return (await readHead(file))?.engine === 'flite'
}

/**
 * Reads the default voice that a file names; `slt` where it names none.
 *
 * @throws SpeechError `unprocessable` for another file, and for a voice that the engine does not have
 */
export async function readDefaultVoice(file: string): Promise<Voice> {
  const name = path.basename(file)
  const told = await readHead(file)
  if (told?.engine !== 'flite') throw badModel(`${name}: must be JSON such as {"engine": "flite", "voice": "slt"}`)
  const voice = FLITE_VOICES.find((candidate) => candidate.name === (told.voice ?? 'slt'))
  if (voice !== undefined) return voice
  throw badModel(`${name}: "voice" must be one of ${FLITE_VOICES.map((candidate) => candidate.name).join(', ')}`)
}

/** Reads a small JSON object. */
async function readHead(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    await using handle = await open(file)
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(MAX_BYTES) })
    const value: unknown = JSON.parse(buffer.toString('utf8', 0, bytesRead))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
