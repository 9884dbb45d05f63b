import { eventually } from '@svc/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startCallsWorld } from '../../../test/support/calls-world.ts'
import { encodeForm } from '../../../test/support/sound.ts'
import { createWebRtcClient, type WebRtcClient } from '../../../test/support/webrtc-client.ts'
import { loadMediaLibrary } from '../../realtime/calls/peer/library.ts'

const KEYS = ['key-one', 'key-two', 'ek_talk', 'ek_notes']
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('POST /v1/realtime/calls', () => {
  let world: Awaited<ReturnType<typeof startCallsWorld>>
  const clients: WebRtcClient[] = []
  beforeAll(async () => {
    world = await startCallsWorld({ keys: KEYS })
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    world.asked.length = 0
  })

  async function startClient(): Promise<WebRtcClient> {
    const client = await createWebRtcClient()
    clients.push(client)
    return client
  }
  const post = (path: string, type: string, body: string | Buffer, key = 'key-one') =>
    world.app.call(path, { method: 'POST', body, headers: { 'content-type': type, ...bearer(key) } })
  const postJson = (body: object, key?: string) =>
    post('/v1/realtime/calls', 'application/json', JSON.stringify(body), key)

  // verifies realtime:calls:forms, realtime:calls:hangup
  it('takes an offer as it is, and answers with one', async () => {
    const client = await startClient()
    const reply = await post('/realtime/calls?model=talk', 'application/sdp', client.offer)
    expect(reply.status).toBe(201)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/sdp',
      location: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/realtime\/calls\/rtc_[0-9a-f]{32}$/),
    })
    expect(world.asked).toMatchObject([{ model: 'talk', fields: undefined }])
    await client.connect(reply.text)
    client.send({ type: 'hello' })
    await eventually(() => expect(client.events).toHaveLength(2))
    const path = new URL(reply.headers.location ?? '').pathname
    const hangUp = (key: string) => post(`${path}/hangup`, 'application/json', '{}', key)
    expect((await hangUp('key-one')).status).toBe(200)
    expect((await hangUp('key-one')).status).toBe(404)
    await eventually(() => expect(world.sessions.at(-1)?.isClosed).toBe(true))
  })

  // verifies realtime:calls:forms
  it('takes the form of the official clients', async () => {
    const client = await startClient()
    const session = JSON.stringify({ type: 'realtime', model: 'talk', instructions: 'Be kind.' })
    const { headers, body } = encodeForm([
      ['sdp', client.offer],
      ['session', session],
    ])
    const reply = await post('/v1/realtime/calls', headers['content-type'] ?? '', body)
    expect(reply.status).toBe(201)
    expect(world.asked).toMatchObject([{ model: 'talk', fields: { type: 'realtime', instructions: 'Be kind.' } }])
  })

  it('takes JSON, and answers with the session', async () => {
    const client = await startClient()
    const reply = await postJson({ sdp: client.offer, model: 'talk', session: { voice: 'kal' } })
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual({
      sdp: expect.stringContaining('m=audio'),
      session_id: expect.stringMatching(/^sess_/),
    })
    expect(world.asked).toMatchObject([{ model: 'talk', fields: { voice: 'kal' } }])
  })

  // verifies realtime:calls:secret
  it('binds a client secret to its model and its session', async () => {
    const client = await startClient()
    expect((await postJson({ sdp: client.offer }, 'ek_talk')).status).toBe(200)
    expect(world.asked).toMatchObject([{ model: 'talk', fields: { instructions: 'Be short.' } }])
    const other = await postJson({ sdp: client.offer, model: 'other' }, 'ek_talk')
    expect(other.status).toBe(403)
    expect(other.json()).toMatchObject({ error: { message: expect.stringContaining('another model') } })
  })

  it('opens no wider session than the client secret is for', async () => {
    const client = await startClient()
    const wider = await postJson({ sdp: client.offer, session: { type: 'realtime' } }, 'ek_notes')
    expect(wider.status).toBe(403)
    expect((await postJson({ sdp: client.offer }, 'ek_notes')).status).toBe(200)
    expect(world.asked).toMatchObject([{ model: 'talk', fields: { type: 'transcription' } }])
  })

  // verifies realtime:calls:rights
  it('ends the call of a key that is revoked, and asks for the rights at each turn', async () => {
    const client = await startClient()
    const reply = await postJson({ sdp: client.offer, model: 'talk' }, 'key-two')
    await client.connect((reply.json() as { sdp: string }).sdp)
    const { begin } = world.asked[0] ?? expect.fail('no session')
    const turn = await begin(1, { signal: new AbortController().signal })
    expect(turn.caller.requestId).toMatch(/-1$/)
    turn.close()
    world.app.sharedKeys.replace(['key-one', 'ek_talk'])
    await world.app.reauthorize()
    await eventually(() => expect(world.sessions.at(-1)?.isClosed).toBe(true))
    await eventually(() => expect(client.states).toContain('closed'))
  })

  // verifies realtime:calls:offer
  it.each([
    ['no SDP', 'application/sdp', 'hello', 400, 'does not begin with v=0'],
    ['too large an offer', 'application/sdp', `v=0\r\n${'a=x\r\n'.repeat(20_000)}`, 413, 'larger than 65536 bytes'],
    ['JSON without an offer', 'application/json', '{"model":"talk"}', 400, 'sdp'],
    ['JSON with a damaged offer', 'application/json', '{"model":"talk","sdp":"v=0"}', 400, 'offers no sound'],
    ['no JSON', 'application/json', 'v=0', 400, 'JSON'],
  ])('refuses %s', async (_what, type, body, status, reason) => {
    const reply = await post('/v1/realtime/calls?model=talk', type, body)
    expect([reply.status, reply.json()]).toEqual([
      status,
      { error: expect.objectContaining({ message: expect.stringContaining(reason) }) },
    ])
    expect(world.asked).toEqual([])
  })

  it('refuses a form whose session is not JSON', async () => {
    const { headers, body } = encodeForm([
      ['sdp', 'v=0'],
      ['session', '{'],
    ])
    const reply = await post('/v1/realtime/calls', headers['content-type'] ?? '', body)
    expect(reply.json()).toMatchObject({ error: { message: expect.stringContaining('session: is not JSON') } })
  })

  // verifies realtime:calls:sip
  it.each(['accept', 'reject', 'refer'])('refuses to %s calls of telephones by name', async (action) => {
    const reply = await post(`/v1/realtime/calls/rtc_1/${action}`, 'application/json', '{}')
    expect([reply.status, reply.json()]).toEqual([
      501,
      { error: expect.objectContaining({ message: expect.stringContaining('SIP') }) },
    ])
  })

  it('needs a key', async () => {
    expect((await world.app.call('/v1/realtime/calls', { method: 'POST', body: 'x' })).status).toBe(401)
  })
})

// verifies realtime:calls:library
it('says which command installs a library that is missing', async () => {
  const loadLibrary = () => loadMediaLibrary(undefined, () => expect.fail('not installed'))
  await using world = await startCallsWorld({ loadLibrary })
  const client = await createWebRtcClient()
  const headers = { 'content-type': 'application/sdp' }
  const reply = await world.app.call('/v1/realtime/calls?model=talk', { method: 'POST', body: client.offer, headers })
  client.close()
  expect(reply.status).toBe(501)
  expect(reply.json()).toMatchObject({
    error: { message: expect.stringContaining('npm install -g @node-datachannel/') },
  })
})
