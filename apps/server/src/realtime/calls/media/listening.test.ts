import { createOpusFrameDecoder, createOpusFrameEncoder } from '@svc/audio/opus'
import { describe, expect, it } from 'vitest'
import { writeRtp } from '../rtp/rtp-packet.ts'
import { createListening } from './listening.ts'

/** A client that speaks a tone without end, and what is heard of it. */
async function startTone() {
  const encoder = await createOpusFrameEncoder({ sampleRate: 16_000 })
  const decoder = await createOpusFrameDecoder({ sampleRate: 16_000 })
  const heard: Float32Array[] = []
  const listening = createListening({ payloadType: 111, decoder, hear: (samples) => heard.push(samples) })
  const packets = Array.from({ length: 200 }, (_, frame) => {
    const sound = Float32Array.from(
      { length: 320 },
      (_each, at) => 0.5 * Math.sin(((frame * 320 + at) * 2 * Math.PI * 440) / 16_000),
    )
    return { ...{ payloadType: 111, hasMarker: frame === 0, source: 5 }, payload: encoder.encode(sound) }
  })
  return {
    listening,
    heard,
    ms: () => heard.reduce((sum, { length }) => sum + length, 0) / 16,
    send(frame: number, now: number, change: { source?: number; payloadType?: number; timestamp?: number } = {}): void {
      const packet = packets[frame % packets.length]
      if (packet === undefined) throw new Error('no such frame')
      const place = { sequence: frame & 0xff_ff, timestamp: (frame * 960) >>> 0 }
      listening.take(writeRtp({ ...packet, ...place, ...change }), now)
    },
  }
}

const loudness = (samples: Float32Array): number => Math.max(0, ...samples.map(Math.abs))

describe('the ear of a call', () => {
  it('hears every frame at once, at 16,000 samples a second', async () => {
    const { send, heard, ms } = await startTone()
    for (let frame = 0; frame < 10; frame++) send(frame, frame * 20)
    expect([heard.length, ms()]).toEqual([10, 200])
    expect(loudness(heard[9] ?? new Float32Array(1))).toBeGreaterThan(0.3)
  })

  it('makes up for lost packets, with their length', async () => {
    const { send, listening, heard, ms } = await startTone()
    for (const frame of [0, 1, 2, 5, 6, 7, 8]) send(frame, frame * 20)
    expect(ms()).toBe(180)
    expect(loudness(heard[3] ?? new Float32Array(1))).toBeGreaterThan(0.1)
    expect(listening.report()).toMatchObject({ source: 5, lost: 2, lostShare: 2 / 9, highestSequence: 8 })
    expect(listening.report()).toMatchObject({ lostShare: 0 })
  })

  it('fills the time of a sender that is quiet with silence, and not twice', async () => {
    const { send, listening, ms } = await startTone()
    for (let frame = 0; frame < 5; frame++) send(frame, frame * 20)
    for (let now = 100; now <= 1080; now += 20) listening.tick(now)
    expect(ms()).toBe(1100)
    // It was quiet on purpose: its stamps have gone on.
    send(5, 1100, { timestamp: 55 * 960 })
    expect(ms()).toBe(1120)
  })

  it('hears what a network held back, after the silence', async () => {
    const { send, listening, ms } = await startTone()
    for (let frame = 0; frame < 5; frame++) send(frame, frame * 20)
    for (let now = 100; now <= 480; now += 20) listening.tick(now)
    for (let frame = 5; frame < 25; frame++) send(frame, 481)
    expect(ms()).toBe(100 + 400 + 400)
  })

  it('drops what comes faster than time', async () => {
    const { send, ms } = await startTone()
    for (let frame = 0; frame < 500; frame++) send(frame, 0)
    expect(ms()).toBe(1000)
  })

  it('hears one stream of one type at a time', async () => {
    const { send, ms } = await startTone()
    send(0, 0)
    send(1, 20, { payloadType: 13 })
    send(1, 20, { source: 6 })
    expect(ms()).toBe(20)
    send(9000, 400, { source: 6 })
    send(9001, 420, { source: 6 })
    expect(ms()).toBe(60)
  })

  it('hears a new stream from its first packet on, whatever numbers it has', async () => {
    const { send, listening, ms } = await startTone()
    for (let frame = 0; frame < 100; frame++) send(frame, frame * 20)
    for (let frame = 0; frame < 50; frame++) send(frame, 2250 + frame * 20, { source: 6 })
    expect(ms()).toBe(2000 + 1000)
    expect(listening.report()).toMatchObject({ source: 6, lost: 0, highestSequence: 49 })
  })

  it('makes up for a few seconds of a long silence at most', async () => {
    const { send, listening, heard, ms } = await startTone()
    send(0, 0)
    for (let now = 20; now <= 600_000; now += 20) listening.tick(now)
    const before = ms()
    send(1, 600_000, { timestamp: 0x70_00_00_00 })
    expect(ms() - before).toBeLessThanOrEqual(5000)
    for (let frame = 2; frame < 1000; frame++) send(frame, 600_001)
    expect(ms() - before).toBeLessThanOrEqual(5001)
    expect(Math.max(...heard.map(({ length }) => length))).toBeLessThan(16 * 5000)
  })

  it('is not moved by time stamps that jump', async () => {
    const { send, ms } = await startTone()
    send(0, 0)
    send(1, 20, { timestamp: 2 ** 31 - 1 })
    // As much silence as may come ahead of time, and no more until time has caught up.
    expect(ms()).toBe(1020)
    send(2, 20, { timestamp: 0 })
    expect(ms()).toBe(1020)
    send(3, 60, { timestamp: 960 })
    expect(ms()).toBe(1040)
  })
})
