import { SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseDecoder, decodeSse, decodeSsePieces, type SseDecoderOptions, type SsePiece } from './decode.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

function decodePieces(chunks: readonly Uint8Array[], options?: SseDecoderOptions): SsePiece[] {
  const decoder = createSseDecoder(options)
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()]
}

function decodeEvents(chunks: readonly Uint8Array[]) {
  return decodePieces(chunks).flatMap((piece) => {
    if (piece.kind !== 'event') return []
    const { raw: _, kind: __, ...fields } = piece
    return [fields]
  })
}

/** Data of every event of a text. */
const decodeData = (text: string) => decodeEvents([encode(text)]).map((event) => event.data)

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge))
}

const joined = (pieces: readonly SsePiece[]) => Uint8Array.from(pieces.flatMap((piece) => [...piece.raw]))

const AWKWARD_STREAM = encode(
  '\uFEFFdata: first\n\n' +
    ': comment\r\n' +
    'event: delta\r\ndata: {"text":"grüße 😀"}\r\nid: 1\r\n\r\n' +
    'data: a\rdata:  b\rdata\r\r' +
    'retry: 250\n\n' +
    '\n\r\n\r' +
    'unknown: x\ndata:y\n: inside\nretry: 9\nid\n\n' +
    'event: named\n\n' +
    'data: [DONE]\n\n' +
    'data: cut o',
)

describe('SSE fields', () => {
  it('reads name, data, id and retry of an event', () => {
    expect(decodeEvents([encode('event: add\nid: 7\nretry: 1500\ndata: 1\ndata: 2\n\n')])).toEqual([
      { event: 'add', data: '1\n2', id: '7', retryMs: 1500 },
    ])
  })

  it('strips at most one space after the colon', () => {
    expect(decodeData('data:a\n\ndata: b\n\ndata:  c\n\ndata\n\ndata:\n\n')).toEqual(['a', 'b', ' c', '', ''])
  })

  it('does not carry name or id over to the next event', () => {
    expect(decodeEvents([encode('event: a\nid: 1\ndata: x\n\ndata: y\n\n')])[1]).toEqual({
      event: undefined,
      data: 'y',
      id: undefined,
      retryMs: undefined,
    })
  })

  it('ignores an id with NUL, a retry that is not a number and fields it does not know', () => {
    expect(decodeEvents([encode('id: a\0b\nretry: 1s\nfoo: bar\nDATA: no\ndata: x\n\n')])).toEqual([
      { event: undefined, data: 'x', id: undefined, retryMs: undefined },
    ])
  })

  it('drops fields without data instead of adding them to the next event', () => {
    expect(decodeEvents([encode('event: lost\n\ndata: x\n\n')])).toEqual([
      { event: undefined, data: 'x', id: undefined, retryMs: undefined },
    ])
  })

  it('skips a byte order mark at the start of the stream and nowhere else', () => {
    expect(decodeData('\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n')).toEqual(['a', '\uFEFFc'])
  })

  it('replaces bytes that are not UTF-8', () => {
    expect(decodeEvents([Uint8Array.of(...encode('data: '), 0xff, 0x0a, 0x0a)])[0]?.data).toBe('\uFFFD')
  })

  it('does not break lines at LINE SEPARATOR or NEL', () => {
    expect(decodeData('data: a\u2028b\u0085c\n\n')).toEqual(['a\u2028b\u0085c'])
  })
})

describe('cuts', () => {
  const whole = decodeEvents([AWKWARD_STREAM])

  it('reads the awkward stream as the standard says', () => {
    expect(whole).toEqual([
      { event: undefined, data: 'first', id: undefined, retryMs: undefined },
      { event: 'delta', data: '{"text":"grüße 😀"}', id: '1', retryMs: undefined },
      { event: undefined, data: 'a\n b\n', id: undefined, retryMs: undefined },
      { event: undefined, data: 'y', id: '', retryMs: 9 },
      { event: undefined, data: '[DONE]', id: undefined, retryMs: undefined },
    ])
  })

  it('gives the same events and the same bytes for every single cut', () => {
    for (let cut = 0; cut <= AWKWARD_STREAM.length; cut += 1) {
      const chunks = cutAt(AWKWARD_STREAM, [cut])
      expect(decodeEvents(chunks), `cut at ${cut}`).toEqual(whole)
      expect(joined(decodePieces(chunks)), `cut at ${cut}`).toEqual(AWKWARD_STREAM)
    }
  })

  it('gives the same events and the same bytes one byte at a time', () => {
    const chunks = cutAt(
      AWKWARD_STREAM,
      Array.from(AWKWARD_STREAM, (_, index) => index),
    )
    expect(decodeEvents(chunks)).toEqual(whole)
    expect(joined(decodePieces(chunks))).toEqual(AWKWARD_STREAM)
  })

  it('gives the same events and the same bytes for any bytes and any cuts', () => {
    const token = fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      'data',
      'data: x',
      'id: 1',
      ':',
      ': c',
      'event:e',
      '\uFEFF',
      '😀',
      'z',
    )
    const stream = fc.oneof(
      fc.array(token, { maxLength: 40 }).map((parts) => encode(parts.join(''))),
      fc.uint8Array({ maxLength: 60 }),
    )
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (bytes, cuts) => {
        const chunks = cutAt(bytes, cuts)
        expect(decodeEvents(chunks)).toEqual(decodeEvents([bytes]))
        expect(joined(decodePieces(chunks))).toEqual(bytes)
      }),
      { numRuns: 500 },
    )
  })
})

