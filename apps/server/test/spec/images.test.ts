import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MockScript } from '@svc/backend-mock/script'
import { createDeferred, eventually, tempDir } from '@svc/test-kit'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PNG, toDataUrl, WAV } from '../../src/inference/media/__fixtures__/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { writeForwarded } from '../support/server-pair.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const run = promisify(execFile)
const GENERATE = '/v1/images/generations'
const EDIT = '/v1/images/edits'
const UPSCALE = '/v1/images/upscale'
const VIDEO = '/v1/video/generations'
const DETECT = '/v1/detection'
const DRAWS = { known_usecases: ['image', 'video', 'detection'] }
const png = PNG.toString('base64')
const HTML = Buffer.from('<html><script>alert(1)</script></html>').toString('base64')
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')

/** A PNG whose header says a size that no machine decodes. */
function writeHugePng(width = 100_000, height = 100_000): Buffer {
  const bytes = Buffer.from(PNG)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

interface Images {
  readonly id: string
  readonly created: number
  readonly output_format: string
  readonly usage: object
  readonly data: readonly { readonly index: number; readonly url?: string; readonly b64_json?: string }[]
}

/** Bytes of a large image. */
const LARGE_BYTES = 3_000_001

/** Failures of the second image of a request, in the order of the requests. */
const BROKEN = [
  ['refuses', { refuse: 'no memory left' }, 'no memory left'],
  ['fails', { failure: { status: 'INTERNAL', message: 'cannot draw' } }, 'cannot draw'],
  ['writes nothing', { writes: { as: 'nothing' } }, 'has written no file'],
  ['writes an empty file', { writes: { as: 'empty' } }, 'has written no file'],
  ['writes a link', { writes: { as: 'link', to: '/etc/passwd' } }, 'has written no file'],
  ['writes a folder', { writes: { as: 'folder' } }, 'has written no file'],
  ['writes HTML', { writes: { as: 'file', base64: HTML } }, 'no image of a known type'],
  ['writes SVG', { writes: { as: 'file', base64: SVG } }, 'no image of a known type'],
  ['writes sound', { writes: { as: 'file', base64: WAV.toString('base64') } }, 'no image of a known type'],
  ['writes too much', { writes: { as: 'file', base64: png, bytes: 257 * 1024 * 1024 } }, 'a file of more than'],
] as const

/** Behaviour of the model `odd`, by a word of the prompt. */
const ODD: NonNullable<MockScript['rules']> = [
  { contains: 'LARGE', do: { writes: { as: 'file', base64: png, bytes: LARGE_BYTES } } },
  { contains: 'PICKY', do: { failure: { status: 'INVALID_ARGUMENT', message: 'only 1024x1024' } } },
  { contains: 'SLOW', do: { hang: true } },
  { contains: 'STILL', do: { writes: { as: 'file', base64: png } } },
]

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  await server.model('odd', { rules: ODD }, DRAWS)
  await server.model('m', {}, { ...DRAWS, step: 9, parameters: { model: 'm.bin', negative_prompt: 'blurred' } })
  await server.model('plain', {}, DRAWS)
})
afterAll(() => server.close())

const ask = async (path: string, body: object, model = 'plain'): Promise<RawReply> =>
  server.post(path, { model, ...body })

/** Requests of an rpc that the mock got, oldest first. */
const calls = (model: string, rpc: string): Record<string, unknown>[] =>
  server
    .records(model)
    .filter((one) => one.rpc === rpc && one.event === 'start')
    .map(({ request: asked }) => asked as Record<string, unknown>)

/** Sends a form. */
async function sendForm(path: string, fields: Record<string, string | Blob | readonly Blob[]>): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const one of value) form.append(name, one as Blob, 'a.png')
    else if (value instanceof Blob) form.append(name, value, 'a.png')
    else form.append(name, value as string)
  }
  return fetch(new URL(path, server.url), { method: 'POST', body: form })
}

const blob = (bytes: Uint8Array = PNG): Blob => new Blob([new Uint8Array(bytes)], { type: 'image/png' })

