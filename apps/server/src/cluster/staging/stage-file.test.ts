import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createHttpUpstream } from '@svc/http-client'
import { createFakeClock, startHttpServer, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { type StagedFile, type StageOptions, stageFile } from './stage-file.ts'

const TOKEN = 'secret'
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A file server of a worker, which keeps one file in memory. */
function createWorkerFiles() {
  const state = { bytes: Buffer.alloc(0), target: '', isWhole: false, puts: [] as string[], failures: [] as number[] }
  const handler = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void reply.writeHead(401).end()
    if (request.method === 'HEAD') {
      if (state.bytes.length === 0 && !state.isWhole) return void reply.writeHead(404).end()
      const hash = state.isWhole ? 'X-Content-SHA256' : 'X-Target-SHA256'
      const head = { 'X-File-Size': state.bytes.length, 'X-Local-Path': '/w/f', [hash]: state.target }
      return void reply.writeHead(200, head).end()
    }
    const body = await readBody(request)
    const range = request.headers['content-range'] ?? ''
    state.puts.push(range)
    const failure = state.failures.shift()
    if (failure !== undefined) return void reply.writeHead(failure).end()
    const [start = 0, , total = 0] = [...range.matchAll(/\d+/g)].map(Number)
    const target = String(request.headers['x-content-sha256'])
    if (state.bytes.length > 0 && state.target !== target) {
      state.bytes = Buffer.alloc(0)
      return void reply.writeHead(409).end()
    }
    if (start !== state.bytes.length) return void reply.writeHead(416).end()
    Object.assign(state, { bytes: Buffer.concat([state.bytes, body]), target })
    if (state.bytes.length < total)
      return void reply.writeHead(308, { Range: `bytes=0-${state.bytes.length - 1}` }).end()
    if (sha256(state.bytes) !== target) {
      state.bytes = Buffer.alloc(0)
      return void reply.writeHead(400).end()
    }
    state.isWhole = true
    reply.writeHead(200).end(JSON.stringify({ local_path: '/w/f' }))
  }
  return { state, handler: ((request, reply) => void handler(request, reply)) satisfies RequestListener }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

describe('the staging of a file', async () => {
  const client = createHttpUpstream()
  const dir = await tempDir('svc-t-')
  afterAll(async () => {
    await client.close()
    await dir.close()
  })
  const content = Buffer.alloc(20 * 1024 * 1024, 'weights ')
  const path = join(dir.path, 'f')
  await writeFile(path, content)
  const file: StagedFile = { path, sizeBytes: content.length, sha256: sha256(content), key: 'models/m#0/f 1.gguf' }

  async function stage(worker: ReturnType<typeof createWorkerFiles>, change: Partial<StageOptions & StagedFile> = {}) {
    await using server = await startHttpServer(worker.handler)
    const seen: number[] = []
    const options: StageOptions = {
      client,
      address: `127.0.0.1:${server.port}`,
      token: TOKEN,
      budgetMs: 60_000,
      onProgress: (bytes) => void seen.push(bytes),
      clock: { ...systemClock, sleep: async () => undefined },
      signal: new AbortController().signal,
      ...change,
    }
    return { path: await stageFile({ ...file, ...change }, options), seen }
  }

  it('sends pieces, and nothing to a worker that has it', async () => {
    const worker = createWorkerFiles()
    const { path: there, seen } = await stage(worker)
    expect(there).toBe('/w/f')
    expect(worker.state.bytes.equals(content)).toBe(true)
    expect(seen).toEqual([8, 16, 20].map((mib) => mib * 1024 * 1024))
    expect((await stage(worker)).seen).toEqual([content.length])
    expect(worker.state.puts).toHaveLength(3)
  })

  it('goes on where it was, after failures of the worker', async () => {
    const worker = createWorkerFiles()
    Object.assign(worker.state, { bytes: content.subarray(0, 1000), target: file.sha256, failures: [503, 503] })
    await stage(worker)
    expect(worker.state.bytes.equals(content)).toBe(true)
    expect(worker.state.puts.every((range) => !range.startsWith('bytes 0-'))).toBe(true)
  })

  it('begins again where the worker has another file', async () => {
    const worker = createWorkerFiles()
    Object.assign(worker.state, { bytes: Buffer.from('other'), target: 'f'.repeat(64) })
    await stage(worker)
    expect(worker.state.bytes.equals(content)).toBe(true)
  })

  it('sends an empty file', async () => {
    const empty = join(dir.path, 'empty')
    await writeFile(empty, '')
    const worker = createWorkerFiles()
    await stage(worker, { path: empty, sizeBytes: 0, sha256: sha256(Buffer.alloc(0)) })
    expect(worker.state.puts).toEqual([''])
  })

  it('ends with the cause: a token, other bytes, a full disk, a worker that stays away, an abort', async () => {
    const failing = { kind: 'unavailable', code: 'staging_failed' }
    const refused = (cause: string) => ({ ...failing, message: expect.stringContaining(cause) as string })
    await expect(stage(createWorkerFiles(), { token: 'x' })).rejects.toMatchObject(refused('registration token'))
    await expect(stage(createWorkerFiles(), { sha256: '0'.repeat(64) })).rejects.toMatchObject(refused('other bytes'))
    await expect(stage(createWorkerFiles(), { path: join(dir.path, 'gone') })).rejects.toMatchObject(refused('read'))
    const full = createWorkerFiles()
    full.state.failures.push(507)
    await expect(stage(full)).rejects.toMatchObject(refused('disk'))
    const away = createWorkerFiles()
    away.state.failures.push(...Array.from({ length: 50 }, () => 503))
    const clock = createFakeClock()
    const passing = { ...clock, sleep: async (ms: number) => clock.advance(ms) }
    await expect(stage(away, { clock: passing })).rejects.toMatchObject(refused('did not take it'))
    const left = AbortSignal.abort(new Error('left'))
    await expect(stage(createWorkerFiles(), { signal: left })).rejects.toThrow('left')
  })
})
