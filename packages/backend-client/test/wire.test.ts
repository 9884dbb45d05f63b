import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
  encodeMessage,
  MemoryUsageData,
  type MessageType,
  PredictOptions,
  Reply,
  StatusResponse,
  StatusResponse_State,
  TranscriptLiveRequest,
  TranscriptSegment,
  TTSRequest,
} from '../src/proto.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Bytes of a message as protoc itself writes them, from its text format. */
function protoc(message: string, text: string): Buffer {
  return execFileSync(
    process.execPath,
    [
      join(root, 'node_modules/protoc/protoc.cjs'),
      `--proto_path=${join(root, 'protos')}`,
      `--encode=backend.${message}`,
      'backend.proto',
    ],
    { input: text },
  )
}

/** Both directions: our bytes are protoc's, and protoc's bytes are our message. */
function expectSameBytes<T>(type: MessageType<T>, message: T, bytes: Buffer): void {
  expect(encodeMessage(type, message).toString('hex')).toBe(bytes.toString('hex'))
  expect(type.decode(bytes)).toEqual(message)
}

it('writes a negative enum value in ten bytes', () => {
  const message = StatusResponse.fromPartial({ state: StatusResponse_State.ERROR })
  const bytes = protoc('StatusResponse', 'state: ERROR')
  expect(bytes).toHaveLength(11)
  expectSameBytes(StatusResponse, message, bytes)
})

it('tells an optional field that is empty from one that is absent', () => {
  const text = 'text: "hi" language: ""'
  expectSameBytes(TTSRequest, TTSRequest.fromPartial({ text: 'hi', language: '' }), protoc('TTSRequest', text))
  expect(TTSRequest.decode(protoc('TTSRequest', 'text: "hi"')).language).toBeUndefined()
})

it('keeps 64-bit numbers exact', () => {
  const start = 9_007_199_254_740_993n
  const message = TranscriptSegment.fromPartial({ start, end: -1n })
  expectSameBytes(TranscriptSegment, message, protoc('TranscriptSegment', `start: ${start} end: -1`))
  const total = 2n ** 64n - 1n
  expectSameBytes(
    MemoryUsageData,
    MemoryUsageData.fromPartial({ total, breakdown: { heap: 1n } }),
    protoc('MemoryUsageData', `total: ${total} breakdown { key: "heap" value: 1 }`),
  )
})

it('writes exactly one branch of a oneof', () => {
  const message = TranscriptLiveRequest.fromPartial({ audio: { pcm: [0.5, -1] } })
  expectSameBytes(TranscriptLiveRequest, message, protoc('TranscriptLiveRequest', 'audio { pcm: [0.5, -1] }'))
})

it('packs repeated numbers and keeps maps, bytes and nested messages', () => {
  expectSameBytes(
    PredictOptions,
    PredictOptions.fromPartial({
      Prompt: 'grüße',
      Seed: -1,
      EmbeddingTokens: [1, 300, -5],
      Messages: [{ role: 'user', content: 'a' }, { role: 'tool' }],
      Metadata: { enable_thinking: 'true' },
      MinP: 0.25,
      ModelIdentity: 'm',
    }),
    protoc(
      'PredictOptions',
      `Prompt: "grüße" Seed: -1 EmbeddingTokens: [1, 300, -5] Messages { role: "user" content: "a" }
       Messages { role: "tool" } Metadata { key: "enable_thinking" value: "true" } MinP: 0.25 ModelIdentity: "m"`,
    ),
  )
  expectSameBytes(
    Reply,
    Reply.fromPartial({ message: Buffer.from([0xf0, 0x9f]), chatDeltas: [{ toolCalls: [{ index: 1, name: 'f' }] }] }),
    protoc('Reply', 'message: "\\xf0\\x9f" chat_deltas { tool_calls { index: 1 name: "f" } }'),
  )
})

it('reads past fields of a later release', () => {
  const known = protoc('TranscriptSegment', 'id: 7')
  const unknown = Buffer.from([0xa2, 0x06, 0x03, 0x61, 0x62, 0x63])
  expect(TranscriptSegment.decode(Buffer.concat([unknown, known, unknown])).id).toBe(7)
})