/** Files that requests leave behind: drafts and uploads. */
async function listLeft(): Promise<string[]> {
  const data = join(server.folder, 'data')
  const folders = await readdir(join(data, 'generated')).catch(() => [])
  const drafts = folders.filter((name) => name.startsWith('.drafts-')).map((name) => join(data, 'generated', name))
  const all = [...drafts, join(data, 'tmp', 'forms')].map((folder) => readdir(folder).catch(() => []))
  return (await Promise.all(all)).flat()
}
const countKept = async (): Promise<number> =>
  (await readdir(join(server.folder, 'data', 'generated', 'images')).catch(() => [])).length
const expectNothingLeft = () => eventually(async () => expect(await listLeft()).toEqual([]))

describe('images from a text', () => {
  verifies(
    ['inference:route:image-generations', 'images:reply:url'],
    'are made one call each, and fetched at their addresses',
    async () => {
      const before = calls('m', 'GenerateImage').length
      for (const path of [GENERATE, '/images/generations']) {
        const reply = await ask(path, { prompt: 'a cat|a dog', n: 2, size: '48x32', seed: 7, clip_skip: 2 }, 'm')
        const body = reply.json() as Images
        expect([reply.status, body]).toEqual([
          200,
          {
            id: reply.headers['x-correlation-id'],
            created: expect.any(Number),
            output_format: 'png',
            data: [0, 1].map((index) => ({
              index,
              embedding: null,
              url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/generated-images\/[0-9a-f]{32}\.png$/),
            })),
            usage: {
              input_tokens: 0,
              output_tokens: 0,
              total_tokens: 0,
              prompt_tokens: 0,
              completion_tokens: 0,
              input_tokens_details: { text_tokens: 0, image_tokens: 0 },
            },
          },
        ])
        for (const { url = '' } of body.data) {
          const image = await server.call(new URL(url).pathname)
          expect([image.status, image.headers['content-type'], image.body.readUInt32BE(16)]).toEqual([
            200,
            'image/png',
            48,
          ])
        }
      }
      const asked = calls('m', 'GenerateImage').slice(before)
      expect(asked.map(({ seed }) => seed)).toEqual([7, 8, 7, 8])
      expect(asked[0]).toMatchObject({
        positivePrompt: 'a cat',
        negativePrompt: 'a dog',
        width: 48,
        height: 32,
        step: 9,
        CLIPSkip: 2,
        ModelIdentity: 'm.bin',
      })
      await expectNothingLeft()
    },
  )

  verifies('images:reply:bytes', 'come in base64, and none is kept', async () => {
    const before = await countKept()
    const reply = await ask(GENERATE, { prompt: 'x', response_format: 'b64_json', n: 3, size: '64x64' })
    const { data, usage } = reply.json() as Images
    expect([reply.status, data.map(({ index }) => index), usage]).toMatchObject([200, [0, 1, 2], { total_tokens: 0 }])
    for (const { b64_json = '' } of data) {
      const bytes = Buffer.from(b64_json, 'base64')
      expect([bytes.toString('base64'), bytes.readUInt32BE(16)]).toEqual([b64_json, 64])
      expect(bytes.subarray(-8, -4).toString('latin1')).toBe('IEND')
    }
    expect(await countKept()).toBe(before)
    await expectNothingLeft()
  })

  it('of a backend that writes megabytes come whole', async () => {
    const reply = await ask(GENERATE, { prompt: 'LARGE', response_format: 'b64_json', n: 2 }, 'odd')
    for (const { b64_json = '' } of (reply.json() as Images).data)
      expect(Buffer.from(b64_json, 'base64').equals(Buffer.concat([PNG], LARGE_BYTES))).toBe(true)
  })

  verifies('images:request:steps', 'have the steps of the request, of the model file, or the default', async () => {
    const steps = async (extra: object, model = 'plain') => {
      await ask(GENERATE, { prompt: 'x', ...extra }, model)
      return calls(model, 'GenerateImage').at(-1)?.step
    }
    expect(await steps({})).toBe(15)
    expect(await steps({}, 'm')).toBe(9)
    expect(await steps({ quality: '20' }, 'm')).toBe(20)
    expect(await steps({ quality: 21 })).toBe(21)
    expect(await steps({ quality: '20', step: 3 })).toBe(3)
    for (const quality of ['hd', 'low', 'auto', '', '1e9', '-3']) expect(await steps({ quality })).toBe(15)
    expect(calls('m', 'GenerateImage').at(-1)).toMatchObject({ negativePrompt: 'blurred', width: 512, height: 512 })
  })

  it('start from images in every form that a field takes', async () => {
    const file = toDataUrl('image/png', PNG)
    const body = { prompt: 'x', file, files: [png], ref_images: [png.replaceAll('+', '-').replaceAll('/', '_')] }
    expect((await ask(GENERATE, body)).status).toBe(200)
    const { src, refImages } = calls('plain', 'GenerateImage').at(-1) ?? {}
    expect([src, refImages]).toEqual([
      expect.stringMatching(/\/data\/tmp\/forms\/[\w-]+\.png$/),
      [expect.stringMatching(/\.png$/), expect.stringMatching(/\.png$/)],
    ])
    expect((await ask(GENERATE, { prompt: 'x', ref_images: [png] })).status).toBe(200)
    expect(calls('plain', 'GenerateImage').at(-1)).toMatchObject({ src: '', refImages: [expect.any(String)] })
    await expectNothingLeft()
  })

  verifies('images:request:fields', 'take the fields of other servers, and refuse wrong ones by name', async () => {
    const ignored = {
      background: 'auto',
      moderation: 'low',
      output_format: 'webp',
      output_compression: 5,
      style: 'vivid',
    }
    const more = { stream: false, partial_images: 0, user: 'ada', size: 'auto', quality: null, n: null, seed: 2 ** 63 }
    expect((await ask(GENERATE, { prompt: 'x', ...ignored, ...more })).status).toBe(200)
    const wrong: readonly (readonly [string, object])[] = [
      ['prompt', { prompt: '' }],
      ['prompt', { prompt: 5 }],
      ...[0, 11, -1, 1.5, '2'].map((n) => ['n', { n }] as const),
      ...['512', '0x5', '512x', 'x', '9000x1', '512x512x512', ' 5x5', '-1x5', '1e3x5', ''].map(
        (size) => ['size', { size }] as const,
      ),
      ...['b64', 'URL', 5].map((response_format) => ['response_format', { response_format }] as const),
      ...[0, 1001, 2.5].map((step) => ['step', { step }] as const),
      ['clip_skip', { clip_skip: -1 }],
      ['file', { file: 'file:///etc/passwd' }],
      ['file', { file: 'data:text/html;base64,PGI+' }],
      ['file', { file: SVG }],
      ['file', { file: WAV.toString('base64') }],
      ['file', { file: 'http://127.0.0.1:1/x.png' }],
      ['file', { file: 'http://169.254.169.254/latest' }],
      ['files[0]', { files: [writeHugePng().toString('base64')] }],
      ['ref_images[1]', { ref_images: [png, writeHugePng(9000, 9000).toString('base64')] }],
      ['files', { files: Array.from({ length: 17 }, () => png) }],
    ]
    const before = calls('plain', 'GenerateImage').length
    for (const [param, body] of wrong) {
      const reply = await ask(GENERATE, { prompt: 'x', ...body })
      expect([body, reply.status, reply.json()]).toMatchObject([body, 400, { error: { param } }])
    }
    expect(calls('plain', 'GenerateImage').length).toBe(before)
    await expectNothingLeft()
  })

  it('have addresses of the server as the caller sees it', async () => {
    await using proxied = await startTestServer({
      flags: ['--trusted-proxies=127.0.0.1/32', '--allowed-hosts=ai.example'],
    })
    await proxied.model('m', {}, DRAWS)
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ai.example', 'x-forwarded-prefix': '/svc' }
    const reply = await proxied.post(GENERATE, { model: 'm', prompt: 'x' }, headers)
    expect((reply.json() as Images).data[0]?.url).toMatch(/^https:\/\/ai\.example\/svc\/generated-images\/\w+\.png$/)
    await using named = await startTestServer({ flags: ['--external-base-url=https://models.example/x'] })
    await named.model('m', {}, DRAWS)
    const other = await named.post(GENERATE, { model: 'm', prompt: 'x' })
    expect((other.json() as Images).data[0]?.url).toMatch(/^https:\/\/models\.example\/x\/generated-images\//)
  })
})

