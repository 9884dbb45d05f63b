import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { verifies } from '../spec/verifies.ts'
import { makeSilence, makeTone, openRealtime, type RealtimeEvent } from '../support/realtime-socket.ts'
import { addTalk } from '../support/realtime-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { expectNoTemporaryFiles } from '../support/sound.ts'

const KEY = 'stays'
const AUTH = { authorization: `Bearer ${KEY}` }
const TEXT = { output_modalities: ['text'] }
const BY_HAND = { audio: { input: { turn_detection: null } } }
const BY_VOICE = { audio: { input: { turn_detection: { type: 'server_vad', silence_duration_ms: 200 } } } }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ configFiles: { 'api_keys.json': `["${KEY}","goes"]` } })
  await addTalk(server)
  await addTalk(server, { name: 'lacking', isShared: true, pipeline: { llm: 'nobody' } })
  await server.model('wreck', { rules: [{ rpc: 'LoadModel', do: { refuse: 'no weights' } }] })
  await addTalk(server, { name: 'broken', isShared: true, pipeline: { llm: 'wreck' } })
})
afterAll(() => server.close())

const post = (path: string, body: unknown, headers: Record<string, string> = AUTH) => server.post(path, body, headers)

/** Opens a socket that gets no session, and gives its only event and its end. */
async function refused(model: string, headers: Record<string, string> = AUTH) {
  const ws = new WebSocket(`${server.url.replace('http', 'ws')}/v1/realtime?model=${model}`, { headers })
  const events: RealtimeEvent[] = []
  ws.on('message', (data) => events.push(JSON.parse(String(data)) as RealtimeEvent))
  const code = await new Promise<number>((resolve, reject) => {
    ws.once('error', reject)
    ws.once('close', resolve)
  })
  return { code, events }
}

describe('a session', () => {
  verifies(['realtime:route:socket', 'realtime:event:session-created'], 'begins with session.created', async () => {
    await using client = await openRealtime(server.url, { headers: AUTH })
    expect(client.heard).toHaveLength(1)
    expect(client.heard[0]).toMatchObject({
      type: 'session.created',
      session: {
        type: 'realtime',
        object: 'realtime.session',
        id: expect.stringMatching(/^sess_/),
        model: 'talk',
        output_modalities: ['audio'],
        tools: [],
        tool_choice: 'auto',
        max_output_tokens: 'inf',
        audio: {
          input: {
            format: { type: 'audio/pcm', rate: 24_000 },
            noise_reduction: null,
            turn_detection: { type: 'server_vad', threshold: 0.5, create_response: true, interrupt_response: true },
          },
          output: { format: { type: 'audio/pcm', rate: 24_000 }, speed: 1 },
        },
      },
    })
  })
  verifies('realtime:route:upgrade', 'is a WebSocket: without one it is 426', async () => {
    const reply = await server.call('/v1/realtime?model=talk', { headers: AUTH })
    expect([reply.status, reply.headers.upgrade]).toEqual([426, 'websocket'])
  })
  verifies('realtime:route:subprotocol', 'takes the key of a browser as a subprotocol', async () => {
    const protocols = ['realtime', `openai-insecure-api-key.${KEY}`, 'openai-beta.realtime-v1']
    await using client = await openRealtime(server.url, { protocols })
    expect(client.ws.protocol).toBe('realtime')
    const wrong = openRealtime(server.url, { protocols: ['realtime', 'openai-insecure-api-key.wrong'] })
    await expect(wrong).rejects.toThrow('401')
  })
  verifies('realtime:route:binary', 'takes sound in binary frames, cut anywhere', async () => {
    await using client = await openRealtime(server.url, { headers: AUTH, session: { ...TEXT, ...BY_HAND } })
    const sound = makeTone(500)
    for (let at = 0; at < sound.length; at += 997) client.ws.send(sound.subarray(at, at + 997))
    client.send({ type: 'input_audio_buffer.commit' })
    const { usage } = await client.next('conversation.item.input_audio_transcription.completed')
    expect(Reflect.get(Object(usage), 'seconds')).toBeCloseTo(0.5, 1)
  })
  verifies(['realtime:error:model', 'realtime:error:load'], 'does not begin without its models', async () => {
    for (const model of ['', 'nobody', 'mind']) {
      const { code, events } = await refused(model)
      expect(events).toMatchObject([{ type: 'error', error: { code: 'invalid_model', param: 'model' } }])
      expect(code).toBe(1008)
    }
    for (const model of ['lacking', 'broken'])
      expect((await refused(model)).events).toMatchObject([{ type: 'error', error: { code: 'model_load_error' } }])
  })
})

