import { describe, expect, it } from 'vitest'
import { createModel } from '../../../catalog/__fixtures__/model.ts'
import { PNG } from '../../media/__fixtures__/samples.ts'
import { runDetectObjects } from './detect-objects.ts'

const BOX = { x: 1, y: 2, width: 3, height: 4, confidence: 0.5, className: 'cat', mask: Buffer.of() }

function detect(fields: object) {
  const asked: unknown[] = []
  const seen: unknown[] = []
  const client = {
    detect(request: unknown) {
      asked.push(request)
      return Promise.resolve({ Detections: [{ ...BOX, ...fields }] })
    },
  }
  const request = {
    kind: 'detect-objects',
    image: 'aaaa',
    prompt: 'cat',
    points: [1, 2, 1],
    boxes: [],
    threshold: 0,
  } as const
  const context = {
    client,
    model: createModel({ name: 'm', parameters: { model: 'm.bin' } }),
    onMedia: (media: unknown) => seen.push(media),
    signal: new AbortController().signal,
  }
  return { asked, seen, result: runDetectObjects(request, context as never) }
}

describe('objects of a backend', () => {
  it('are passed on, and their image is counted', async () => {
    const { asked, seen, result } = detect({ mask: PNG })
    expect((await result).objects).toEqual([{ ...BOX, mask: PNG }])
    expect([asked, seen]).toEqual([
      [{ src: 'aaaa', prompt: 'cat', points: [1, 2, 1], boxes: [], threshold: 0, ModelIdentity: 'm.bin' }],
      [{ images: 1 }],
    ])
    const { mask: _, ...unmasked } = BOX
    expect((await detect({}).result).objects).toEqual([unmasked])
  })

  it.each<[string, object]>([
    ['a place that is no number', { x: Number.NaN }],
    ['a size without end', { width: Number.POSITIVE_INFINITY }],
    ['a confidence that is no number', { confidence: Number.NaN }],
    ['a mask of markup', { mask: Buffer.from('<svg/>') }],
    ['a mask of another format', { mask: Buffer.from([0xff, 0xd8, 0xff, 0xe0]) }],
    ['a mask that is cut off', { mask: PNG.subarray(0, 4) }],
  ])('fail with %s', async (_name, fields) => {
    const { seen, result } = detect(fields)
    await expect(result).rejects.toMatchObject({ kind: 'internal', code: 'invalid_detections' })
    expect(seen).toEqual([])
  })
})
