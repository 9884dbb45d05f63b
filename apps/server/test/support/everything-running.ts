import { eventually, readSse } from '@svc/test-kit'
import { expect } from 'vitest'
import { openResponseSocket } from './response-socket.ts'
import type { TestServer } from './server.ts'

type Headers = Readonly<Record<string, string>>

/** The script of a model that talks without end. */
export const TALKS = { rules: [{ rpc: 'PredictStream', do: { text: 'on ', repeat: 100_000, pieceDelayMs: 20 } }] }

const messages = [{ role: 'user', content: 'Hello there' }]

/** Streams of every format, by path. */
const STREAMS: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages, max_tokens: 1000 },
  '/v1/messages': { messages, max_tokens: 1000 },
  '/v1/responses': { input: 'Hello there' },
  '/api/chat': { messages },
}

/** Requests of one caller that are under way, on every transport. */
export interface EverythingRunning {
  /** Expects that each of them goes on. */
  expectGoingOn(): Promise<void>
  /** Expects that each of them ends, and says so. */
  expectEnded(): Promise<void>
  /** Whether the socket is closed; otherwise only its response has ended. */
  readonly socketClosed: Promise<number>
  /** Asks on the socket again. @returns the status of the refusal */
  askSocket(model: string): Promise<number>
  close(): Promise<void>
}

/** Opens streams of every format, a response on a WebSocket and one in the background, and waits until all have begun. */
export async function startEverything(
  server: Pick<TestServer, 'url' | 'call' | 'post'>,
  { model = 'm', headers, readers }: { readonly model?: string; readonly headers: Headers; readonly readers: Headers },
): Promise<EverythingRunning> {
  const streams = await Promise.all(
    Object.entries(STREAMS).map(async ([path, body]) => {
      const reply = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, stream: true, ...body }),
      })
      expect(reply.status, path).toBe(200)
      const pieces = path === '/api/chat' ? readLines(reply) : readSse(reply)
      await pieces.next()
      return { path, reply, pieces }
    }),
  )
  const socket = await openResponseSocket(server.url, { headers })
  socket.ask({ model })
  await eventually(() => expect(socket.heard.length).toBeGreaterThan(3))
  const id = await startBackground(server.url, { model, headers })
  const readBackground = async () => (await server.call(`/v1/responses/${id}`, { headers: readers })).json()
  await eventually(async () => expect(await readBackground()).toMatchObject({ status: 'in_progress' }))
  let read = 0
  return {
    socketClosed: socket.closed,
    async expectGoingOn() {
      for (const { path, pieces } of streams)
        for (let count = 0; count < 20; count += 1) expect((await pieces.next()).done, path).toBe(false)
      const heard = socket.heard.length
      await eventually(() => expect(socket.heard.length).toBeGreaterThan(heard + 5))
      expect(socket.heard.at(-1)).toMatchObject({ type: 'response.output_text.delta' })
      expect(await readBackground()).toMatchObject({ status: 'in_progress' })
    },
    async expectEnded() {
      for (const { path, pieces } of streams) {
        const seen: string[] = []
        for await (const piece of pieces) seen.push(JSON.stringify(piece))
        expect(seen.slice(-3).join(), path).toContain('access has ended')
      }
      await eventually(() => {
        if (socket.ws.readyState === socket.ws.OPEN)
          expect(socket.heard.at(-1)).toMatchObject({ type: 'response.failed' })
      })
      await eventually(async () => {
        expect(await readBackground()).toMatchObject({ status: 'failed', error: { message: 'access has ended' } })
      })
      read = socket.heard.length
    },
    async askSocket(other) {
      socket.ask({ model: other })
      await eventually(() => expect(socket.heard.length).toBeGreaterThan(read))
      const heard = socket.heard[read] as { readonly status?: number }
      read = socket.heard.length
      return heard.status ?? 200
    },
    async close() {
      socket.ws.terminate()
      for (const { reply } of streams) await reply.body?.cancel().catch(() => undefined)
      await server.post(`/v1/responses/${id}/cancel`, {}, readers)
    },
  }
}

/** Begins a response in the background, and leaves. @returns its id */
async function startBackground(url: string, { model, headers }: { readonly model: string; readonly headers: Headers }) {
  const reply = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, input: 'Hello there', stream: true, background: true }),
  })
  const events = readSse(reply)
  const { data = '' } = (await events.next()).value ?? {}
  await reply.body?.cancel().catch(() => undefined)
  await events.return?.().catch(() => undefined)
  return (JSON.parse(data) as { response: { id: string } }).response.id
}

async function* readLines(reply: Response): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  for await (const chunk of reply.body ?? []) yield decoder.decode(chunk, { stream: true })
}
