import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { LINGER_BYTES } from '@svc/http-reader'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/support/test-app.ts'
import { createBodyReader } from './body.ts'
import { json } from './json.ts'
import { defineRoute } from './route.ts'

const BODY_BYTES = 8_000_000
const KEY = 'a-key'
const AUTHORIZED = { Authorization: `Bearer ${KEY}` }
/** Each is sent so often: a reply that is lost is a matter of luck. */
const TIMES = 3

function startRefusing(opaqueErrors = false): Promise<TestApp> {
  const bodies = createBodyReader({ maxBytes: 1_000_000, idleMs: 30_000, totalBytes: 1_000_000_000 })
  const route = { method: 'POST', access: 'any', family: 'compatible', tag: 'test', summary: 'test' } as const
  const routes = [
    // The server reads these requests itself, and leaves those with a parameter to Node.
    ...['/direct', '/node/:id'].map((path) =>
      defineRoute({
        ...route,
        path,
        async handler(call) {
          const held = await bodies.read(call)
          held.release()
          return json({ size: held.bytes.length })
        },
      }),
    ),
    defineRoute({ ...route, path: '/unread', handler: () => json({}) }),
    defineRoute({ ...route, path: '/unread/:id', handler: () => json({}) }),
  ]
  return startTestApp(routes, { bodies, keys: [KEY], opaqueErrors })
}

interface Refused {
  readonly name: string
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly isChunked?: boolean
}

const REFUSED: readonly Refused[] = [
  ...['/direct', '/node/1'].flatMap((path) => [
    { name: 'a body that is too large', path, status: 413, headers: AUTHORIZED },
    { name: 'a body in chunks that is too large', path, status: 413, headers: AUTHORIZED, isChunked: true },
    { name: 'no credentials', path, status: 401, headers: {} },
    {
      name: 'wrong credentials, in chunks',
      path,
      status: 401,
      headers: { Authorization: 'Bearer b' },
      isChunked: true,
    },
    { name: 'a coding', path, status: 415, headers: { ...AUTHORIZED, 'Content-Encoding': 'gzip' } },
    { name: 'the end of the connection', path, status: 401, headers: { Connection: 'close' } },
  ]),
  { name: 'a path that is none', path: '/none', status: 404, headers: AUTHORIZED },
  { name: 'nothing, but nobody reads it', path: '/unread', status: 200, headers: AUTHORIZED },
  { name: 'nothing, but nobody reads it', path: '/unread/1', status: 200, headers: AUTHORIZED },
]

// Like many clients it reads no reply before it has sent all of its body, and then says that the pipe is broken.
const PYTHON = `
import http.client, json, sys
port, size, times, cases = json.loads(sys.argv[1])
statuses = []
for case in cases:
    for _ in range(times):
        connection = http.client.HTTPConnection('127.0.0.1', port)
        chunked = case.get('isChunked', False)
        body = (b'x' * 65536 for _ in range(size // 65536)) if chunked else b'x' * size
        try:
            connection.request('POST', case['path'], body, case['headers'], encode_chunked=chunked)
            reply = connection.getresponse()
            statuses.append([case['path'], case['name'], reply.status, len(reply.read()) > 0])
        except OSError as error:
            statuses.append([case['path'], case['name'], repr(error), False])
        connection.close()
print(json.dumps(statuses))
`

// verifies errors:status:too-large
it.each([[false], [true]])('IN-1: early refusals reach Python, with opaque errors: %s', async (opaqueErrors) => {
  await using app = await startRefusing(opaqueErrors)
  const given = JSON.stringify([Number(new URL(app.url).port), BODY_BYTES, TIMES, REFUSED])
  const { stdout } = await promisify(execFile)('python3', ['-c', PYTHON, given])
  const hasBody = (status: number): boolean => !opaqueErrors || status === 200
  expect(JSON.parse(stdout)).toEqual(
    REFUSED.flatMap(({ path, name, status }) => Array(TIMES).fill([path, name, status, hasBody(status)])),
  )
})

it.each(REFUSED)('IN-1: early refusals reach Node: $path, $name', async ({ path, status, headers, isChunked }) => {
  await using app = await startRefusing()
  const { port } = new URL(app.url)
  const length = isChunked === true ? {} : { 'Content-Length': String(BODY_BYTES) }
  for (let time = 0; time < TIMES; time += 1) {
    const reply = new Promise((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, method: 'POST', headers: { ...headers, ...length } })
      let seen: number | undefined
      call.once('response', (incoming) => {
        seen = incoming.statusCode
        incoming.resume()
      })
      // All of the body is taken, or the reply was read before the connection went.
      call.once('close', () => resolve(seen))
      call.on('error', (error) => (seen === undefined ? reject(error) : resolve(seen)))
      call.end(Buffer.alloc(BODY_BYTES))
    })
    expect(await reply).toBe(status)
  }
})

it.each(['/direct', '/node/1', '/none'])('IN-1: %s does not take a body without end', async (path) => {
  await using app = await startRefusing()
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000000\r\n\r\n`)
  const piece = Buffer.alloc(1024 * 1024)
  const send = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', send)
  send()
  await closed
  expect(text).toMatch(/^HTTP\/1\.1 40[14] /)
  // The buffers of both ends come on top.
  expect(socket.bytesWritten).toBeLessThan(LINGER_BYTES + 32 * 1024 * 1024)
})

it.each(['/direct', '/node/1'])('a refusal of %s leaves the connection to the next request', async (path) => {
  await using app = await startRefusing()
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  let text = ''
  const until = async (part: RegExp): Promise<void> => {
    while (!part.test(text)) await new Promise((resolve) => socket.once('data', resolve))
  }
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n`
  socket.write(`${head}\r\nabc`)
  await until(/HTTP\/1\.1 401 /)
  socket.write('x'.repeat(499_997))
  socket.write(`${head}Authorization: Bearer ${KEY}\r\n\r\n${'y'.repeat(500_000)}`)
  await until(/\{"size":500000\}$/)
  socket.destroy()
})