describe('a backend that fails', () => {
  verifies('images:error:result', 'at any image is a failure that keeps no file', async () => {
    const before = await countKept()
    const rules = BROKEN.map(([, behaviour], index) => ({ call: 2 * (index + 1), do: behaviour }))
    await server.model('broken', { rules }, DRAWS)
    for (const [name, , message] of BROKEN) {
      const reply = await ask(GENERATE, { prompt: 'x', n: 3 }, 'broken')
      expect([name, reply.status, reply.json()]).toMatchObject([
        name,
        500,
        { error: { message: expect.stringContaining(message) } },
      ])
    }
    expect(calls('broken', 'GenerateImage')).toHaveLength(2 * BROKEN.length)
    expect(await countKept()).toBe(before)
    await expectNothingLeft()
  })

  it('because it dies is asked again, and the rest is told by its own status', async () => {
    await server.model('dies', { rules: [{ rpc: 'GenerateImage', do: { crash: { how: 'exit' } } }] }, DRAWS)
    expect((await ask(GENERATE, { prompt: 'x' }, 'dies')).status).toBe(500)
    const reply = await ask(GENERATE, { prompt: 'PICKY' }, 'odd')
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('only 1024x1024')])
    const rpcs = ['GenerateImage', 'UpscaleImage', 'GenerateVideo', 'Detect']
    await server.model('cannot', { without: rpcs }, DRAWS)
    for (const [path, body] of [
      [GENERATE, { prompt: 'x' }],
      [VIDEO, { prompt: 'x' }],
      [DETECT, { image: png }],
    ] as const)
      expect([path, (await ask(path, body, 'cannot')).status]).toEqual([path, 501])
    expect((await sendForm(UPSCALE, { model: 'cannot', image: blob() })).status).toBe(501)
    await expectNothingLeft()
  })

  verifies('images:cancel:stops', 'is told when its client leaves, and draws no more', async () => {
    const asked = () => calls('odd', 'GenerateImage').filter(({ positivePrompt }) => positivePrompt === 'SLOW').length
    const before = await countKept()
    const left = createDeferred<void>()
    const outgoing = request(new URL(GENERATE, server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    outgoing.on('error', () => undefined).once('close', () => left.resolve())
    outgoing.end(JSON.stringify({ model: 'odd', prompt: 'SLOW', n: 5 }))
    await eventually(() => expect(asked()).toBe(1))
    outgoing.destroy()
    await left.promise
    await eventually(() =>
      expect(server.records('odd').some(({ event, outcome }) => event === 'end' && outcome === 'cancelled')).toBe(true),
    )
    await expectNothingLeft()
    expect([asked(), await countKept()]).toEqual([1, before])
  })
})

