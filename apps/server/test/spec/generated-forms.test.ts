import { connect } from 'node:net'
import { patienceMs } from '@svc/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PNG } from '../../src/inference/media/__fixtures__/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { expectNoTemporaryFiles, makeWav } from '../support/sound.ts'

/** Forms over all routes: some hundreds; with `SVC_LONG=1` 10,000, or `FORMS`. */
const FORMS = Number(process.env.FORMS) || (process.env.SVC_LONG === '1' ? 10_000 : 400)
/** Forms in one run of {@link sendAll}. */
const TOGETHER = 8
/** Parts of the largest form. */
const MANY_PARTS = 100_000

const ROUTES = [
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/audio/diarization',
  '/v1/audio/classification',
  '/v1/images/edits',
  '/v1/images/inpainting',
  '/v1/images/upscale',
]
const NAMES = [
  ...['file', 'model', 'model', 'prompt', 'image', 'image[]', 'mask', 'response_format', 'stream', 'language'],
  ...['timestamp_granularities[]', 'temperature', 'n', 'size', 'scale', '', '__proto__', 'constructor', 'file[0][x]'],
  ...['a"b', 'a\r\nb', 'ü', '\u0000', 'x'.repeat(70_000)],
]
const VALUES = [
  ...['m', 'm', 'true', 'verbose_json', 'word', 'en', '0.5', '64x64', '2', 'a hat', '', 'null', '{"a":1}', '\u0000'],
  'x'.repeat(100_000),
]
const HEADERS = [
  'Content-Type: multipart/mixed; boundary=inner',
  'Content-Transfer-Encoding: base64',
  'Content-Type: text/plain; charset=utf-16',
  'Content-Type: application/x-www-form-urlencoded',
  'no colon here',
  ': empty',
  `X-Long: ${'y'.repeat(20_000)}`,
  'Content-Disposition: form-data; name="model"',
]
const FILES = [makeWav(0.2), PNG, Buffer.alloc(0), Buffer.from('RIFF'), Buffer.alloc(200_000, 1)]

const inForm = (head: string, content: Uint8Array = Buffer.from('m')) =>
  Buffer.concat([Buffer.from(`Content-Disposition: form-data; name=${head}\r\n\r\n`), content])
/** The parts that one or the other route needs. */
const COMPLETE = [
  inForm('"model"'),
  inForm('"prompt"'),
  inForm('"file"; filename="a.wav"', makeWav(0.1)),
  inForm('"image"; filename="a.png"', PNG),
  inForm('"mask"; filename="m.png"', PNG),
]

interface Form {
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
  readonly framing: 'exact' | 'short' | 'long' | 'chunked'
  /** How the client leaves after the last byte. */
  readonly leave: 'waits' | 'ends' | 'resets'
}

const text = (values: readonly string[]) => fc.constantFrom(...values)
const part = fc
  .record({
    name: text(NAMES),
    filename: fc.option(text(['a.wav', 'a.png', '', '../../a', '..\\a', 'a"b', 'ü.wav', '\u0000', 'z'.repeat(5000)])),
    headers: fc.array(text(HEADERS), { maxLength: 2 }),
    content: fc.oneof(
      { weight: 3, arbitrary: text(VALUES).map((value) => Buffer.from(value)) },
      { weight: 3, arbitrary: fc.constantFrom(...FILES) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    ),
  })
  .map(({ name, filename, headers, content }) => {
    const file = filename === null ? '' : `; filename="${filename}"`
    const head = [`Content-Disposition: form-data; name="${name}"${file}`, ...headers].join('\r\n')
    return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), content])
  })

