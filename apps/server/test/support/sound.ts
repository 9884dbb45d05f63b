import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { expect } from 'vitest'
import type { TestServer } from './server.ts'
import type { RawReply } from './test-app.ts'

/** Makes a WAV file of one channel with 16,000 samples a second. */
export function makeWav(seconds: number, rate = 16_000): Buffer {
  const samples = Buffer.alloc(Math.round(seconds * rate) * 2)
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(Math.round(9000 * Math.sin(at / 20)), at)
  return toWav(samples, rate)
}

/** Puts 16-bit samples of one channel into a WAV file. */
export function toWav(samples: Buffer, rate: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/** A field of a form: a text, or a file. */
export type FormField = readonly [name: string, value: string | { readonly name: string; readonly bytes: Uint8Array }]

/** Writes a form as clients send it. */
export function encodeForm(fields: readonly FormField[]): {
  readonly headers: Record<string, string>
  readonly body: Buffer
} {
  const boundary = 'svc-test-boundary'
  const parts = fields.map(([name, value]) => {
    const isText = typeof value === 'string'
    const file = isText ? '' : `; filename="${value.name}"\r\nContent-Type: application/octet-stream`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), Buffer.from(isText ? value : value.bytes), Buffer.from('\r\n')])
  })
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** Sends a form with a recording, whose fields come in this order. */
export function sendForm(
  server: TestServer,
  path: string,
  fields: readonly FormField[],
  headers: Record<string, string> = {},
): Promise<RawReply> {
  const form = encodeForm(fields)
  return server.call(path, { method: 'POST', body: form.body, headers: { ...form.headers, ...headers } })
}

/** Lists the temporary files of requests and of backends. */
async function listTemporaryFiles(server: TestServer): Promise<readonly string[]> {
  const data = join(server.folder, 'data')
  const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
  const drafts = (await list(join(data, 'generated'))).filter((name) => name.startsWith('.drafts'))
  const folders = [join(data, 'tmp', 'forms'), ...drafts.map((name) => join(data, 'generated', name))]
  return (await Promise.all(folders.map(list))).flat()
}

/** Waits until no temporary file is left. */
export function expectNoTemporaryFiles(server: TestServer): Promise<void> {
  return eventually(async () => expect(await listTemporaryFiles(server)).toEqual([]))
}
