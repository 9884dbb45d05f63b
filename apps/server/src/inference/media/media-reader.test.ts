import { createServer } from 'node:http'
import { createFakeClock, startUpstream, trackSockets, type Upstream } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openClient } from '../../outbound/__fixtures__/test-client.ts'
import type { OutboundClientOptions } from '../../outbound/client.ts'
import { MP4, PNG, toDataUrl, WAV } from './__fixtures__/samples.ts'
import type { Attachment, MediaKind, MediaSource } from './attachment.ts'
import { createMediaReader, type MediaLimits } from './media-reader.ts'

const ALL: ReadonlySet<MediaKind> = new Set<MediaKind>(['image', 'audio', 'video'])
const { signal } = new AbortController()
const LIMITS: MediaLimits = {
  imageBytes: 1000,
  otherBytes: 500,
  requestBytes: 2000,
  totalBytes: 3000,
  fetchMs: 30_000,
}

function open(options: Partial<OutboundClientOptions> = {}, limits: Partial<MediaLimits> = {}) {
  const { client, logged } = openClient({ allow: { cidrs: ['127.0.0.1'], hosts: [] }, ...options })
  return { reader: createMediaReader({ outbound: client, limits: { ...LIMITS, ...limits } }), logged }
}

function attach(kind: Attachment['kind'], source: MediaSource): Attachment {
  return { kind, source, param: 'messages[0].content[1]' }
}

async function read(attachment: Attachment, parts = open(), accepts = ALL) {
  const reading = parts.reader.open()
  try {
    return await reading.read(attachment, { accepts, signal })
  } finally {
    reading.release()
  }
}

const image = (url: string) => attach('image', { url })
const refusal = (message: string) =>
  expect.objectContaining({
    kind: 'invalid_request',
    code: 'invalid_media',
    message: `messages[0].content[1]: ${message}`,
    details: { type: 'invalid_request_error', param: 'messages[0].content[1]' },
  })

describe('media in the request', () => {
  it('are the bytes that were sent', async () => {
    const png = { kind: 'image', mediaType: 'image/png', base64: PNG.toString('base64') }
    expect(await read(image(toDataUrl('image/png', PNG)))).toEqual(png)
    expect(await read(attach('image', { base64: PNG.toString('base64url'), mediaType: 'image/png' }))).toEqual(png)
    expect(await read(attach('image', { base64: toDataUrl('image/png', PNG) }))).toEqual(png)
    expect(await read(attach('audio', { base64: WAV.toString('base64') }))).toMatchObject({ mediaType: 'audio/wav' })
    expect(await read(attach('video', { url: toDataUrl('video/mp4', MP4) }))).toMatchObject({ kind: 'video' })
  })

  it('may be claimed as another type of their kind, or without a type', async () => {
    for (const name of ['image/jpeg', 'application/octet-stream', 'png']) {
      expect(await read(image(toDataUrl(name, PNG)))).toMatchObject({ mediaType: 'image/png' })
    }
  })

  it.each<[string, Attachment]>([
    ['is image/png, not audio', attach('audio', { url: toDataUrl('audio/wav', PNG) })],
    ['is image/png, not what its media type says', image(toDataUrl('text/html', PNG))],
    ['is image/png, not what its media type says', attach('file', { url: toDataUrl('audio/wav', PNG) })],
    ['is not an image of a known type', image(toDataUrl('image/png', Buffer.from('<svg/>')))],
    [
      'is not an image, audio or video of a known type',
      attach('file', { url: toDataUrl('text/plain', Buffer.from('hi')) }),
    ],
    ['is empty', image('data:image/png;base64,')],
    ['the data are not valid base64', image('data:image/png;base64,AA!A')],
    ['the data are not valid base64', attach('audio', { base64: 'https://a.example/x.wav' })],
    ...['', 'data:image/png,raw', 'file:///etc/passwd', '/etc/passwd', 'ftp://a.example/x', PNG.toString('base64')].map(
      (url): [string, Attachment] => [
        'must be an http or https URL, or a data URL in base64',
        attach('image', { url }),
      ],
    ),
  ])('are refused: %s', async (message, attachment) => {
    await expect(read(attachment)).rejects.toEqual(refusal(message))
  })

  it('sent as a file take their kind from their bytes', async () => {
    const film = attach('file', { url: toDataUrl('video/mp4', MP4) })
    expect(await read(film)).toMatchObject({ kind: 'video' })
    expect(await read(attach('file', { url: toDataUrl('audio/mp4', MP4) }))).toMatchObject({ kind: 'audio' })
    expect(await read(attach('file', { url: toDataUrl('application/x', WAV) }))).toMatchObject({ kind: 'audio' })
    await expect(read(film, open(), new Set(['image']))).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'modality_not_supported',
      message: 'messages[0].content[1]: this model takes no video',
    })
  })
})

