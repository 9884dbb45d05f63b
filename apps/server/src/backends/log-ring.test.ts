import { createFakeClock } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogRing, createLogStream, type LogLine } from './log-ring.ts'
import { createLogRings } from './log-rings.ts'

const line = (text: string): LogLine => ({ timestamp: 1, stream: 'stderr', text })

function openStream() {
  const clock = createFakeClock({ now: 5 })
  const lines: LogLine[] = []
  const stream = createLogStream({ stream: 'stdout', clock, onLine: (added) => lines.push(added) })
  return { clock, stream, lines, texts: () => lines.map(({ text }) => text) }
}

describe('createLogRing', () => {
  it('keeps the newest 1000 lines in order', () => {
    const ring = createLogRing()
    for (let index = 0; index < 2500; index++) ring.append(line(`line ${index}`))
    expect(ring.lines()).toHaveLength(1000)
    expect(ring.lines()[0]?.text).toBe('line 1500')
    expect(ring.lines().at(-1)?.text).toBe('line 2499')
  })

  it('keeps at most 1 MiB of text', () => {
    const ring = createLogRing()
    for (let index = 0; index < 300; index++) ring.append(line('é'.repeat(4096)))
    expect(ring.lines()).toHaveLength(128)
  })

  it('is empty after clear and takes lines again', () => {
    const ring = createLogRing({ maxLines: 2 })
    ring.append(line('a'))
    ring.clear()
    expect(ring.lines()).toEqual([])
    for (const text of ['b', 'c', 'd']) ring.append(line(text))
    expect(ring.lines().map(({ text }) => text)).toEqual(['c', 'd'])
  })

  it('is followed line by line; a reader that falls behind goes on with the oldest kept line', () => {
    const ring = createLogRing({ maxLines: 2 })
    ring.append(line('before'))
    const [late, whole] = [ring.open(), ring.open(0)]
    expect(whole.take()).toEqual({ first: 0, events: [line('before')] })
    for (const text of ['b', 'c', 'd']) ring.append(line(text))
    for (const reader of [late, whole]) expect(reader.take()).toEqual({ first: 2, events: [line('c'), line('d')] })
  })

  it('has few readers at a time', () => {
    const ring = createLogRing()
    const readers = Array.from({ length: 16 }, () => ring.open())
    expect(() => ring.open()).toThrow(expect.objectContaining({ kind: 'rate_limited', code: 'log_readers' }))
    readers[0]?.close()
    expect(ring.open().take()).toEqual({ first: 0, events: [] })
  })
})

describe('createLogRings', () => {
  it('keeps the ring of a model that starts again and forgets the one that started longest ago', () => {
    const rings = createLogRings(2)
    rings.open('a').append(line('from a'))
    const reader = rings.open('b').open()
    expect(rings.open('a').lines()).toEqual([line('from a')])
    expect(reader.take()).toEqual({ first: 0, events: [] })
    rings.open('c')
    expect(rings.get('b')).toBeUndefined()
    expect(reader.take()).toBeUndefined()
    expect(rings.get('a')?.lines()).toEqual([line('from a')])
  })
})

describe('createLogStream', () => {
  it('gives the same lines however the bytes are cut', () => {
    const bytes = Buffer.from('first\r\n\nzwölf 🙂\u001b[0m\nlast')
    const expected = ['first', '', 'zwölf 🙂\\x1b[0m', 'last']
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 6 }), (cuts) => {
        const { stream, texts } = openStream()
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        for (const [index, start] of edges.entries()) stream.write(bytes.subarray(start, edges[index + 1]))
        stream.end()
        expect(texts()).toEqual(expected)
      }),
    )
  })

  it('says when and where a line was written', () => {
    const { stream, lines } = openStream()
    stream.write(Buffer.from('x\n'))
    expect(lines).toEqual([{ timestamp: 5, stream: 'stdout', text: 'x' }])
  })

  it('replaces bytes that are not UTF-8', () => {
    const { stream, texts } = openStream()
    stream.write(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a]))
    expect(texts()).toEqual(['a\ufffd\ufffdb'])
  })

  it('cuts a line at 8 KiB and goes on with the next', () => {
    const { stream, texts } = openStream()
    for (let index = 0; index < 20; index++) stream.write(Buffer.alloc(1000, 'x'))
    stream.write(Buffer.from('\nnext\n'))
    expect(texts()).toEqual([`${'x'.repeat(8192 - 6)} (cut)`, 'next'])
  })

  it('keeps a line of exactly 8 KiB whole', () => {
    const { stream, texts } = openStream()
    stream.write(Buffer.from(`${'x'.repeat(8192)}\r\n`))
    expect(texts()).toEqual(['x'.repeat(8192)])
  })

  it('counts escapes and replacements into the 8 KiB', () => {
    const { stream, texts } = openStream()
    stream.write(Buffer.concat([Buffer.alloc(8000, 0x1b), Buffer.from('\n')]))
    expect(Buffer.byteLength(texts()[0] ?? '')).toBeLessThanOrEqual(8192)
    expect(texts()[0]).toMatch(/^(?:\\x1b)+(?:\\x?1?)? \(cut\)$/)
  })

  it('passes over the middle of a flood but keeps its newest chunk', () => {
    const { stream, texts, clock } = openStream()
    const chunk = Buffer.from(`${'y'.repeat(1023)}\n`.repeat(64))
    for (let index = 0; index < 1000; index++) stream.write(chunk)
    stream.write(Buffer.from('why it crashed\n'))
    expect(texts().length).toBeLessThan(1100)
    stream.end()
    expect(texts().slice(-2)).toEqual([
      expect.stringMatching(/^\(\d+ bytes of output passed over\)$/),
      'why it crashed',
    ])
    expect(clock.sleepers).toBe(0)
  })

  it('reads everything again when the flood is over', async () => {
    const { stream, texts, clock } = openStream()
    for (let index = 0; index < 40; index++) stream.write(Buffer.alloc(65_536, 'z\n'))
    await clock.advance(1000)
    stream.write(Buffer.from('calm\n'))
    expect(texts().at(-1)).toBe('calm')
  })
})