describe('edits of an image', () => {
  verifies(
    'inference:route:image-edits',
    'give the backend image and mask in one file, and by their paths',
    async () => {
      for (const path of [EDIT, '/images/edits', '/v1/images/inpainting']) {
        const fields = { model: 'plain', prompt: 'a hat|a cap', n: '2', size: '32x32', steps: '4', seed: '3' }
        const reply = await sendForm(path, { ...fields, mask: blob(), image: blob() })
        const body = (await reply.json()) as Images
        expect([path, reply.status, body.data.length]).toEqual([path, 200, 2])
        const [asked, second] = calls('plain', 'GenerateImage').slice(-2)
        expect(asked).toMatchObject({
          positivePrompt: 'a hat',
          negativePrompt: 'a cap',
          step: 4,
          seed: 3,
          width: 32,
          src: expect.stringMatching(/\.json$/),
          refImages: [expect.any(String), expect.any(String)],
        })
        expect(second?.seed).toBe(4)
      }
      await sendForm(EDIT, { model: 'plain', prompt: 'x', 'image[]': [blob(), blob()], mask: blob() })
      const several = calls('plain', 'GenerateImage').at(-1)
      expect([several?.step, (several?.refImages as string[] | undefined)?.length]).toEqual([25, 3])
      await expectNothingLeft()
    },
  )

  verifies(['image-edits:error:no-image', 'image-edits:error:no-mask'], 'need both files', async () => {
    for (const [fields, message] of [
      [{ mask: blob() }, 'missing image file'],
      [{ image: blob() }, 'missing mask file'],
      [{}, 'missing image file'],
      [{ image: 'text', mask: blob() }, 'missing image file'],
    ] as const) {
      const reply = await sendForm(EDIT, { model: 'plain', prompt: 'x', ...fields })
      expect([reply.status, await reply.json()]).toMatchObject([400, { error: { message } }])
    }
  })

  it('refuse wrong fields and images that no backend should decode', async () => {
    const before = calls('plain', 'GenerateImage').length
    const good = { model: 'plain', prompt: 'x', image: blob(), mask: blob() }
    const files: readonly Uint8Array[] = [
      Buffer.from(SVG, 'base64'),
      writeHugePng(),
      WAV,
      Buffer.from([]),
      PNG.subarray(0, 12),
    ]
    const wrong = [
      ...files.flatMap((bytes) => [
        ['image', { image: blob(bytes) }] as const,
        ['mask', { mask: blob(bytes) }] as const,
      ]),
      ['image[]', { 'image[]': [blob(writeHugePng(20_000, 1))] }] as const,
      ...['0', '11', 'x', '1.5', '', '-1', '1e1'].map((n) => ['n', { n }] as const),
      ...['0', '1001', 'many'].map((steps) => ['steps', { steps }] as const),
      ['size', { size: '5' }] as const,
      ['prompt', { prompt: '' }] as const,
      ['response_format', { response_format: 'gif' }] as const,
      ['seed', { seed: 'x' }] as const,
    ]
    for (const [param, fields] of wrong) {
      const reply = await sendForm(EDIT, { ...good, ...fields })
      expect([param, fields, reply.status, await reply.json()]).toMatchObject([
        param,
        fields,
        400,
        { error: { param } },
      ])
    }
    const json = await ask(EDIT, { prompt: 'x' })
    expect([json.status, json.text]).toEqual([400, expect.stringContaining('must be a form')])
    expect(calls('plain', 'GenerateImage').length).toBe(before)
    await expectNothingLeft()
  })
})

