import { describe, expect, it } from 'vitest'
import { createVoice, type VoiceOutput } from './voice.ts'

const RATE = 24_000

/** An output whose clock the test moves, and which ends each piece that is over. */
function createOutput(outputLatency = 0) {
  const started: { at: number; seconds: number; isOver: boolean; source: { onended: (() => void) | null } }[] = []
  const output = {
    currentTime: 1,
    outputLatency,
    destination: {},
    close: async () => {},
    resume: async () => {},
    createMediaStreamDestination: () => ({ stream: {} }),
    createBuffer: (_: number, length: number) => ({ duration: length / RATE, copyToChannel() {} }),
    createBufferSource() {
      const source = {
        buffer: { duration: 0 },
        onended: null as (() => void) | null,
        connect() {},
        disconnect() {},
        stop() {},
        start: (at: number) => started.push({ at, seconds: source.buffer.duration, isOver: false, source }),
      }
      return source
    },
  }
  return {
    started,
    output: output as unknown as VoiceOutput,
    moveTo(time: number) {
      output.currentTime = time
      for (const piece of started) {
        if (piece.isOver || piece.at + piece.seconds > time) continue
        piece.isOver = true
        piece.source.onended?.()
      }
    },
  }
}

const seconds = (length: number) => new Float32Array(length * RATE)
const first = { itemId: 'a', contentIndex: 0 }
const second = { itemId: 'b', contentIndex: 0 }

describe('the voice', () => {
  it('joins pieces without a gap, and hands over a second ahead of time', () => {
    const { output, started, moveTo } = createOutput()
    const voice = createVoice(output)
    for (let count = 0; count < 6; count += 1) voice.play(first, seconds(0.5))
    expect(started.map(({ at }) => at)).toEqual([1.05, 1.55])
    expect(voice.isPlaying.get()).toBe(true)
    moveTo(1.6)
    expect(started.map(({ at }) => at)).toEqual([1.05, 1.55, 2.05, 2.55])
    for (const time of [2.1, 2.6, 3.1, 3.6, 4.1]) moveTo(time)
    expect(started).toHaveLength(6)
    expect(voice.isPlaying.get()).toBe(false)
    expect(voice.stop()).toEqual([])
  })

  it('knows what was heard when it is stopped', () => {
    const { output, moveTo } = createOutput(0.05)
    const voice = createVoice(output)
    voice.play(first, seconds(0.5))
    voice.play(first, seconds(0.5))
    voice.play(second, seconds(0.5))
    moveTo(1.85)
    // 0.8 s since the first sample began, of which 50 ms have not left the loudspeaker
    expect(voice.stop()).toEqual([
      { ...first, playedMs: 750 },
      { ...second, playedMs: 0 },
    ])
    expect(voice.isPlaying.get()).toBe(false)
    expect(voice.stop()).toEqual([])
  })

  it('leaves out parts that were heard to their end', () => {
    const { output, moveTo } = createOutput()
    const voice = createVoice(output)
    voice.play(first, seconds(0.4))
    voice.play(second, seconds(0.6))
    moveTo(1.46)
    moveTo(1.65)
    expect(voice.stop()).toEqual([{ ...second, playedMs: 200 }])
  })

  it('does not count the time in which nothing came', () => {
    const { output, moveTo } = createOutput()
    const voice = createVoice(output)
    voice.play(first, seconds(0.2))
    moveTo(3)
    voice.play(first, seconds(0.5))
    moveTo(3.15)
    expect(voice.stop()).toEqual([{ ...first, playedMs: 300 }])
  })

  it('drops sound beyond ten minutes that nobody has heard', () => {
    const { output, moveTo, started } = createOutput()
    const voice = createVoice(output)
    for (let count = 0; count < 30; count += 1) voice.play(first, seconds(30))
    for (let time = 2; time < 1000; time += 10) moveTo(time)
    expect(started.length).toBeLessThanOrEqual(21)
  })
})
