// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { listShown } from './found-objects.tsx'
import { toEditFields, toImageBody } from './image-calls.ts'
import { addImages } from './image-gallery.tsx'
import { EMPTY_WISH, isWishFit, toWish, writeImageCommand } from './image-wish.ts'
import { drawMarks, type Mark, readMarked, toPlace } from './mask-marks.ts'
import { readNumber, toNumbers } from './number-field.tsx'

describe('numbers that may be left open', () => {
  it('are whole unless their step says otherwise, and in their range', () => {
    const whole = { min: 1, max: 10 }
    expect(['', ' ', '1', '10', '11', '0', '2.5', 'x'].map((text) => readNumber(text, whole))).toEqual([
      undefined,
      undefined,
      1,
      10,
      'wrong',
      'wrong',
      'wrong',
      'wrong',
    ])
    expect(readNumber('0.3', { min: 0.25, max: 4, step: 0.05 })).toBe(0.3)
    expect(toNumbers({ a: '2', b: '' }, { a: whole, b: whole })).toEqual({ a: 2 })
  })
})

describe('a wish for images', () => {
  it('leaves out what the viewer leaves open', () => {
    expect(toImageBody(toWish('m', { ...EMPTY_WISH, prompt: 'a boat' }))).toEqual({ model: 'm', prompt: 'a boat' })
    expect(isWishFit({ ...EMPTY_WISH, n: '11' })).toBe(false)
  })

  it('writes the numbers as texts in a form, and the steps under the name of the form', () => {
    const fields = { prompt: 'a', negative: 'b', size: '', n: '2', steps: '9', seed: '0' }
    const picture = { file: new File([], 'a.png'), width: 301, height: 3 }
    const wish = toWish('m', fields, picture)
    expect(toEditFields(wish)).toEqual({
      model: 'm',
      prompt: 'a',
      negative_prompt: 'b',
      // models draw in steps of eight points
      size: '304x8',
      n: '2',
      steps: '9',
      seed: '0',
    })
    expect(toImageBody(wish, 'data:')).toMatchObject({ step: 9, seed: 0, file: 'data:' })
    expect(writeImageCommand('edit', wish, '2', false, true)).toContain('-F mask=@mask.png')
    expect(writeImageCommand('enlarge', wish, '4', false, true)).toContain('-F scale=4')
  })

  it('keeps the newest images of a page', () => {
    const first = addImages(
      [],
      Array.from({ length: 50 }, (_, index) => ({ url: `/${index}`, ending: 'png' })),
      'a',
    )
    const all = addImages(
      first,
      Array.from({ length: 20 }, () => ({ url: '/new', ending: 'jpg' })),
      'b',
    )
    expect([all.length, all[0]?.prompt, all[19]?.url, all[20]?.url, all.at(-1)?.url]).toEqual([
      60,
      'b',
      '/new',
      '/0',
      '/39',
    ])
    expect(all[1]?.name).toMatch(/^image-.*-2\.jpg$/)
    expect(new Set(all.map(({ id }) => id)).size).toBe(60)
  })
})

describe('marks on a picture', () => {
  /** A brush that notes what it is told. */
  function createBrush() {
    const done: string[] = []
    const note =
      (name: string) =>
      (...values: number[]) =>
        done.push(`${name} ${values.join(' ')}`.trim())
    const brush = {
      clearRect: note('clear'),
      fillRect: note('fill'),
      beginPath: note('begin'),
      moveTo: note('move'),
      lineTo: note('line'),
      stroke: () => done.push(`stroke ${brush.lineWidth} ${brush.globalCompositeOperation}`),
      lineWidth: 0,
      lineCap: '',
      lineJoin: '',
      strokeStyle: '',
      fillStyle: '',
      globalCompositeOperation: '',
    }
    return { done, brush: brush as unknown as CanvasRenderingContext2D }
  }

  it('are drawn in their order, and an eraser takes away', () => {
    const marks: Mark[] = [
      { kind: 'area', area: { left: 25, top: 0, width: 50, height: 100 } },
      {
        kind: 'stroke',
        places: [
          { x: 1, y: 2 },
          { x: 3, y: 4 },
        ],
        width: 6,
        erases: true,
      },
      { kind: 'stroke', places: [{ x: 7, y: 8 }], width: 5, erases: false },
      { kind: 'stroke', places: [], width: 5, erases: false },
    ]
    const { brush, done } = createBrush()
    drawMarks(brush, { width: 200, height: 10 }, marks, 'red')
    expect(done).toEqual([
      ...['clear 0 0 200 10', 'fill 50 0 100 10'],
      ...['begin', 'move 1 2', 'line 3 4', 'stroke 6 destination-out'],
      ...['begin', 'move 7 8', 'line 7 8', 'stroke 5 source-over'],
    ])
  })

  it('count where they cover more than half of a point', () => {
    const colours = Uint8ClampedArray.of(9, 9, 9, 0, 9, 9, 9, 127, 9, 9, 9, 128, 0, 0, 0, 255)
    expect([...readMarked(colours)]).toEqual([0, 0, 1, 1])
  })

  it('follow the pointer on a picture that is shown smaller', () => {
    const box = { left: 100, top: 50, width: 50, height: 25 }
    expect(toPlace({ clientX: 125, clientY: 75 }, box, { width: 1000, height: 500 })).toEqual({ x: 500, y: 500 })
  })
})

describe('found objects', () => {
  it('are shown from the surest, down to the least confidence', () => {
    const found = [0.2, 0.9, 0.5].map((confidence) => ({ x: 0, y: 0, width: 1, height: 1, class_name: '', confidence }))
    expect(listShown(found, 0.5).map(({ confidence }) => confidence)).toEqual([0.9, 0.5])
  })
})
