import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { PNG } from '../../src/inference/media/__fixtures__/samples.ts'
import { findPython, titled } from './python.ts'
import { startInteropServer } from './world.ts'

const python = findPython()
const path = python.missing === undefined ? python.path : ''

interface Made {
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[]
}

/** Gives the first point of a PNG that the Python backend wrote. */
function readColour(png: Buffer): number[] {
  const at = png.indexOf('IDAT') + 4
  const pixels = inflateSync(png.subarray(at, at + png.readUInt32BE(at - 8)))
  return [...pixels.subarray(1, 4)]
}

describe.skipIf(python.missing)(titled('a Python backend that draws', python), () => {
  it('has its images and films come back byte by byte', async () => {
    await using server = await startInteropServer(path)
    await server.words('m', [], { known_usecases: ['image', 'video', 'detection'] })
    const drawn = { model: 'm', prompt: 'x', size: '200x100', step: 30, seed: 17, n: 2 }
    const bytes = await server.post('/v1/images/generations', { ...drawn, response_format: 'b64_json' })
    const images = (bytes.json() as Made).data.map(({ b64_json = '' }) => Buffer.from(b64_json, 'base64'))
    expect(images.map(readColour)).toEqual([
      [17, 200, 30],
      [18, 200, 30],
    ])
    const kept = (await server.post('/v1/images/generations', drawn)).json() as Made
    for (const [index, { url = '' }] of kept.data.entries()) {
      const image = await server.call(new URL(url).pathname)
      expect([image.headers['content-type'], image.body.equals(images[index] ?? PNG)]).toEqual(['image/png', true])
    }
    const form = new FormData()
    form.append('model', 'm')
    form.append('response_format', 'b64_json')
    form.append('image', new Blob([new Uint8Array(PNG)]), 'a.png')
    const larger = await fetch(`${server.url}/v1/images/upscale`, { method: 'POST', body: form })
    expect(((await larger.json()) as Made).data[0]?.b64_json).toBe(PNG.toString('base64'))
    const film = (await server.post('/v1/video/generations', { model: 'm', prompt: 'x' })).json() as Made
    const video = await server.call(new URL(film.data[0]?.url ?? '').pathname)
    expect([video.headers['content-type'], video.body.toString('latin1', 4, 12)]).toEqual(['video/mp4', 'ftypisom'])
    // The backend has no such call.
    const found = await server.post('/v1/detection', { model: 'm', image: PNG.toString('base64') })
    expect(found.status).toBe(501)
  })
})
