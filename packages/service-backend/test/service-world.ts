import { createHttpUpstream } from '@svc/http-client'
import { startUpstream, type Upstream as TestUpstream, type UpstreamScript } from '@svc/test-kit'
import { createService, type Service } from '../src/service/service.ts'
import { loadServiceTarget, type ServiceSettings } from '../src/service/target.ts'

/** A model of another instance, and that instance, which records its requests. */
export interface ServiceWorld extends AsyncDisposable {
  readonly service: Service
  readonly instance: TestUpstream
  /** The JSON of the last request. */
  readonly asked: () => unknown
  /** The fields of the last form, files as their text. */
  readonly askedForm: () => [string, string][]
}

/** Starts an instance and loads a model of it. */
export async function startWorld(settings: ServiceSettings = {}): Promise<ServiceWorld> {
  const instance = await startUpstream()
  const upstream = createHttpUpstream()
  const target = await loadServiceTarget(
    { upstreamUrl: instance.origin, ...settings },
    { name: 'm', warn: () => {}, secrets: { variable: () => 'sk-secret', file: () => Promise.resolve('') } },
  )
  const last = () => {
    const request = instance.requests.at(-1)
    if (request === undefined) throw new Error('nothing was asked')
    return request
  }
  return {
    service: createService({ target, upstream }),
    instance,
    asked: () => JSON.parse(last().text()),
    askedForm: () => readForm(last().text(), last().header('content-type')[0] ?? ''),
    async [Symbol.asyncDispose]() {
      await upstream.close()
      await instance.close()
    },
  }
}

/** A reply of JSON. */
export function json(body: unknown, status = 200): UpstreamScript {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** A reply of other bytes. */
export function file(body: string | Uint8Array, type = 'application/octet-stream'): UpstreamScript {
  return { headers: { 'content-type': type }, body }
}

/** A reply of events. */
export function sse(...events: readonly unknown[]): UpstreamScript {
  const data = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  return { headers: { 'content-type': 'text/event-stream' }, body: data.join('') }
}

/** Collects all items of a stream. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** Reads all bytes of a stream as text. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await collect(body)).toString()
}

function readForm(body: string, contentType: string): [string, string][] {
  const boundary = /boundary=(.+)$/.exec(contentType)?.[1] ?? ''
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...value] = part.split('\r\n\r\n')
      return [/ name="([^"]*)"/.exec(head)?.[1] ?? '', value.join('\r\n\r\n').slice(0, -2)]
    })
}

/** Cuts bytes into two pieces. */
export async function* cutBytes(bytes: Uint8Array, offset: number): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, offset)
  yield bytes.subarray(offset)
}

/** A file of 16-bit mono sound with an unknown length, as in streams. */
export function wav(sampleRate: number, samples: Uint8Array): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(0xffffffff, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(0xffffffff, 40)
  return Buffer.concat([head, samples])
}