describe('a server that cannot write', () => {
  verifies('image-edits:error:storage', 'says so, for an edit in the specified words', async () => {
    await using full = await startTestServer()
    await full.model('m', {}, DRAWS)
    expect((await full.post(GENERATE, { model: 'm', prompt: 'x' })).status).toBe(200)
    const generated = join(full.folder, 'data', 'generated')
    const forms = join(full.folder, 'data', 'tmp', 'forms')
    const edit = async () => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ model: 'm', prompt: 'x' })) form.append(name, value)
      for (const name of ['image', 'mask']) form.append(name, blob(), 'a.png')
      const reply = await fetch(new URL(EDIT, full.url), { method: 'POST', body: form })
      return { status: reply.status, body: await reply.json() }
    }
    await rm(generated, { recursive: true })
    await writeFile(generated, 'in the way')
    expect(await edit()).toMatchObject({ status: 500, body: { error: { message: 'failed to prepare storage' } } })
    const made = await full.post(GENERATE, { model: 'm', prompt: 'x' })
    expect([made.status, made.text]).toEqual([500, expect.stringContaining('could not be written')])
    expect(await readdir(forms).catch(() => [])).toEqual([])
    await rm(generated)
    expect((await edit()).status).toBe(200)
  })
})

describe('larger images', () => {
  verifies('images:upscale:route', 'are made from a file of a form or from a text', async () => {
    for (const [fields, width] of [
      [{ image: blob() }, 2],
      [{ image: blob(), scale: '4' }, 4],
      [{ image: png, scale: '2' }, 2],
      [{ image: toDataUrl('image/png', PNG) }, 2],
    ] as const) {
      const reply = await sendForm(UPSCALE, { model: 'plain', response_format: 'b64_json', ...fields })
      const [image] = ((await reply.json()) as Images).data
      expect([reply.status, Buffer.from(image?.b64_json ?? '', 'base64').readUInt32BE(16)]).toEqual([200, width])
    }
    for (const scale of [4, '4', undefined]) {
      const reply = await ask(UPSCALE, { image: png, scale, response_format: 'b64_json' })
      const [image] = (reply.json() as Images).data
      const width = Buffer.from(image?.b64_json ?? '', 'base64').readUInt32BE(16)
      expect([reply.status, width]).toEqual([200, scale === undefined ? 2 : 4])
    }
    expect((await ask(UPSCALE, { image: png, scale: 3 })).status).toBe(400)
    for (const [param, fields] of [
      ['image', {}],
      ['image', { image: SVG }],
      ['image', { image: blob(writeHugePng()) }],
      ['scale', { image: png, scale: '3' }],
      ['response_format', { image: png, response_format: 'x' }],
    ] as const) {
      const reply = await sendForm(UPSCALE, { model: 'plain', ...fields })
      expect([param, reply.status, await reply.json()]).toMatchObject([param, 400, { error: { param } }])
    }
    await expectNothingLeft()
  })
})

