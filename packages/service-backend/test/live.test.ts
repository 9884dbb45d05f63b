import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createWayOut } from '@svc/http-client'
import { createTestCa, listenOnFreePort, startForwardProxy, type TestCa } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { startWorld } from './world.ts'

interface RealtimeServer extends AsyncDisposable {
  readonly origin: string
  readonly upgrades: IncomingMessage[]
  readonly said: Record<string, unknown>[]
}

/** An instance with a realtime route that sends the transcript of a test. */
async function startRealtime(
  answer: (said: Record<string, unknown>, socket: WebSocket) => void,
  { refuse, ca }: { readonly refuse?: number; readonly ca?: TestCa } = {},
): Promise<RealtimeServer> {
  const server: Server = ca === undefined ? createServer() : createSecureServer(ca.issue(['127.0.0.1', 'talk.example']))
  const sockets = new WebSocketServer({ noServer: true })
  const upgrades: IncomingMessage[] = []
  const said: Record<string, unknown>[] = []
  server.on('upgrade', (request, socket, head) => {
    upgrades.push(request)
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (data) => {
        const event = JSON.parse(String(data)) as Record<string, unknown>
        said.push(event)
        answer(event, opened)
      })
    })
  })
  const port = await listenOnFreePort(server)
  return {
    origin: `${ca === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    upgrades,
    said,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const EVENT = 'conversation.item.input_audio_transcription'

describe('AudioTranscriptionLive', () => {
  // verifies proxy:realtime:pipeline
  it('writes down over the realtime route of the pipeline', async () => {
    await using realtime = await startRealtime(({ type }, socket) => {
      if (type !== 'input_audio_buffer.append') return
      socket.send(JSON.stringify({ type: `${EVENT}.delta`, item_id: 'i', delta: 'hel' }))
      socket.send(JSON.stringify({ type: `${EVENT}.delta`, item_id: 'i', delta: 'lo' }))
      socket.send(JSON.stringify({ type: `${EVENT}.completed`, item_id: 'i', transcript: 'hello' }))
    })
    const proxy = { upstreamUrl: realtime.origin, apiKeyEnv: 'KEY' }
    await using world = await startWorld(proxy, { Options: ['realtime_pipeline:talk'] })
    await using call = world.client.audioTranscriptionLive()
    const replies = call[Symbol.asyncIterator]()
    await call.write({ config: { language: 'en', sampleRate: 8000 } })
    expect((await replies.next()).value).toMatchObject({ ready: true })
    await call.write({ audio: { pcm: [0, 1] } })
    expect((await replies.next()).value).toMatchObject({ delta: 'hel' })
    expect((await replies.next()).value).toMatchObject({ delta: 'lo' })
    expect((await replies.next()).value).toMatchObject({ eou: true })
    expect(realtime.upgrades[0]?.url).toBe('/v1/realtime?model=talk&intent=transcription')
    expect(realtime.upgrades[0]?.headers.authorization).toBe('Bearer sk-secret')
    expect(realtime.said[1]).toEqual({ type: 'input_audio_buffer.append', audio: 'AAD/fw==' })
    call.cancel()
  })

  it('trusts the authorities that the proxy is told, and no others', async () => {
    const ca = createTestCa()
    await using realtime = await startRealtime(() => {}, { ca })
    const ask = async (trusted: string | undefined) => {
      const options = { Options: ['realtime_pipeline:talk'] }
      await using world = await startWorld({ upstreamUrl: realtime.origin }, options, trusted)
      await using call = world.client.audioTranscriptionLive()
      await call.write({ config: {} })
      return (await call[Symbol.asyncIterator]().next()).value
    }
    expect(await ask(ca.cert)).toMatchObject({ ready: true })
    for (const trusted of [undefined, createTestCa().cert]) {
      await expect(ask(trusted)).rejects.toMatchObject({ kind: 'unavailable' })
    }
    expect(realtime.upgrades).toHaveLength(1)
  })

  // verifies service:way-out:proxies, service:way-out:this-machine
  it.each([
    ['ws', 'through the proxy', '93.184.216.34'],
    ['wss', 'through the proxy', '93.184.216.34'],
    ['ws', 'past it where the name leads to this machine', '127.0.0.1'],
    ['wss', 'past it where the name leads to this machine', '127.0.0.1'],
  ])('goes over %s %s', async (scheme, _how, address) => {
    const ca = createTestCa()
    await using realtime = await startRealtime(() => {}, scheme === 'wss' ? { ca } : {})
    await using proxy = await startForwardProxy()
    const wayOut = createWayOut(() => ({ http: proxy.url, https: proxy.url }), {
      lookup: (_host, _options, callback) => callback(null, [{ address, family: 4 }]),
    })
    const upstreamUrl = realtime.origin.replace('127.0.0.1', 'talk.example')
    const options = { Options: ['realtime_pipeline:talk'] }
    await using world = await startWorld({ upstreamUrl, apiKeyEnv: 'KEY' }, options, ca.cert, wayOut)
    await using call = world.client.audioTranscriptionLive()
    await call.write({ config: {} })
    expect((await call[Symbol.asyncIterator]().next()).value).toMatchObject({ ready: true })
    const { host } = new URL(upstreamUrl)
    const tunnel = { method: 'CONNECT', target: host, authorization: undefined }
    expect(proxy.requests).toEqual(address === '127.0.0.1' ? [] : [tunnel])
    expect(realtime.upgrades[0]?.headers).toMatchObject({ host, authorization: 'Bearer sk-secret' })
  })

  it('without a pipeline is not implemented', async () => {
    await using world = await startWorld()
    await using call = world.client.audioTranscriptionLive()
    await call.write({ config: {} })
    await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'not_implemented' })
  })

  it('takes its settings once', async () => {
    await using realtime = await startRealtime(() => {})
    await using world = await startWorld({ upstreamUrl: realtime.origin }, { Options: ['realtime_pipeline:talk'] })
    await using call = world.client.audioTranscriptionLive()
    const replies = call[Symbol.asyncIterator]()
    await call.write({ config: {} })
    expect((await replies.next()).value).toMatchObject({ ready: true })
    await call.write({ config: {} })
    await expect(replies.next()).rejects.toMatchObject({ kind: 'invalid_request', code: 'invalid_live_input' })
  })

  it.each([301, 401, 404, 503])('is unavailable where the instance answers %i', async (status) => {
    await using realtime = await startRealtime(() => {}, { refuse: status })
    await using world = await startWorld({ upstreamUrl: realtime.origin }, { Options: ['realtime_pipeline:talk'] })
    await using call = world.client.audioTranscriptionLive()
    await call.write({ config: {} })
    await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      kind: 'unavailable',
      message: `the upstream answered with status ${status}`,
    })
    expect(realtime.upgrades).toHaveLength(1)
  })

  it('is unavailable when the instance leaves in the middle', async () => {
    await using realtime = await startRealtime(({ type }, socket) => {
      if (type === 'input_audio_buffer.append') socket.terminate()
    })
    await using world = await startWorld({ upstreamUrl: realtime.origin }, { Options: ['realtime_pipeline:talk'] })
    await using call = world.client.audioTranscriptionLive()
    const replies = call[Symbol.asyncIterator]()
    await call.write({ config: {} })
    await replies.next()
    await call.write({ audio: { pcm: [0] } })
    await expect(replies.next()).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('reads thousands of messages in order', async () => {
    await using realtime = await startRealtime(({ type }, socket) => {
      if (type !== 'input_audio_buffer.append') return
      for (let index = 0; index < 3000; index += 1) {
        socket.send(JSON.stringify({ type: `${EVENT}.delta`, item_id: 'i', delta: `${index} ` }))
      }
    })
    await using world = await startWorld({ upstreamUrl: realtime.origin }, { Options: ['realtime_pipeline:talk'] })
    await using call = world.client.audioTranscriptionLive()
    const replies = call[Symbol.asyncIterator]()
    await call.write({ config: {} })
    await replies.next()
    await call.write({ audio: { pcm: [0] } })
    for (let index = 0; index < 3000; index += 1) expect((await replies.next()).value.delta).toBe(`${index} `)
    call.cancel()
  })
})
