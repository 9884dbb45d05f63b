import {
  EmbeddingResult,
  Reply,
  RerankResult,
  Result,
  ScoreResponse,
  TokenClassifyResponse,
  VADResponse,
} from '@svc/backend-client/proto'

/** The answer of a healthy backend. */
export const HEALTHY = Buffer.from(Reply.encode(Reply.fromPartial({ message: Buffer.from('OK') })).finish())

/** The answer of a successful call, such as a load. */
export const SUCCESS = Buffer.from(Result.encode(Result.fromPartial({ success: true })).finish())

/** Bytes that are not a message of any type: a field that claims to be longer than the rest. */
export const GARBAGE = Buffer.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00)

/** Bytes that are not UTF-8: a stray continuation, an overlong slash, a surrogate, a start without an end. */
export const NOT_UTF8 = Buffer.of(0x80, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf0, 0x9f)

/** A correct reply with this text. */
export function replyMessage(text: string): Buffer {
  return Buffer.from(Reply.encode(Reply.fromPartial({ message: Buffer.from(text) })).finish())
}

/** A reply whose text is not UTF-8, in a bytes field, which may hold it. */
export function replyWithBrokenText(): Buffer {
  return Buffer.from(Reply.encode(Reply.fromPartial({ message: NOT_UTF8 })).finish())
}

/** A reply with a `chat_deltas[0].content` that is not UTF-8, in a string field, which must not hold it. */
export function replyWithBrokenDelta(): Buffer {
  const content = Buffer.concat([Buffer.of(0x0a, NOT_UTF8.length), NOT_UTF8])
  return Buffer.concat([Buffer.of(0x42, content.length), content])
}

/** A reply of more than this many bytes. */
export function oversizeReply(bytes: number = 50 * 1024 * 1024): Buffer {
  return Buffer.from(Reply.encode(Reply.fromPartial({ message: Buffer.alloc(bytes, 'a') })).finish())
}

/** A reply with impossible token counts and timings. */
export function replyWithBrokenNumbers(): Buffer {
  return Buffer.from(
    Reply.encode(
      Reply.fromPartial({
        message: Buffer.from('x'),
        tokens: -5,
        promptTokens: -(2 ** 31),
        timingPromptProcessing: Number.NaN,
        timingTokenGeneration: Number.POSITIVE_INFINITY,
      }),
    ).finish(),
  )
}

/** Replies without end. */
export function* endlessReplies(text = 'again '): Generator<Buffer, never, undefined> {
  const message = replyMessage(text)
  for (;;) yield message
}

/** A stream that counts tokens down and gives a tool call's end before its start, and text after both. */
export function outOfOrderReplies(): Buffer[] {
  return [
    { tokens: 9, chatDeltas: [{ toolCalls: [{ index: 3, arguments: '"a":1}' }] }] },
    { tokens: 2, chatDeltas: [{ toolCalls: [{ index: 3, id: 'call_1', name: 'f', arguments: '{' }] }] },
    { tokens: 1, chatDeltas: [{ toolCalls: [{ index: -1, name: 'g' }] }] },
    { tokens: 0, message: Buffer.from('text'), chatDeltas: [{ reasoningContent: 'late thought' }] },
  ].map((reply) => Buffer.from(Reply.encode(Reply.fromPartial(reply)).finish()))
}

/** An embedding of NaN and infinities. */
export function brokenEmbedding(): Buffer {
  const embeddings = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  return Buffer.from(EmbeddingResult.encode(EmbeddingResult.fromPartial({ embeddings })).finish())
}

/** Scores of NaN and infinities, for the requested number of candidates. */
export function brokenScores(candidates = 2): Buffer {
  const candidate = { logProb: Number.NaN, lengthNormalizedLogProb: Number.POSITIVE_INFINITY, numTokens: -1 }
  const message = ScoreResponse.fromPartial({ candidates: Array.from({ length: candidates }, () => candidate) })
  return Buffer.from(ScoreResponse.encode(message).finish())
}

/** A ranking of unknown documents with invalid scores. */
export function brokenRanking(): Buffer {
  const results = [
    { index: -1, relevanceScore: Number.NaN },
    { index: 1_000_000, relevanceScore: Number.POSITIVE_INFINITY },
    { index: 0, relevanceScore: 1 },
    { index: 0, relevanceScore: 1 },
  ]
  return Buffer.from(RerankResult.encode(RerankResult.fromPartial({ results })).finish())
}

/** Spans outside the text, reversed, without a group and with invalid scores. */
export function brokenSpans(): Buffer {
  const entities = [
    { entityGroup: 'PERSON', start: -1, end: 5, score: 0.9 },
    { entityGroup: 'PERSON', start: 5, end: 2, score: 0.9 },
    { entityGroup: 'PERSON', start: 0, end: 1_000_000, score: 0.9 },
    { entityGroup: '', start: 0, end: 1, score: 0.9 },
    { entityGroup: 'PERSON', start: 0, end: 1, score: Number.NaN },
  ]
  return Buffer.from(TokenClassifyResponse.encode(TokenClassifyResponse.fromPartial({ entities })).finish())
}

/** Speech that ends before it starts, at invalid times. */
export function brokenSpeech(): Buffer {
  const segments = [
    { start: 2, end: 1 },
    { start: Number.NaN, end: Number.POSITIVE_INFINITY },
  ]
  return Buffer.from(VADResponse.encode(VADResponse.fromPartial({ segments })).finish())
}