describe('a client secret', () => {
  const make = (body: object) => post('/v1/realtime/client_secrets', body)

  verifies('realtime:secret:create', 'opens sessions of its model with its fields, and nothing else', async () => {
    const reply = await make({ session: { type: 'realtime', model: 'talk', instructions: 'Be brief.' } })
    expect(reply.status).toBe(200)
    const { value } = reply.json() as { value: string }
    expect(value).toMatch(/^ek_/)
    const headers = { authorization: `Bearer ${value}` }
    await using client = await openRealtime(server.url, { headers })
    expect(client.heard[0]).toMatchObject({ session: { model: 'talk', instructions: 'Be brief.' } })
    const { events } = await refused('broken', headers).catch(() => ({ events: [] as RealtimeEvent[] }))
    expect(events.map(({ type }) => type)).not.toContain('session.created')
    const asked = [
      await post('/v1/chat/completions', { model: 'mind', messages: [] }, headers),
      await post('/v1/realtime/client_secrets', { session: { type: 'realtime', model: 'talk' } }, headers),
      await server.call('/v1/models', { headers }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([403, 403, 403])
  })
  verifies('realtime:secret:expiry', 'lives 10 seconds to 2 hours', async () => {
    const expiry = async (seconds?: number) => {
      const expires = seconds === undefined ? {} : { expires_after: { anchor: 'created_at', seconds } }
      const reply = await make({ ...expires, session: { type: 'realtime', model: 'talk' } })
      return [reply.status, Math.round(Number(Reflect.get(Object(reply.json()), 'expires_at')) - Date.now() / 1000)]
    }
    expect((await expiry(9))[0]).toBe(400)
    expect((await expiry(7201))[0]).toBe(400)
    const [status, seconds = 0] = await expiry()
    expect(status).toBe(200)
    expect(Math.abs(seconds - 600)).toBeLessThan(60)
  })
  verifies('realtime:secret:older-form', 'comes with a session in the older form', async () => {
    for (const [path, type] of [
      ['/v1/realtime/sessions', 'realtime'],
      ['/v1/realtime/transcription_sessions', 'transcription'],
    ] as const) {
      const reply = await post(path, { model: 'talk' })
      expect(reply.json()).toMatchObject({ type, client_secret: { value: expect.stringMatching(/^ek_/) } })
    }
  })
})

describe('a bound', () => {
  verifies('realtime:bound:sessions', 'of sessions refuses the next one until a place is free', async () => {
    await post('/api/settings', { realtime_max_sessions: 1 })
    try {
      const first = await openRealtime(server.url, { headers: AUTH })
      const { code, events } = await refused('talk')
      expect(events).toMatchObject([{ type: 'error', error: { code: 'too_many_sessions' } }])
      expect(code).toBe(1013)
      first.ws.terminate()
      await using _next = await eventually(() => openRealtime(server.url, { headers: AUTH }))
    } finally {
      await post('/api/settings', { realtime_max_sessions: 256 })
    }
  })
  verifies('realtime:bound:kept', 'of what is kept: nothing of the sound is left in a file', async () => {
    await using client = await openRealtime(server.url, { headers: AUTH, session: BY_VOICE })
    client.say(Buffer.concat([makeSilence(300), makeTone(600), makeSilence(800)]))
    await client.until('response.done')
    await expectNoTemporaryFiles(server)
    expect(listSound(server.folder)).toEqual([])
  })
  verifies(
    'realtime:bound:rights',
    'of rights: a key that is taken away ends the session at its next turn',
    async () => {
      await using client = await openRealtime(server.url, { headers: { authorization: 'Bearer goes' }, session: TEXT })
      await writeFile(join(server.configDir, 'api_keys.json'), `["${KEY}"]`)
      await eventually(async () => {
        if (client.ws.readyState === WebSocket.OPEN) client.send({ type: 'response.create' })
        expect(client.ws.readyState).not.toBe(WebSocket.OPEN)
      })
      expect(await client.closed).toEqual({ code: 1008, reason: 'access has ended' })
    },
  )
})

it('of the type transcription is asked for in the query too', async () => {
  const ws = new WebSocket(`${server.url.replace('http', 'ws')}/v1/realtime?model=talk&intent=transcription`, {
    headers: AUTH,
  })
  const first = await new Promise<RealtimeEvent>((resolve, reject) => {
    ws.once('error', reject)
    ws.once('message', (data) => resolve(JSON.parse(String(data)) as RealtimeEvent))
  })
  ws.terminate()
  expect(first).toMatchObject({ type: 'session.created', session: { type: 'transcription' } })
})

/** Lists files of a folder that are sound by their first bytes. */
function listSound(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).subarray(0, 4).toString('latin1') === 'RIFF')
}
