import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FrameDecoder, FrameError } from './frame-decoder.ts'

function frame(message: Buffer, flag = 0, length = message.length): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(flag)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, message])
}

function readAll(decoder: FrameDecoder): Buffer[] {
  const messages: Buffer[] = []
  for (let next = decoder.next(); next !== undefined; next = decoder.next()) messages.push(next.bytes)
  return messages
}

it('gives the same messages however the bytes are split', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(messages, fc.array(fc.nat({ max: 60 })), (parts, cuts) => {
      const expected = parts.map((part) => Buffer.from(part))
      const bytes = Buffer.concat(expected.map((part) => frame(part)))
      const decoder = new FrameDecoder(100)
      const got: Buffer[] = []
      let at = 0
      for (const cut of [...cuts, bytes.length]) {
        decoder.push(bytes.subarray(at, at + cut))
        got.push(...readAll(decoder))
        at += cut
      }
      expect(got).toEqual(expected)
      expect(decoder.isBetweenMessages).toBe(true)
    }),
  )
})

it('gives messages at every byte boundary', () => {
  const bytes = Buffer.concat([frame(Buffer.from('one')), frame(Buffer.alloc(0)), frame(Buffer.from('three'))])
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const decoder = new FrameDecoder(100)
    const got: string[] = []
    for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
      decoder.push(part)
      got.push(...readAll(decoder).map(String))
    }
    expect(got, `cut at ${cut}`).toEqual(['one', '', 'three'])
  }
})

it('gives a message inside one chunk as a view', () => {
  const bytes = frame(Buffer.from('hello'))
  const decoder = new FrameDecoder(100)
  decoder.push(bytes)
  expect(decoder.next()?.bytes.buffer).toBe(bytes.buffer)
})

it('keeps bytes that were not read when more come', () => {
  const decoder = new FrameDecoder(100)
  decoder.push(Buffer.concat([frame(Buffer.from('a')), frame(Buffer.from('b'))]))
  decoder.push(frame(Buffer.from('c')))
  expect(readAll(decoder).map(String)).toEqual(['a', 'b', 'c'])
})

it('says where a stream may end', () => {
  const bytes = frame(Buffer.from('hello'))
  for (let length = 0; length <= bytes.length; length += 1) {
    const decoder = new FrameDecoder(100)
    decoder.push(bytes.subarray(0, length))
    readAll(decoder)
    expect(decoder.isBetweenMessages, `after ${length} bytes`).toBe(length === 0 || length === bytes.length)
  }
})

it('tells a compressed message', () => {
  const decoder = new FrameDecoder(100)
  decoder.push(Buffer.concat([frame(Buffer.from('a'), 1), frame(Buffer.from('b'), 0)]))
  expect([decoder.next()?.isCompressed, decoder.next()?.isCompressed]).toEqual([true, false])
})

it('refuses a length over the limit before its bytes come', () => {
  const decoder = new FrameDecoder(100)
  decoder.push(frame(Buffer.alloc(0), 0, 101))
  expect(() => decoder.next()).toThrow(new FrameError('received a message larger than max (101 vs 100)', true))
})

it('refuses a head that is none', () => {
  const decoder = new FrameDecoder(100)
  decoder.push(frame(Buffer.alloc(0), 2, 0))
  expect(() => decoder.next()).toThrow(FrameError)
})

it('takes memory for the bytes that have come, not for those that are announced', () => {
  const announced = 1024 * 1024 * 1024
  const before = process.memoryUsage().arrayBuffers
  const decoders = Array.from({ length: 64 }, () => new FrameDecoder(announced))
  for (const decoder of decoders) {
    decoder.push(frame(Buffer.from('a little'), 0, announced))
    expect(decoder.next()).toBeUndefined()
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
})

it('collects a large message from single bytes', () => {
  const message = Buffer.alloc(300_000, 'x')
  const decoder = new FrameDecoder(message.length)
  let got: Buffer | undefined
  for (const byte of frame(message)) {
    decoder.push(Buffer.of(byte))
    got ??= decoder.next()?.bytes
  }
  expect(got?.equals(message)).toBe(true)
})