describe('bounds', () => {
  const large = (size: number) => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)])
  const sound = (size: number) => Buffer.concat([WAV, Buffer.alloc(size - WAV.length)])
  const tooLarge = { kind: 'too_large', code: 'media_too_large' }

  it('hold for each medium by its kind', async () => {
    await expect(read(image(toDataUrl('image/png', large(1000))))).resolves.toBeDefined()
    await expect(read(image(toDataUrl('image/png', large(1001))))).rejects.toMatchObject(tooLarge)
    await expect(read(attach('audio', { url: toDataUrl('audio/wav', sound(500)) }))).resolves.toBeDefined()
    await expect(read(attach('audio', { url: toDataUrl('audio/wav', sound(501)) }))).rejects.toMatchObject(tooLarge)
  })

  it('hold for a request and for the server, and releasing gives all bytes back', async () => {
    const { reader } = open()
    const medium = image(toDataUrl('image/png', large(900)))
    const take = (reading: ReturnType<typeof reader.open>) => reading.read(medium, { accepts: ALL, signal })
    const [first, second] = [reader.open(), reader.open()]
    await take(first)
    await take(first)
    await expect(take(first)).rejects.toMatchObject({ ...tooLarge, message: expect.stringContaining('2000 bytes') })
    await take(second)
    await expect(take(second)).rejects.toMatchObject({ kind: 'unavailable', code: 'media_memory', retryAfterMs: 1000 })
    first.release()
    first.release()
    await take(second)
    second.release()
    const third = reader.open()
    await take(third)
    await take(third)
  })
})

/** A server on another address of this machine that counts its visitors. */
async function startCanary(port: number) {
  const server = createServer((_request, response) => response.end(PNG))
  const sockets = trackSockets(server)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.2', resolve))
  return {
    get hits() {
      return sockets.accepted
    },
    [Symbol.asyncDispose]: sockets.close,
  }
}

const at = ({ port }: Upstream, path = '/x.png') => `http://127.0.0.1:${port}${path}`
const UNFETCHED = 'the URL could not be fetched'
const NOT_ALLOWED = 'the URL is not allowed: only public http and https addresses are fetched'

