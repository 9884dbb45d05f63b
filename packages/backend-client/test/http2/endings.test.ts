import { constants, type ServerHttp2Stream } from 'node:http2'
import { deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createBackendClient } from '../../src/index.ts'
import {
  beginReply,
  frame,
  GRPC_HEADERS,
  type OnCall,
  replyBytes,
  replyFrame,
  startHttp2Backend,
} from './http2-backend.ts'
import { ALONE_MAX_BYTES, CALL_KINDS, type Outcome, REPLIES, settle, settleAlone, settlePushed } from './outcome.ts'
import { type RawStream, startRawHttp2 } from './raw-http2.ts'

/** The end of a call, as far as it is ours: the texts of gRPC libraries differ. */
type Ending = Partial<Outcome>

interface Case {
  readonly name: string
  /** The act of the backend. */
  readonly answer: OnCall
  readonly unary: Ending
  readonly stream: Ending
}

const BROKEN_OFF = { kind: 'unavailable', code: 'backend_cancelled', message: 'the backend broke the call off' }
const UNREACHABLE = { kind: 'unavailable', code: 'backend_unavailable', message: 'the backend is not reachable' }
const FAULTY = { kind: 'internal', code: 'backend_error' }
const TOO_LARGE = { kind: 'internal', code: 'reply_too_large', message: 'the reply of the backend is too large' }
const NO_REPLY = { kind: 'not_implemented', code: 'unimplemented' }

/** A case in which both kinds of calls end alike, without a message. */
function alike(name: string, answer: OnCall, ending: Ending): Case {
  return { name, answer, unary: { texts: [], ...ending }, stream: { texts: [], ...ending } }
}

/** A case in which a stream gets one message before its end. */
function afterOne(name: string, answer: OnCall, ending: Ending): Case {
  return { name, answer, unary: { texts: [], ...ending }, stream: { texts: ['hello'], ...ending } }
}

function endEarly(headers: Readonly<Record<string, string>>): OnCall {
  return (stream) => {
    stream.resume()
    stream.respond({ ...GRPC_HEADERS, ...headers }, { endStream: true })
  }
}

function answerPage(status: number): OnCall {
  return (stream) => {
    stream.resume()
    stream.respond({ ':status': status, 'content-type': 'text/html' })
    stream.end('<html>an error page</html>')
  }
}

function answerBytes(bytes: Buffer, trailers?: Readonly<Record<string, string>>, headers = {}): OnCall {
  return (stream) => {
    beginReply(stream, trailers, headers)
    stream.end(bytes)
  }
}

function endWithoutTrailers(bytes: Buffer): OnCall {
  return (stream) => {
    stream.resume()
    stream.respond(GRPC_HEADERS)
    stream.end(bytes)
  }
}

function cutAfter(bytes: Buffer | undefined): OnCall {
  return (stream) => {
    stream.resume()
    stream.respond(GRPC_HEADERS)
    stream.write(bytes ?? Buffer.alloc(0), () => stream.session?.destroy())
  }
}

const HELLO = replyFrame('hello')
const HALF = HELLO.subarray(0, 8)
const GZIP = { 'grpc-encoding': 'gzip' }
const BOMB = gzipSync(replyBytes('x'.repeat(4 * ALONE_MAX_BYTES)))