describe('pieces for a relay', () => {
  it('keeps comments, empty lines and the bytes of each event', () => {
    const pieces = decodePieces([encode(': hi\n\nevent: a\n: inside\ndata: 1\n\nretry: 5\n\ndata: cut')])
    expect(pieces.map(({ kind, raw }) => [kind, decode(raw)])).toEqual([
      ['filler', ': hi\n'],
      ['filler', '\n'],
      ['event', 'event: a\n: inside\ndata: 1\n\n'],
      ['filler', 'retry: 5\n\n'],
      ['incomplete', 'data: cut'],
    ])
    expect(pieces[0]).toMatchObject({ comment: 'hi' })
  })

  it('returns an event with the push that ends it, also when a line break is cut in two', () => {
    const decoder = createSseDecoder()
    expect(decoder.push(encode('data: a\r\n\r')).map((piece) => piece.kind)).toEqual(['event'])
    expect(decoder.push(encode('\n')).map((piece) => decode(piece.raw))).toEqual(['\n'])
    expect(decoder.push(encode('data: b\r\n\r\n'))).toMatchObject([{ kind: 'event', data: 'b' }])
  })

  it('returns a comment between events as soon as its line ends', () => {
    expect(createSseDecoder().push(encode(': still here\n'))).toMatchObject([{ comment: 'still here' }])
  })

  it('leaves bytes it has handed out alone when more comes', () => {
    const decoder = createSseDecoder()
    decoder.push(encode('data: a'))
    const [first] = decoder.push(encode('\n\ndata: b'))
    decoder.push(encode('bbbbbbbbbbbbbbbbbbb\n\n'))
    expect(first && decode(first.raw)).toBe('data: a\n\n')
  })

  it('gives nothing at the end of a complete stream', async () => {
    const pieces = []
    for await (const piece of decodeSsePieces([encode('data: a\n\n')])) pieces.push(piece.kind)
    expect(pieces).toEqual(['event'])
  })
})

describe('decodeSse', () => {
  it('releases its source when the reader leaves early', async () => {
    let released = false
    const source = (async function* () {
      try {
        for (;;) yield encode('data: a\n\ndata: b\n\n')
      } finally {
        released = true
      }
    })()
    for await (const event of decodeSse(source)) if (event.data === 'b') break
    expect(released).toBe(true)
  })
})

describe('limits', () => {
  const tooLarge = expect.objectContaining({ kind: 'too_large', code: 'sse_event_too_large' })

  it('takes an event of exactly the limit and refuses one byte more, complete or not', () => {
    const bytes = encode('data: 12345\n\n')
    expect(decodePieces([bytes], { maxEventBytes: bytes.length })).toHaveLength(1)
    expect(() => decodePieces([bytes], { maxEventBytes: bytes.length - 1 })).toThrow(tooLarge)
    expect(() => decodePieces([bytes.slice(0, -1)], { maxEventBytes: bytes.length - 2 })).toThrow(tooLarge)
  })

  it('counts per event, not per stream', () => {
    const events = Array.from({ length: 100 }, () => encode('data: 12345\n\n'))
    expect(decodePieces(events, { maxEventBytes: 20 })).toHaveLength(100)
  })

  it('refuses an endless line before it ends, at 16 MiB unless told otherwise', async () => {
    let pulled = 0
    const endless = (function* () {
      for (;;) {
        pulled += 1
        yield new Uint8Array(1024 * 1024).fill(0x61)
      }
    })()
    const reading = (async () => {
      for await (const event of decodeSse(endless)) throw new Error(event.data)
    })()
    await expect(reading).rejects.toSatisfy(SvcError.is)
    expect(pulled).toBe(17)
  })

  it('reads a large event that comes in many small pieces', () => {
    const piece = new Uint8Array(1024).fill(0x61)
    const chunks = [encode('data: '), ...Array.from({ length: 8 * 1024 }, () => piece), encode('\n\n')]
    expect(decodeEvents(chunks)[0]?.data).toHaveLength(8 * 1024 * 1024)
  })
})
