// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest'
import { sendModelFile } from './send-file.ts'

afterEach(() => vi.unstubAllGlobals())

const PIECE = 4

/** A server that takes a file. @param fail its answer to a piece instead, by the number of the request */
function startServer(fail: (request: number) => Response | undefined = () => undefined) {
  const taken: string[] = []
  const calls: string[] = []
  const reply = (body: unknown) => Response.json(body)
  let pieces = 0
  vi.stubGlobal('fetch', async (input: Request | URL | string, init?: RequestInit) => {
    const { url, method } = input instanceof Request ? input : { url: String(input), method: init?.method ?? 'GET' }
    const { pathname, search } = new URL(url)
    calls.push(`${method} ${pathname}${search}`)
    if (method === 'POST' && pathname.endsWith('/uploads')) {
      return reply({ id: 'u1', name: 'mine', size_bytes: 10, received_bytes: 0, piece_bytes: PIECE })
    }
    if (method === 'PUT') {
      const failure = fail(pieces++)
      if (failure !== undefined) return failure
      if (init?.body instanceof Blob) taken.push(await init.body.text())
      return reply({})
    }
    if (method === 'DELETE') return reply({ success: true })
    if (pathname === '/healthz') return reply({})
    return reply({ name: 'mine', filename: 'mine.yaml', weights_file: 'mine.gguf', size_bytes: 10 })
  })
  return { taken, calls }
}

function sendFile(signal = new AbortController().signal) {
  const progress: number[] = []
  const file = new File(['GGUF456789'], 'mine.gguf')
  const sent = sendModelFile(file, { name: '', signal, onProgress: (bytes) => progress.push(bytes), pausesMs: [1, 1] })
  return { sent, progress }
}

test('a file goes piece by piece, then becomes a model', async () => {
  const { taken, calls } = startServer()
  const { sent, progress } = sendFile()
  expect(await sent).toBe('mine')
  expect(taken).toEqual(['GGUF', '4567', '89'])
  expect(progress).toEqual([4, 8, 10])
  expect(calls.at(-1)).toBe('POST /api/models/uploads/u1/finish')
})

test('a piece that gets no reply is sent again', async () => {
  const { taken } = startServer((request) => (request === 1 ? new Response('', { status: 503 }) : undefined))
  expect(await sendFile().sent).toBe('mine')
  expect(taken).toEqual(['GGUF', '4567', '89'])
})

test('a refusal ends it with the reason of the server, and tells the server', async () => {
  const refusal = Response.json({ error: 'mine.gguf is not a GGUF file' }, { status: 400 })
  const { calls } = startServer(() => refusal)
  await expect(sendFile().sent).rejects.toThrow('mine.gguf is not a GGUF file')
  expect(calls.at(-1)).toBe('DELETE /api/models/uploads/u1')
})

test('a server that stays away ends it after a few tries', async () => {
  const { calls } = startServer(() => new Response('', { status: 503 }))
  await expect(sendFile().sent).rejects.toMatchObject({ status: 503 })
  expect(calls.filter((call) => call.startsWith('PUT'))).toHaveLength(3)
})

test('somebody who gives up ends it at once, and the server drops it', async () => {
  const giveUp = new AbortController()
  const { calls } = startServer(() => {
    giveUp.abort()
    return new Response('', { status: 503 })
  })
  await expect(sendFile(giveUp.signal).sent).rejects.toMatchObject({ name: 'AbortError' })
  expect(calls.at(-1)).toBe('DELETE /api/models/uploads/u1')
})