const CASES: readonly Case[] = [
  alike('a status in the headers', endEarly({ 'grpc-status': '5', 'grpc-message': 'no%20face%E2%80%A6' }), {
    kind: 'not_found',
    code: 'not_found',
    message: 'no face…',
  }),
  {
    name: 'a good status in the headers',
    answer: endEarly({ 'grpc-status': '0' }),
    unary: { texts: [], ...NO_REPLY },
    stream: { texts: [] },
  },
  alike('headers alone, without a status', endEarly({}), FAULTY),
  alike('an error page with status 400', answerPage(400), FAULTY),
  alike('an error page with status 401', answerPage(401), { kind: 'unauthenticated', code: 'unauthenticated' }),
  alike('an error page with status 403', answerPage(403), { kind: 'forbidden', code: 'forbidden' }),
  alike('an error page with status 404', answerPage(404), NO_REPLY),
  alike('an error page with status 429', answerPage(429), UNREACHABLE),
  alike('an error page with status 500', answerPage(500), FAULTY),
  alike('an error page with status 502', answerPage(502), UNREACHABLE),
  alike('an error page with status 503', answerPage(503), UNREACHABLE),
  alike('an error page with status 504', answerPage(504), UNREACHABLE),
  alike('a page with status 200', answerPage(200), FAULTY),
  afterOne('an end without trailers', endWithoutTrailers(HELLO), BROKEN_OFF),
  alike('an end without a message and trailers', endWithoutTrailers(Buffer.alloc(0)), BROKEN_OFF),
  afterOne('a status that is not a number', answerBytes(HELLO, { 'grpc-status': 'banana' }), FAULTY),
  afterOne('a status of a later release', answerBytes(HELLO, { 'grpc-status': '99', 'grpc-message': 'later' }), {
    ...FAULTY,
    message: 'later',
  }),
  afterOne('trailers without a status', answerBytes(HELLO, { 'x-other': '1' }), FAULTY),
  afterOne(
    'a failure of a backend of ours',
    answerBytes(HELLO, {
      'grpc-status': '8',
      'grpc-message': 'the slot is full',
      'svc-error-kind': 'insufficient_storage',
      'svc-error-code': 'slot_too_large',
    }),
    {
      kind: 'insufficient_storage',
      code: 'slot_too_large',
      message: 'the slot is full',
    },
  ),
  alike('a good end inside a message', answerBytes(HALF), FAULTY),
  alike('a good end inside the head of a message', answerBytes(HELLO.subarray(0, 3)), FAULTY),
  alike(
    'a message that is announced with 4 GiB',
    answerBytes(frame(replyBytes('x'), { length: 0xffff_ffff })),
    TOO_LARGE,
  ),
  alike('a compressed message without a name for it', answerBytes(frame(replyBytes('x'), { flag: 1 })), FAULTY),
  alike(
    'a message in an unknown compression',
    answerBytes(frame(replyBytes('x'), { flag: 1 }), undefined, { 'grpc-encoding': 'snappy' }),
    FAULTY,
  ),
  alike(
    'a message that is not what its compression says',
    answerBytes(frame(replyBytes('x'), { flag: 1 }), undefined, GZIP),
    FAULTY,
  ),
  alike('a message that inflates over the limit', answerBytes(frame(BOMB, { flag: 1 }), undefined, GZIP), TOO_LARGE),
  alike('bytes that are no message', answerBytes(frame(Buffer.of(0x0a, 0xff, 0xff, 0xff))), FAULTY),
  alike('a connection that is cut at once', (stream) => stream.session?.destroy(), UNREACHABLE),
  alike('a connection that is cut after the headers', cutAfter(undefined), UNREACHABLE),
  alike('a connection that is cut inside a message', cutAfter(HALF), UNREACHABLE),
  afterOne('a connection that is cut after a message', cutAfter(HELLO), UNREACHABLE),
]

const RUNS = CASES.flatMap((one) => CALL_KINDS.map((kind) => ({ ...one, kind })))

it.each(RUNS)('ends a $kind call after $name', async ({ answer, kind, ...endings }) => {
  await using backend = await startHttp2Backend(answer)
  const expected = endings[REPLIES[kind]]
  const outcome = await settleAlone(backend.address, kind)
  expect(outcome).toMatchObject(expected)
  expect('kind' in outcome).toBe('kind' in expected)
})

it.each(CASES)('ends a pushed stream after $name as one that is pulled', async ({ answer, stream }) => {
  await using backend = await startHttp2Backend(answer)
  await using client = createBackendClient({ address: backend.address, maxMessageBytes: ALONE_MAX_BYTES })
  expect(await settlePushed(client)).toEqual(await settle(client, 'stream'))
  expect(await settlePushed(client)).toMatchObject(stream)
})

/** Resets at each step of a reply. */
const STEPS: Readonly<Record<string, (stream: RawStream) => void>> = {
  'at once': () => {},
  'after the headers': (stream) => stream.headers(),
  'inside a message': (stream) => {
    stream.headers()
    stream.data(HALF)
  },
  'after a message': (stream) => {
    stream.headers()
    stream.data(HELLO)
  },
}

const RESETS: ReadonlyArray<readonly [keyof typeof constants, Ending]> = [
  ['NGHTTP2_NO_ERROR', BROKEN_OFF],
  ['NGHTTP2_PROTOCOL_ERROR', BROKEN_OFF],
  ['NGHTTP2_INTERNAL_ERROR', BROKEN_OFF],
  ['NGHTTP2_REFUSED_STREAM', UNREACHABLE],
  ['NGHTTP2_CANCEL', BROKEN_OFF],
  ['NGHTTP2_ENHANCE_YOUR_CALM', { kind: 'rate_limited', code: 'rate_limited' }],
  ['NGHTTP2_INADEQUATE_SECURITY', { kind: 'forbidden', code: 'forbidden' }],
]

