import { createOpusFrameEncoder } from '@svc/audio/opus'
import { describe, expect, it } from 'vitest'
import { type RtpPacket, readRtp } from '../rtp/rtp-packet.ts'
import { createRtpStream } from '../rtp/rtp-stream.ts'
import { createVoice } from './voice.ts'

const never = new AbortController().signal
const FIRST_STAMP = 2 ** 32 - 1000

/** A voice on a clock of the test, and what it sends. */
async function startVoice() {
  const packets: RtpPacket[] = []
  let now = 1000
  const stream = createRtpStream({
    ...{ payloadType: 111, source: 9, firstSequence: 65_534, firstTimestamp: FIRST_STAMP },
    now: () => now,
    send: (bytes) => packets.push(readRtp(bytes) ?? expect.fail('not a packet')),
  })
  const voice = createVoice({
    encoder: await createOpusFrameEncoder({ sampleRate: 24_000 }),
    stream,
    now: () => now,
  })
  return {
    voice,
    stream,
    packets,
    /** Lets time pass in ticks of 20 ms. */
    pass(ms: number): void {
      for (const end = now + ms; now < end; ) {
        now += 20
        voice.tick(now)
      }
    },
    /** Lets time pass in which the process stood still. */
    stall(ms: number): void {
      now += ms
      voice.tick(now)
    },
    say: (ms: number, sampleRate = 24_000) =>
      voice.play(new Float32Array((sampleRate * ms) / 1000).fill(0.1), { sampleRate, signal: never }),
    /** Milliseconds since the first packet that time stamps stand for. */
    times: () => packets.map(({ timestamp }) => ((timestamp - (packets[0]?.timestamp ?? 0)) >>> 0) / 48),
  }
}

describe('the voice of a call', () => {
  it('sends a frame every 20 ms, two of them ahead of time', async () => {
    const { say, pass, packets, voice, times } = await startVoice()
    await say(1000)
    pass(20)
    expect(packets).toHaveLength(3)
    expect(voice.playedMs).toBe(0)
    pass(400)
    expect(packets).toHaveLength(23)
    expect(voice.playedMs).toBe(400)
    expect(times()).toEqual(packets.map((_, at) => at * 20))
    expect(packets.map(({ hasMarker }) => hasMarker).indexOf(true, 1)).toBe(-1)
    expect(packets[0]?.hasMarker).toBe(true)
    expect(packets.slice(0, 4).map(({ sequence }) => sequence)).toEqual([65_534, 65_535, 0, 1])
  })

  // verifies realtime:calls:pace
  it('lets silence take its time in the stamps, and marks what follows', async () => {
    const { say, pass, packets, times } = await startVoice()
    await say(100)
    pass(1020)
    // 100 ms of sound and the silence that ends it
    expect(packets).toHaveLength(10)
    await say(100)
    pass(20)
    expect(times()[10]).toBe(1020)
    expect(packets[10]).toMatchObject({ hasMarker: true, sequence: 8 })
  })

  it('tells when everything is played, by the time of the client', async () => {
    const { say, pass, voice } = await startVoice()
    await say(100)
    pass(100)
    let isDrained = false
    const drained = voice.drained({ signal: never }).then(() => {
      isDrained = true
    })
    await Promise.resolve()
    expect(isDrained).toBe(false)
    pass(20)
    await drained
    expect(voice.playedMs).toBe(100)
    await voice.drained({ signal: never })
  })

  it('gathers a little sound before it begins, and does not wait for more than that', async () => {
    const { say, pass, packets } = await startVoice()
    await say(30)
    pass(40)
    expect(packets).toHaveLength(0)
    pass(20)
    expect(packets).toHaveLength(3)
  })

  it('plays sound of any rate with its length', async () => {
    const { say, pass, voice } = await startVoice()
    await say(500, 16_000)
    await say(500, 22_050)
    pass(3000)
    expect(voice.playedMs).toBeGreaterThanOrEqual(1000)
    expect(voice.playedMs).toBeLessThanOrEqual(1040)
  })

  it('stands still while it is paused, and goes on where it was', async () => {
    const { say, pass, packets, voice, times } = await startVoice()
    await say(200)
    pass(60)
    voice.pause()
    pass(500)
    expect(packets).toHaveLength(5)
    voice.resume()
    pass(500)
    expect(packets).toHaveLength(10 + 5)
    expect(times()[5]).toBe(560)
    expect(packets[5]?.hasMarker).toBe(true)
  })

  it('drops what is not played, and counts from the beginning', async () => {
    const { say, pass, packets, voice } = await startVoice()
    await say(2000)
    pass(100)
    const drained = voice.drained({ signal: never })
    voice.clear()
    await drained
    pass(500)
    expect(packets).toHaveLength(7)
    expect(voice.playedMs).toBe(0)
    voice.clear()
    await say(100)
    pass(500)
    expect(voice.playedMs).toBe(100)
  })

  it('skips time after the process stood still, and sends no flood', async () => {
    const { say, pass, stall, packets, times } = await startVoice()
    await say(3000)
    pass(100)
    const before = packets.length
    stall(2000)
    expect(packets.length - before).toBe(10)
    pass(100)
    expect(packets.length - before).toBe(15)
    expect(times()).toEqual(packets.map((_, at) => at * 20))
  })

  it('lets those wait who speak faster than it plays', async () => {
    const { voice, pass } = await startVoice()
    const abort = new AbortController()
    const waiting = voice.play(new Float32Array(24_000 * 5), { sampleRate: 24_000, signal: abort.signal })
    let isDone = false
    const done = waiting.then(() => {
      isDone = true
    })
    pass(900)
    await Promise.resolve()
    expect(isDone).toBe(false)
    pass(200)
    await done
    const more = voice.play(new Float32Array(24_000 * 5), { sampleRate: 24_000, signal: abort.signal })
    abort.abort(new Error('interrupted'))
    await expect(more).rejects.toThrow('interrupted')
  })

  it('ends all waits when the call is over', async () => {
    const { voice, say, pass, packets } = await startVoice()
    const waiting = say(10_000)
    const drained = voice.drained({ signal: never })
    voice.close()
    voice.close()
    await waiting
    await drained
    pass(100)
    expect(packets).toHaveLength(0)
    await expect(say(10)).rejects.toThrow('the call is over')
  })

  it('reports what it sent', async () => {
    const { stream, say, pass } = await startVoice()
    expect(stream.report(1000)).toMatchObject({ source: 9, packets: 0, bytes: 0, timestamp: FIRST_STAMP })
    await say(100)
    pass(400)
    const { packets, bytes, timestamp } = stream.report(1400)
    expect(packets).toBe(10)
    expect(bytes).toBeGreaterThan(100)
    expect(timestamp).toBe((FIRST_STAMP + 400 * 48) >>> 0)
  })
})