describe('films', () => {
  verifies('inference:route:video', 'are made from a text, images and sound', async () => {
    for (const path of [VIDEO, '/video']) {
      const body = { prompt: 'a cat', negative_prompt: 'rain', size: '64x48', num_frames: 10, fps: 5, seed: 4 }
      const more = { cfg_scale: 2.5, step: 7, params: { motion: 'slow' }, start_image: png, end_image: png }
      const reply = await ask(path, { ...body, ...more, audio: WAV.toString('base64') }, 'm')
      const { data, ...rest } = reply.json() as Images
      expect([path, reply.status, rest]).toEqual([
        path,
        200,
        { id: reply.headers['x-correlation-id'], created: expect.any(Number) },
      ])
      expect(calls('m', 'GenerateVideo').at(-1)).toMatchObject({
        prompt: 'a cat',
        negativePrompt: 'rain',
        width: 64,
        height: 48,
        numFrames: 10,
        fps: 5,
        seed: 4,
        cfgScale: 2.5,
        step: 7,
        params: { motion: 'slow' },
        startImage: expect.stringMatching(/\.png$/),
        endImage: expect.stringMatching(/\.png$/),
        audio: expect.stringMatching(/\.wav$/),
      })
      const url = new URL(data[0]?.url ?? '')
      expect(url.pathname).toMatch(/^\/generated-videos\/[0-9a-f]{32}\.mp4$/)
      expect((await server.call(url.pathname)).headers['content-type']).toBe('video/mp4')
    }
    await expectNothingLeft()
  })

  it('have a length in seconds, and leave the rest to the backend', async () => {
    const asked = async (body: object) => {
      expect((await ask(VIDEO, { prompt: 'x', ...body })).status).toBe(200)
      return calls('plain', 'GenerateVideo').at(-1)
    }
    const nothing = { width: 0, height: 0, numFrames: 0, fps: 0, seed: 0, cfgScale: 0, step: 0, audio: '' }
    expect(await asked({})).toMatchObject({ ...nothing, startImage: '', endImage: '' })
    expect(await asked({ num_frames: 0, fps: 0, width: 0, seed: null })).toMatchObject(nothing)
    expect(await asked({ seconds: '2', fps: 8 })).toMatchObject({ numFrames: 16, fps: 8 })
    expect(await asked({ seconds: 1.5 })).toMatchObject({ numFrames: 36, fps: 24 })
    expect(await asked({ seconds: '4', num_frames: 7 })).toMatchObject({ numFrames: 7, fps: 0 })
    expect(await asked({ input_reference: png })).toMatchObject({ startImage: expect.stringMatching(/\.png$/) })
    const reply = await ask(VIDEO, { prompt: 'x', response_format: 'b64_json' })
    const [film] = (reply.json() as Images).data
    expect(Buffer.from(film?.b64_json ?? '', 'base64').toString('latin1', 4, 8)).toBe('ftyp')
  })

  verifies('video:error:media', 'refuse a wrong medium in the words of the route', async () => {
    for (const field of ['start_image', 'end_image', 'audio', 'input_reference']) {
      for (const text of ['?', SVG, HTML, 'http://127.0.0.1:1/x', 'file:///etc/passwd']) {
        const reply = await ask(VIDEO, { prompt: 'x', [field]: text })
        const message = expect.stringMatching(new RegExp(`^invalid ${field}: `))
        expect([field, reply.status, reply.json()]).toMatchObject([field, 400, { error: { message, param: field } }])
      }
    }
    const wrong: readonly (readonly [string, object])[] = [
      ['start_image', { start_image: writeHugePng().toString('base64') }],
      ['fps', { fps: 241 }],
      ['num_frames', { num_frames: 10_001 }],
      ['seconds', { seconds: 'long' }],
      ['seconds', { seconds: '9999' }],
      ['width', { width: -1 }],
      ['params', { params: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, 'v'])) }],
      ['params.a', { params: { a: 5 } }],
      ['params.lora', { params: { lora: '../../x' } }],
      ['cfg_scale', { cfg_scale: -1 }],
    ]
    for (const [param, body] of wrong) {
      const reply = await ask(VIDEO, { prompt: 'x', ...body })
      expect([body, reply.status, reply.json()]).toMatchObject([body, 400, { error: { param } }])
    }
    const reply = await ask(VIDEO, { prompt: 'STILL' }, 'odd')
    expect([reply.status, reply.text]).toEqual([500, expect.stringContaining('no video of a known type')])
    await expectNothingLeft()
  })
})

