import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toWav } from './sound.ts'

/** A recogniser of Debian that judges what was said. */
export const RECOGNISER = 'pocketsphinx_continuous'
/** Samples a second of the sound that {@link understand} takes. */
export const JUDGE_RATE = 16_000

/** Whether {@link understand} can run here. */
export const CAN_UNDERSTAND = spawnSync(RECOGNISER, []).error === undefined

/** Speaks a text with the voice that comes with the server, as 16-bit samples, 24,000 a second. */
export async function speakDemoVoice(
  url: string,
  input: string,
  headers: Record<string, string> = {},
): Promise<Buffer> {
  const body = { model: 'demo-voice', input, response_format: 'pcm', sample_rate: 24_000 }
  const reply = await fetch(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
  return Buffer.from(await reply.arrayBuffer())
}

/** Writes down speech, 16-bit samples at {@link JUDGE_RATE}, with a recogniser that nobody here wrote. */
export async function understand(folder: string, pcm: Buffer): Promise<string> {
  const wav = join(folder, `heard-${process.hrtime.bigint()}.wav`)
  await writeFile(wav, toWav(pcm, JUDGE_RATE))
  const { stdout } = await promisify(execFile)(RECOGNISER, ['-infile', wav, '-logfn', '/dev/null'])
  return stdout
}

/** Gives the words of a text in lower case. */
function toWords(text: string): string[] {
  return text.toLowerCase().match(/[a-z']+/g) ?? []
}

/** Share of the words that were not understood: changed, left out or added. */
export function measureWordErrors(said: string, heard: string): number {
  const [from, to] = [toWords(said), toWords(heard)]
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, word] of from.entries()) {
    const next = [index + 1]
    for (const [column, other] of to.entries()) {
      const kept = (row[column] ?? 0) + (word === other ? 0 : 1)
      next.push(Math.min(kept, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return (row.at(-1) ?? 0) / Math.max(1, from.length)
}
