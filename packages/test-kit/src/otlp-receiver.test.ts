import { gzipSync } from 'node:zlib'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import { decodeOtlpSpans, startOtlpReceiver } from './otlp-receiver.ts'

const LENGTH = WireType.LengthDelimited

/** A request with one span, written field by field as the messages of the standard have them. */
function writeRequest(): Uint8Array {
  const message = (write: (writer: BinaryWriter) => void): Uint8Array => {
    const writer = new BinaryWriter()
    write(writer)
    return writer.finish()
  }
  const pair = (key: string, write: (writer: BinaryWriter) => void): Uint8Array =>
    message((one) => one.tag(1, LENGTH).string(key).tag(2, LENGTH).bytes(message(write)))
  const span = message((one) =>
    one
      .tag(1, LENGTH)
      .bytes(Buffer.from('0af7651916cd43dd8448eb211c80319c', 'hex'))
      .tag(2, LENGTH)
      .bytes(Buffer.from('b7ad6b7169203331', 'hex'))
      .tag(4, LENGTH)
      .bytes(Buffer.from('00f067aa0ba902b7', 'hex'))
      .tag(5, LENGTH)
      .string('chat m')
      .tag(6, WireType.Varint)
      .uint32(3)
      .tag(7, WireType.Bit64)
      .fixed64(1_700_000_000_000_000_001n)
      .tag(8, WireType.Bit64)
      .fixed64(1_700_000_000_000_000_009n)
      .tag(9, LENGTH)
      .bytes(pair('text', (value) => value.tag(1, LENGTH).string('ü')))
      .tag(9, LENGTH)
      .bytes(pair('yes', (value) => value.tag(2, WireType.Varint).bool(true)))
      .tag(9, LENGTH)
      .bytes(pair('count', (value) => value.tag(3, WireType.Varint).int64(-7)))
      .tag(9, LENGTH)
      .bytes(pair('share', (value) => value.tag(4, WireType.Bit64).double(0.25)))
      .tag(15, LENGTH)
      .bytes(message((status) => status.tag(3, WireType.Varint).uint32(2)))
      .tag(16, WireType.Bit32)
      .fixed32(0x301),
  )
  const scopeSpans = message((one) =>
    one
      .tag(1, LENGTH)
      .bytes(message((scope) => scope.tag(1, LENGTH).string('svc')))
      .tag(2, LENGTH)
      .bytes(span),
  )
  const resource = message((one) =>
    one.tag(1, LENGTH).bytes(pair('service.name', (value) => value.tag(1, LENGTH).string('s'))),
  )
  const resourceSpans = message((one) => one.tag(1, LENGTH).bytes(resource).tag(2, LENGTH).bytes(scopeSpans))
  return message((one) => one.tag(1, LENGTH).bytes(resourceSpans))
}

const EXPECTED = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  traceState: '',
  name: 'chat m',
  kind: 3,
  startedAt: 1_700_000_000_000_000_001n,
  endedAt: 1_700_000_000_000_000_009n,
  attributes: { text: 'ü', yes: true, count: -7, share: 0.25 },
  statusCode: 2,
  statusMessage: '',
  flags: 0x301,
  resource: { 'service.name': 's' },
  scope: 'svc',
}

describe('the receiver of spans', () => {
  it('reads the messages of the standard', () => {
    expect(decodeOtlpSpans(writeRequest())).toEqual([EXPECTED])
    expect(decodeOtlpSpans(new Uint8Array())).toEqual([])
    expect(() => decodeOtlpSpans(writeRequest().subarray(0, 40))).toThrow()
  })

  it('keeps what is sent to it, compressed or not', async () => {
    await using receiver = await startOtlpReceiver()
    for (const [body, encoding] of [
      [writeRequest(), 'identity'],
      [gzipSync(writeRequest()), 'gzip'],
    ] as const) {
      const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': encoding }
      expect((await fetch(`${receiver.endpoint}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200)
    }
    expect(receiver.spans()).toEqual([EXPECTED, EXPECTED])
  })
})