describe('objects in an image', () => {
  verifies('inference:route:detection', 'are found in an image of any form', async () => {
    for (const image of [png, toDataUrl('image/png', PNG)]) {
      const reply = await ask(DETECT, { image, prompt: 'cat', points: [1, 2, 1], boxes: [0, 0, 5, 5], threshold: 0.5 })
      const { detections } = reply.json() as { detections: { mask?: string }[] }
      expect([reply.status, detections]).toEqual([
        200,
        [
          {
            x: 1,
            y: 2,
            width: 30,
            height: 40,
            class_name: 'cat',
            confidence: expect.closeTo(0.9),
            mask: expect.stringMatching(/^iVBOR/),
          },
        ],
      ])
      expect(calls('plain', 'Detect').at(-1)).toMatchObject({
        src: png,
        points: [1, 2, 1],
        boxes: [0, 0, 5, 5],
        threshold: 0.5,
        ModelIdentity: 'plain.bin',
      })
    }
    expect((await ask(DETECT, { image: png, threshold: 1 })).json()).toEqual({ detections: [] })
  })

  it('need marks of whole groups and an image', async () => {
    const wrong: readonly (readonly [string, object])[] = [
      ['points', { points: [1, 2] }],
      ['boxes', { boxes: [1, 2, 3] }],
      ['points', { points: Array.from({ length: 4097 }, () => 1) }],
      ['points[0]', { points: ['1', 2, 3] }],
      ['threshold', { threshold: 1.1 }],
      ['threshold', { threshold: -0.1 }],
      ['image', { image: undefined }],
      ['image', { image: '' }],
      ['image', { image: SVG }],
      ['image', { image: writeHugePng().toString('base64') }],
      ['image', { image: 'http://localhost/x.png' }],
    ]
    for (const [param, body] of wrong) {
      const reply = await ask(DETECT, { image: png, ...body })
      expect([body, reply.status, reply.json()]).toMatchObject([body, 400, { error: { param } }])
    }
  })
})

describe('models by the names of a provider', () => {
  let client: OpenAI
  beforeAll(async () => {
    client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
    await server.writeModelFile('gpt-image-1.yaml', JSON.stringify({ name: 'gpt-image-1', alias: 'plain' }))
  })

  it('send the bytes of images where a request does not say', async () => {
    const bytes = await client.images.generate({ model: 'gpt-image-1', prompt: 'x', size: '64x64' as '1024x1024' })
    expect(bytes.data?.[0]).toMatchObject({ b64_json: expect.stringMatching(/^iVBOR/) })
    const address = await client.images.generate({ model: 'gpt-image-1', prompt: 'x', response_format: 'url' })
    expect(address.data?.[0]?.url).toContain('/generated-images/')
  })

  it('stream each image in an event', async () => {
    const generated = await client.images.generate({ model: 'gpt-image-1', prompt: 'x', n: 2, stream: true })
    const seen: object[] = []
    for await (const event of generated) seen.push(event)
    const event = { created_at: expect.any(Number), output_format: 'png', b64_json: expect.stringMatching(/^iVBOR/) }
    expect(seen).toEqual(
      Array(2).fill(expect.objectContaining({ ...event, type: 'image_generation.completed', size: '512x512' })),
    )
    const [image, mask] = [await toFile(PNG, 'a.png'), await toFile(PNG, 'b.png')]
    const edited = await client.images.edit({ model: 'plain', prompt: 'x', image, mask, stream: true })
    const types: string[] = []
    for await (const { type } of edited) types.push(type)
    const whole = await client.images.edit({ model: 'gpt-image-1', prompt: 'x', image: [image, mask] })
    expect(whole.data?.[0]?.b64_json).toMatch(/^iVBOR/)
    const { src, refImages } = calls('plain', 'GenerateImage').at(-1) as { src: string; refImages: string[] }
    expect([src, refImages]).toEqual([expect.stringMatching(/\.png$/), [expect.any(String)]])
    await expect(client.images.edit({ model: 'plain', prompt: 'x', image })).rejects.toThrow('missing mask file')
    expect(types).toEqual(['image_edit.completed'])
  })
})