const form: fc.Arbitrary<Form> = fc
  .record({
    path: text(ROUTES),
    isComplete: fc.boolean(),
    boundary: text(['b', 'b', 'b', "0'()+_,-./:=?", 'x'.repeat(70), 'y'.repeat(3000)]),
    declared: text(['same', 'same', 'same', 'same', 'other', 'none', 'quoted', 'twice']),
    parts: fc.array(part, { maxLength: 6 }),
    copies: fc.constantFrom(1, 1, 1, 1, 1, 1, 20, 2000),
    end: text(['--', '--', '--', '', '-', '--\r\nmore', '--\r\n--b--']),
    edit: fc.option(
      fc.record({ kind: text(['cut', 'flip', 'insert']), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
    ),
    framing: fc.constantFrom('exact', 'exact', 'exact', 'short', 'long', 'chunked'),
    leave: fc.constantFrom('waits', 'waits', 'ends', 'resets'),
  })
  .map(({ path, isComplete, boundary, declared, parts, copies, end, edit, framing, leave }) => {
    const needed = isComplete ? COMPLETE : []
    const bounded = [...needed, ...parts].flatMap((bytes) => [
      Buffer.from(`--${boundary}\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ])
    const size = bounded.reduce((sum, bytes) => sum + bytes.length, 0)
    const times = size * copies > 4_000_000 ? 1 : copies
    const whole = Buffer.concat([...Array(times).fill(bounded).flat(), Buffer.from(`--${boundary}${end}\r\n`)])
    return { path, contentType: declare(declared, boundary), body: change(whole, edit), framing, leave }
  })

function declare(declared: string, boundary: string): string {
  if (declared === 'none') return 'multipart/form-data'
  if (declared === 'other') return 'multipart/form-data; boundary=nothing'
  if (declared === 'quoted') return `multipart/form-data; boundary="${boundary}"; charset=utf-8`
  if (declared === 'twice') return `multipart/form-data; boundary=${boundary}; boundary=two`
  return `multipart/form-data; boundary=${boundary}`
}

function change(bytes: Buffer, edit: { readonly kind: string; readonly at: number } | null): Buffer {
  if (edit === null) return bytes
  const place = Math.floor(edit.at * (bytes.length - 1))
  if (edit.kind === 'cut') return bytes.subarray(0, place)
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
  if (edit.kind === 'insert') return Buffer.concat([before, Buffer.from('\r\n\r\n--b'), after])
  return Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ 0xff), after.subarray(1)])
}

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.model('m', {}, { known_usecases: ['transcript', 'diarization', 'sound_classification', 'image'] })
})
afterAll(() => server?.close())

/** Sends a form over a connection of its own. Gives the status, or undefined where the client left without a reply. */
async function send({ path, contentType, body, framing, leave }: Form): Promise<number | undefined> {
  const { hostname, host, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const chunks: Buffer[] = []
  const isAnswered = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    for (const event of ['end', 'error', 'close']) socket.on(event, () => resolve())
  })
  const length = { exact: body.length, short: Math.floor(body.length / 2), long: body.length + 1000, chunked: 0 }[
    framing
  ]
  const framed = framing === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: ${contentType}\r\n${framed}\r\n\r\n`,
  )
  if (framing !== 'chunked') socket.write(body)
  else {
    if (body.length > 0)
      socket.write(Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]))
    socket.write('0\r\n\r\n')
  }
  if (leave === 'resets') socket.resetAndDestroy()
  else if (leave === 'ends' || framing === 'long') socket.end()
  await isAnswered
  if (!socket.destroyed) socket.destroy()
  // A server may tell a client to go on before it replies.
  const reply = Buffer.concat(chunks)
    .toString('latin1')
    .replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, '')
  const status = /^HTTP\/1\.1 (\d{3})/.exec(reply)?.[1]
  return status === undefined ? undefined : Number(status)
}

/** Sends forms, some of them at once. Gives those that made the server fail. */
async function sendAll(forms: readonly Form[]): Promise<readonly object[]> {
  const faults: object[] = []
  const seen = new Map<number | undefined, number>()
  const queue = [...forms]
  const work = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const status = await send(next)
      seen.set(status, (seen.get(status) ?? 0) + 1)
      const isSilent = status === undefined && next.leave === 'waits' && next.framing === 'exact'
      if ((status ?? 0) >= 500 || isSilent) {
        faults.push({ ...next, status, body: next.body.subarray(0, 2000).toString('latin1') })
      }
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  // Forms of every kind must have come through.
  expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 400]))
  return faults
}

it(
  'generated forms never make the server fail, and leave nothing behind',
  async () => {
    const forms = fc.sample(form, { numRuns: FORMS, seed: Number(process.env.SEED ?? 20_261_129) })
    expect(await sendAll(forms)).toEqual([])
    await expectNoTemporaryFiles(server)
    expect((await server.call('/healthz')).status).toBe(200)
  },
  patienceMs(FORMS * 100),
)

it('a form of very many parts is refused at once', async () => {
  const one = Buffer.from('--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n')
  const body = Buffer.concat([...Array(MANY_PARTS).fill(one), Buffer.from('--b--\r\n')])
  for (const path of ROUTES) {
    const contentType = 'multipart/form-data; boundary=b'
    expect(await send({ path, contentType, body, framing: 'exact', leave: 'waits' })).toBe(400)
  }
  await expectNoTemporaryFiles(server)
})