describe('media at a URL', () => {
  it('are fetched, without anything of the client', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ headers: { 'content-type': 'image/png' }, body: PNG })
    expect(await read(image(at(upstream)))).toEqual({
      kind: 'image',
      mediaType: 'image/png',
      base64: PNG.toString('base64'),
    })
    const { headers } = await upstream.request(0)
    expect(Object.fromEntries(headers)).toMatchObject({ accept: 'image/*', 'user-agent': 'svc/test' })
    expect(headers.map(([name]) => name.toLowerCase()).sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
    )
  })

  it('may be behind redirects, three at most', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith(({ path }) => {
      const left = Number(path.slice(1))
      if (left === 0) return { body: PNG }
      return { status: 302, headers: { location: `/${left - 1}` } }
    })
    expect(await read(image(at(upstream, '/3')))).toMatchObject({ mediaType: 'image/png' })
    await expect(read(image(at(upstream, '/4')))).rejects.toEqual(refusal(UNFETCHED))
  })

  it.each([
    'http://127.0.0.2/',
    'http://10.0.0.1/x.png',
    'http://[::1]/x.png',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost/x.png',
    'http://metadata.google.internal/',
    'http://2130706434/',
    'http://user:pass@127.0.0.1/',
    'https://127.0.0.2/x.png',
  ])('are not fetched from the own network: %s', async (url) => {
    await expect(read(image(url))).rejects.toEqual(refusal(NOT_ALLOWED))
  })

  it('are not fetched from there by a redirect', async () => {
    await using upstream = await startUpstream()
    await using canary = await startCanary(upstream.port)
    upstream.replyWith({ status: 302, headers: { location: `http://127.0.0.2:${upstream.port}/x.png` } })
    await expect(read(image(at(upstream)))).rejects.toEqual(refusal(NOT_ALLOWED))
    expect(canary.hits).toBe(0)
  })

  it('are not fetched from there by a name that changes its mind', async () => {
    await using upstream = await startUpstream()
    await using canary = await startCanary(upstream.port)
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const resolve = async () => answers.shift() ?? []
    upstream.replyWith({ body: PNG })
    const parts = open({ resolve })
    const url = `http://media.example:${upstream.port}/x.png`
    expect(await read(image(url), parts)).toMatchObject({ mediaType: 'image/png' })
    await expect(read(image(url), parts)).rejects.toEqual(refusal(NOT_ALLOWED))
    await expect(read(image(url), open({ resolve: async () => ['127.0.0.1', '127.0.0.2'] }))).rejects.toEqual(
      refusal(NOT_ALLOWED),
    )
    expect([upstream.requests.length, canary.hits]).toEqual([1, 0])
  })

  it('give the same message for every failure, so that they reveal nothing of the other side', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ status: 404, body: 'no' }, { status: 500 }, { status: 204 }, { body: 'abc', end: 'cut' })
    for (let reply = 0; reply < 4; reply += 1) {
      await expect(read(image(at(upstream)))).rejects.toEqual(refusal(UNFETCHED))
    }
    const { port } = upstream
    await upstream.close()
    await expect(read(image(`http://127.0.0.1:${port}/`))).rejects.toEqual(refusal(UNFETCHED))
  })

  it('must have the kind they are fetched for, whatever media type the other server claims', async () => {
    await using upstream = await startUpstream()
    const page = Buffer.from('<!doctype html>')
    upstream.enqueue(
      { headers: { 'content-type': 'image/png' }, body: page },
      { headers: { 'content-type': 'text/html' }, body: PNG },
      { headers: { 'content-type': 'image/png' }, body: WAV },
      { headers: { 'content-type': 'application/octet-stream' }, body: PNG },
      {},
    )
    await expect(read(image(at(upstream)))).rejects.toEqual(refusal('is not an image of a known type'))
    await expect(read(image(at(upstream)))).rejects.toEqual(refusal('is image/png, not what its media type says'))
    await expect(read(image(at(upstream)))).rejects.toEqual(refusal('is audio/wav, not image'))
    await expect(read(image(at(upstream)))).resolves.toMatchObject({ mediaType: 'image/png' })
    await expect(read(image(at(upstream)))).rejects.toEqual(refusal('is empty'))
  })

  it('are cut off when they are too large, announced or not', async () => {
    await using upstream = await startUpstream()
    const endless = function* () {
      yield PNG
      for (;;) yield Buffer.alloc(256)
    }
    upstream.enqueue({ body: Buffer.alloc(1001) }, { body: endless() })
    const tooLarge = { kind: 'too_large', code: 'media_too_large', details: { param: 'messages[0].content[1]' } }
    await expect(read(image(at(upstream)))).rejects.toMatchObject(tooLarge)
    await expect(read(image(at(upstream)))).rejects.toMatchObject(tooLarge)
    expect(await (await upstream.request(1)).outcome).toBe('aborted')
  })

  it('are waited for as long as the limit says', async () => {
    await using upstream = await startUpstream()
    const clock = createFakeClock()
    upstream.replyWith({ body: [PNG.subarray(0, 8), new Promise(() => undefined)] })
    const reading = read(image(at(upstream)), open({ clock }, { fetchMs: 10_000 }))
    const failed = expect(reading).rejects.toEqual(refusal(UNFETCHED))
    const { outcome } = await upstream.request(0)
    await clock.advance(10_000)
    await failed
    expect(await outcome).toBe('aborted')
  })

  it('are let go when the client goes', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ body: [PNG.subarray(0, 8), new Promise(() => undefined)] })
    const controller = new AbortController()
    const { reader } = open()
    const reading = reader.open().read(image(at(upstream)), { accepts: ALL, signal: controller.signal })
    const failed = expect(reading).rejects.toThrow('client left')
    const { outcome } = await upstream.request(0)
    controller.abort(new Error('client left'))
    await failed
    expect(await outcome).toBe('aborted')
  })
})