describe('a model of another instance', () => {
  it('makes images and films there, and finds objects', async () => {
    await using near = await startTestServer()
    await writeForwarded(near, { name: 'plain', url: server.url, keys: DRAWS })
    const body = { model: 'plain', response_format: 'b64_json' }
    const drawn = await near.post(GENERATE, { ...body, prompt: 'a|b', size: '64x32', seed: 5, file: png, n: 2 })
    const sizes = (drawn.json() as Images).data.map(({ b64_json = '' }) =>
      Buffer.from(b64_json, 'base64').readUInt32BE(16),
    )
    expect([drawn.status, sizes]).toEqual([200, [64, 64]])
    expect(calls('plain', 'GenerateImage').slice(-2)).toMatchObject([
      { positivePrompt: 'a', negativePrompt: 'b', seed: 5, src: expect.stringMatching(/\.png$/) },
      { seed: 6 },
    ])
    const larger = await near.post(UPSCALE, { ...body, image: png, scale: 4 })
    expect(Buffer.from((larger.json() as Images).data[0]?.b64_json ?? '', 'base64').readUInt32BE(16)).toBe(4)
    const film = await near.post(VIDEO, { ...body, prompt: 'x', start_image: png, fps: 4, seconds: '1' })
    expect([film.status, calls('plain', 'GenerateVideo').at(-1)]).toMatchObject([200, { numFrames: 4, fps: 4 }])
    expect((await near.post(DETECT, { model: 'plain', image: png, prompt: 'cat' })).json()).toMatchObject({
      detections: [{ class_name: 'cat', mask: expect.any(String) }],
    })
  })
})

describe('the page about images', () => {
  it('has commands that work', async () => {
    await server.model('painter', {}, DRAWS)
    const page = await readFile(new URL('../../../../docs/images.md', import.meta.url), 'utf8')
    const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
    expect(commands).toHaveLength(5)
    await using dir = await tempDir('svc-images-')
    for (const name of ['photo.png', 'mask.png']) await writeFile(join(dir.path, name), PNG)
    for (const command of commands) {
      const script = command
        .replaceAll('http://localhost:8080', server.url)
        .replaceAll('curl ', 'curl -sS --fail-with-body ')
      const { stdout } = await run('sh', ['-e', '-c', script], { cwd: dir.path })
      expect(Object.keys(JSON.parse(stdout) as object).some((key) => key === 'data' || key === 'detections')).toBe(true)
    }
  })
})

describe('the official client', () => {
  it('makes and edits images', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
    const made = await client.images.generate({ model: 'plain', prompt: 'a cat', n: 2, size: '256x256' })
    expect(made.data?.map(({ url }) => new URL(url ?? '').pathname.startsWith('/generated-images/'))).toEqual([
      true,
      true,
    ])
    const bytes = await client.images.generate({ model: 'plain', prompt: 'x', response_format: 'b64_json' })
    expect(bytes.data?.[0]?.b64_json).toMatch(/^iVBOR/)
    const file = (name: string) => toFile(PNG, name, { type: 'image/png' })
    const mask = await file('mask.png')
    for (const image of [await file('one.png'), [await file('one.png'), await file('two.png')]]) {
      const edited = await client.images.edit({ model: 'plain', image, mask, prompt: 'a hat', n: 1, size: '256x256' })
      expect(edited.data?.[0]?.url).toContain('/generated-images/')
    }
    const refused = client.images.edit({ model: 'plain', image: await file('one.png'), prompt: 'x' })
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('missing mask file') })
  })
})