const RESET_RUNS = RESETS.flatMap(([name, ending]) =>
  Object.entries(STEPS).flatMap(([step, begin]) => CALL_KINDS.map((kind) => ({ name, ending, step, begin, kind }))),
)

it.each(RESET_RUNS)('ends a $kind call after a reset with $name $step', async (run) => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      run.begin(stream)
      stream.reset(Number(constants[run.name]))
    },
  })
  const texts = REPLIES[run.kind] === 'stream' && run.step === 'after a message' ? ['hello'] : []
  expect(await settleAlone(backend.address, run.kind)).toMatchObject({ texts, ...run.ending })
})

it.each(CALL_KINDS)('gives a %s call its answer when the connection is cut after the trailers', async (kind) => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers()
      stream.data(HELLO)
      stream.trailers({ 'grpc-status': '0' })
      stream.socket.end()
    },
  })
  expect(await settleAlone(backend.address, kind)).toEqual({ texts: ['hello'] })
})

it.each(CALL_KINDS)(
  'gives a %s call its answer when the stream is reset without an error after the trailers',
  async (kind) => {
    await using backend = await startRawHttp2({
      onRequest(stream) {
        stream.headers()
        stream.data(HELLO)
        stream.trailers({ 'grpc-status': '0' })
        stream.reset(constants.NGHTTP2_NO_ERROR)
      },
    })
    expect(await settleAlone(backend.address, kind)).toEqual({ texts: ['hello'] })
  },
)

it.each(CALL_KINDS)('fails a %s call when the backend says go away with an error', async (kind) => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers()
      stream.goaway(0, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    },
  })
  expect(await settleAlone(backend.address, kind)).toMatchObject({ kind: 'rate_limited' })
})

it.each(CALL_KINDS)('fails a %s call that a leaving backend has not taken', async (kind) => {
  await using backend = await startRawHttp2({ onRequest: (stream) => stream.goaway(0, constants.NGHTTP2_NO_ERROR) })
  expect(await settleAlone(backend.address, kind)).toMatchObject(UNREACHABLE)
})

it.each(CALL_KINDS.filter((kind) => REPLIES[kind] === 'unary'))('refuses a second reply to a %s call', async (kind) => {
  await using backend = await startHttp2Backend(answerBytes(Buffer.concat([HELLO, HELLO])))
  expect(await settleAlone(backend.address, kind)).toMatchObject({
    ...NO_REPLY,
    message: 'the backend sent more than one reply',
  })
})

it.each(CALL_KINDS)('reads a %s call that comes byte by byte', async (kind) => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers()
      for (const byte of HELLO) stream.data(Buffer.of(byte))
      stream.trailers({ 'grpc-status': '0' })
    },
  })
  expect(await settleAlone(backend.address, kind)).toEqual({ texts: ['hello'] })
})

const ENCODINGS = { gzip: gzipSync, deflate: deflateSync }

it.each(CALL_KINDS)('inflates the replies of a %s call, in order with those that are not', async (kind) => {
  for (const [encoding, deflate] of Object.entries(ENCODINGS)) {
    const parts = ['one', 'two', 'three', 'four'].map((text, index) =>
      index % 2 === 0 ? frame(deflate(replyBytes(text)), { flag: 1 }) : replyFrame(text),
    )
    const answer = (stream: ServerHttp2Stream) => {
      beginReply(stream, undefined, { 'grpc-encoding': encoding })
      stream.end(Buffer.concat(REPLIES[kind] === 'unary' ? parts.slice(0, 1) : parts))
    }
    await using backend = await startHttp2Backend(answer)
    const texts = REPLIES[kind] === 'unary' ? ['one'] : ['one', 'two', 'three', 'four']
    expect(await settleAlone(backend.address, kind)).toEqual({ texts })
  }
})

it('inflates a reply although its stream is reset behind it', async () => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers(GZIP)
      stream.data(frame(gzipSync(replyBytes('hello')), { flag: 1 }))
      stream.reset(constants.NGHTTP2_CANCEL)
    },
  })
  expect(await settleAlone(backend.address, 'stream')).toMatchObject({ texts: ['hello'], ...BROKEN_OFF })
})
