// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest'
import { sendModelFile } from './send-file.ts'

afterEach(() => vi.unstubAllGlobals())

const PIECE = 4

/**
 * A server that takes a file.
 *
 * @param fail its answer to a piece instead, by the number of the request
 * @param failFinish its answer to the end instead
 */
function startServer(
  fail: (request: number) => Response | undefined = () => undefined,
  failFinish: (request: number) => Response | undefined = () => undefined,
) {
  const taken: string[] = []
  const calls: string[] = []
  const reply = (body: unknown) => Response.json(body)
  let [pieces, finishes] = [0, 0]
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
    const failure = failFinish(finishes++)
    if (failure !== undefined) return failure
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

const failures =
  (...statuses: readonly number[]) =>
  (request: number) => {
    const status = statuses[request]
    return status === undefined ? undefined : Response.json({ error: `failed with ${status}` }, { status })
  }

test('an end that gets no reply is asked for again', async () => {
  const { calls } = startServer(undefined, failures(503, 504))
  expect(await sendFile().sent).toBe('mine')
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([])
})

test.each([
  ['that gets no reply again and again', [503, 503, 504], 504],
  ['whose upload is gone after a reply that was lost', [502, 404], 502],
])('an end %s leaves the upload to the server', async (_, statuses, status) => {
  const { calls } = startServer(undefined, failures(...statuses))
  await expect(sendFile().sent).rejects.toMatchObject({ status })
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([])
})

test('an end that is refused drops the upload', async () => {
  const { calls } = startServer(undefined, failures(409))
  await expect(sendFile().sent).rejects.toThrow('failed with 409')
  expect(calls.at(-1)).toBe('DELETE /api/models/uploads/u1')
})
