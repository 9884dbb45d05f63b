import { createSocket } from 'node:dgram'
import { eventually, patienceMs } from '@svc/test-kit'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createEchoSessions } from '../../../test/support/echo-sessions.ts'
import { createWebRtcClient, type WebRtcClient } from '../../../test/support/webrtc-client.ts'
import { systemClock } from '../../clock.ts'
import { type CallRequest, createCalls } from './calls.ts'
import { loadMediaLibrary } from './peer/library.ts'
import { readOffer } from './sdp/read-offer.ts'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const settings = { interfaces: [], outside: [], udpPort: 0 }

/** Time in which everything of a call must be gone. */
const FREED_MS = 2000

/** Finds a UDP port that is free: other runs of these tests have theirs. */
async function findFreePort(): Promise<number> {
  const probe = createSocket('udp6')
  await new Promise<void>((resolve) => probe.bind(0, resolve))
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(resolve))
  return port
}

describe('calls', () => {
  const clients: WebRtcClient[] = []
  const switchboards: { close(): Promise<void> }[] = []
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })
  afterAll(async () => {
    await Promise.all(switchboards.map((calls) => calls.close()))
  })

  function startCalls(options: Partial<Parameters<typeof createCalls>[0]> = {}) {
    const calls = createCalls({ settings, loadLibrary: loadMediaLibrary, clock: systemClock, log, ...options })
    const echoes = createEchoSessions()
    switchboards.push(calls)
    const over: string[] = []
    async function open(client: WebRtcClient, change: Partial<CallRequest> = {}) {
      return await calls.open({
        offer: readOffer(client.offer),
        ...{ accountId: 'a', clientAddress: '127.0.0.1', log, idleMs: () => 0 },
        openSession: echoes.openSession,
        onOver: () => over.push('over'),
        signal: new AbortController().signal,
        ...change,
      })
    }
    return { calls, open, over, sessions: echoes.sessions }
  }

  async function startClient(options?: Parameters<typeof createWebRtcClient>[0]): Promise<WebRtcClient> {
    const client = await createWebRtcClient(options)
    clients.push(client)
    return client
  }

  const tone = (ms: number) =>
    Float32Array.from({ length: ms * 16 }, (_, at) => 0.4 * Math.sin((at * 2 * Math.PI * 440) / 16_000))
  const milliseconds = (heard: readonly Float32Array[]) => heard.reduce((sum, { length }) => sum + length, 0) / 16
  const isLoud = (samples: Float32Array) => samples.some((sample) => Math.abs(sample) > 0.1)

  async function isFreed(calls: { readonly size: number }, since: number): Promise<void> {
    await eventually(() => expect(calls.size).toBe(0))
    expect(performance.now() - since).toBeLessThan(patienceMs(FREED_MS))
  }

  it('carry events and sound both ways, and leave nothing', async () => {
    const { calls, open, over, sessions } = startCalls()
    const client = await startClient()
    const { answer, id, sessionId } = await open(client)
    expect([id, sessionId]).toEqual([expect.stringMatching(/^rtc_[0-9a-f]{32}$/), 'sess_1'])
    expect(answer).toMatch(/^a=candidate:1 1 UDP \d+ 127\.0\.0\.1 \d+ typ host/m)
    await client.connect(answer)
    client.send({ type: 'hello' })
    await client.speak(tone(1000), { lost: (frame) => frame === 20 || frame === 21 })
    await eventually(() => expect(sessions[0]?.heardMs).toBeGreaterThanOrEqual(1000))
    await eventually(() => expect(milliseconds(client.heard.filter(isLoud))).toBeGreaterThan(800))
    expect(client.events).toEqual([{ type: 'session.created' }, { type: 'echo', text: '{"type":"hello"}' }])
    const leftAt = performance.now()
    client.close()
    await isFreed(calls, leftAt)
    expect(sessions[0]).toMatchObject({ isClosed: true })
    expect(sessions[0]?.peer.signal.aborted).toBe(true)
    expect(over).toEqual(['over'])
  })

  // verifies realtime:calls:port
  it('may share one UDP port', async () => {
    const { open } = startCalls({ settings: { ...settings, udpPort: await findFreePort() } })
    const [one, two] = await Promise.all([startClient(), startClient()])
    const answers = [await open(one), await open(two)]
    await Promise.all([one.connect(answers[0]?.answer ?? ''), two.connect(answers[1]?.answer ?? '')])
    one.send({ type: 'one' })
    two.send({ type: 'two' })
    await eventually(() => expect(two.events.at(-1)).toEqual({ type: 'echo', text: '{"type":"two"}' }))
    await eventually(() => expect(one.events.at(-1)).toEqual({ type: 'echo', text: '{"type":"one"}' }))
  })

  it('are refused while their UDP port is in use, and work when it is free again', async () => {
    const other = createSocket('udp4')
    await new Promise<void>((resolve) => other.bind({ exclusive: true }, resolve))
    const { calls, open } = startCalls({ settings: { ...settings, udpPort: other.address().port } })
    const client = await startClient()
    await expect(open(client)).rejects.toMatchObject({ kind: 'unavailable', code: 'udp_port_taken' })
    expect(calls.size).toBe(0)
    await new Promise<void>((resolve) => other.close(resolve))
    await client.connect((await open(client)).answer)
  })

  // verifies realtime:calls:freed
  it.each([
    ['before it has connected', 0],
    ['when it has connected', 1],
    ['while it speaks', 2],
    ['while it hears', 3],
    ['while much is to be sent', 4],
  ])('of a client that leaves %s are freed within two seconds', async (_when, step) => {
    const fake = { ...systemClock, monotonic: () => performance.now() + skipped }
    let skipped = 0
    const { calls, open, sessions } = startCalls({ clock: fake })
    const client = await startClient()
    const { answer } = await open(client)
    if (step >= 1) await client.connect(answer)
    if (step >= 2)
      await Promise.race([
        client.speak(tone(1000)),
        eventually(() => expect(sessions[0]?.heardMs).toBeGreaterThan(200)),
      ])
    if (step >= 3) await eventually(() => expect(client.heard.length).toBeGreaterThan(5))
    const { peer } = sessions[0] ?? expect.fail('no session')
    if (step >= 4)
      for (let at = 0; at < 500; at++) peer.send({ type: 'x', text: 'x'.repeat(10_000) }).catch(() => undefined)
    client.close()
    const leftAt = performance.now()
    // The notice of a client that never was there is its time to connect.
    if (step === 0) skipped = 21_000
    await isFreed(calls, leftAt)
    expect(sessions[0]?.isClosed).toBe(true)
    await expect(peer.send({ type: 'late' })).rejects.toMatchObject({ kind: 'cancelled' })
  })

  // verifies realtime:calls:freed
  it('of a client that is silent for 15 s end', async () => {
    let skipped = 0
    const { calls, open } = startCalls({ clock: { ...systemClock, monotonic: () => performance.now() + skipped } })
    const client = await startClient()
    await client.connect((await open(client)).answer)
    client.send({ type: 'hello' })
    await eventually(() => expect(client.events).toHaveLength(2))
    skipped = 16_000
    await isFreed(calls, performance.now())
  })

  // verifies realtime:calls:idle
  it('that nobody uses end, although sound and reports come, and say why', async () => {
    let skipped = 0
    const clock = { ...systemClock, monotonic: () => performance.now() + skipped }
    const { calls, open, sessions } = startCalls({ clock })
    const client = await startClient({ direction: 'RecvOnly' })
    await client.connect((await open(client, { idleMs: () => 60_000 })).answer)
    skipped = 50_000
    client.send({ type: 'hello' })
    await eventually(() => expect(client.events).toHaveLength(2))
    skipped = 100_000
    await sessions[0]?.peer.send({ type: 'response.created' })
    skipped = 150_000
    await sessions[0]?.peer.send({ type: 'conversation.item.sound_detection' })
    await eventually(() => expect(client.events).toHaveLength(4))
    expect(calls.size).toBe(1)
    skipped = 170_000
    await isFreed(calls, performance.now())
    await eventually(() =>
      expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'session_idle' } }),
    )
  })

  // verifies realtime:calls:freed
  it('whose client closes its channel as it opens end at once', async () => {
    const { calls, open } = startCalls()
    const client = await startClient({ closesChannel: true })
    await client.connect((await open(client)).answer)
    await isFreed(calls, performance.now())
  })

  // verifies realtime:calls:one-channel
  it('have one channel of events, and no other', async () => {
    const { open } = startCalls()
    const client = await startClient()
    await client.connect((await open(client)).answer)
    const others = [client.openChannel('oai-events'), client.openChannel('other')]
    client.send({ type: 'hello' })
    await eventually(() => expect(client.events).toHaveLength(2))
    await eventually(() => expect(others.map((channel) => channel.isOpen())).toEqual([false, false]))
  })

  it('send the reports of a sender', async () => {
    let skipped = 0
    const { open } = startCalls({ clock: { ...systemClock, monotonic: () => performance.now() + skipped } })
    const client = await startClient()
    await client.connect((await open(client)).answer)
    await client.speak(tone(400))
    await eventually(() => expect(client.heard.length).toBeGreaterThan(5))
    skipped = 6000
    await eventually(() => expect(client.reports.some((bytes) => bytes[1] === 200)).toBe(true))
  })

  it('are hung up by their account alone', async () => {
    const { calls, open } = startCalls()
    const client = await startClient()
    const { answer, id } = await open(client)
    await client.connect(answer)
    await expect(calls.hangUp(id, 'b')).rejects.toMatchObject({ kind: 'not_found' })
    await calls.hangUp(id, 'a')
    await eventually(() => expect(calls.size).toBe(0))
    await expect(calls.hangUp(id, 'a')).rejects.toMatchObject({ kind: 'not_found' })
    await eventually(() => expect(client.states).toContain('closed'))
  })

  it('that cannot begin leave nothing', async () => {
    const { calls, open } = startCalls({ maxCalls: 1 })
    const client = await startClient()
    await expect(open(client, { openSession: () => Promise.reject(new Error('refused')) })).rejects.toThrow('refused')
    await expect(open(client, { signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow('left')
    expect(calls.size).toBe(0)
    await open(client)
    await expect(open(client)).rejects.toMatchObject({ code: 'too_many_calls' })
    await calls.close()
    expect(calls.size).toBe(0)
    await expect(open(client)).rejects.toMatchObject({ code: 'stopping' })
  })

  it('that end while they are opened leave nothing', async () => {
    const { calls, open, over } = startCalls()
    const client = await startClient()
    let isClosed = false
    const opened = open(client, {
      async openSession(peer) {
        peer.close(1008, 'access has ended')
        await eventually(() => expect(peer.signal.aborted).toBe(true))
        const close = async (): Promise<void> => {
          isClosed = true
        }
        const ignore = async (): Promise<void> => undefined
        return { id: 'sess_1', receive: ignore, hear: ignore, hearBytes: ignore, close }
      },
    })
    await expect(opened).rejects.toMatchObject({ kind: 'cancelled' })
    expect([isClosed, calls.size, over]).toEqual([true, 0, []])
  })

  it('of clients that only listen have no ear, and of those that only speak no speaker', async () => {
    const { open, sessions } = startCalls()
    const listener = await startClient({ direction: 'RecvOnly' })
    const speaker = await startClient({ direction: 'SendOnly' })
    await listener.connect((await open(listener)).answer)
    await speaker.connect((await open(speaker)).answer)
    expect(sessions.map(({ peer }) => peer.speaker !== undefined)).toEqual([true, false])
    await speaker.speak(tone(200))
    await eventually(() => expect(sessions[1]?.heardMs).toBeGreaterThanOrEqual(100))
    void sessions[0]?.peer.speaker?.play(tone(300), { sampleRate: 16_000, signal: new AbortController().signal })
    await eventually(() => expect(listener.heard.filter(isLoud).length).toBeGreaterThan(5))
  })
})
