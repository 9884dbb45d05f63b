import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import type { Picture } from '../../lib/media/picture.ts'
import type { Mask } from '../../lib/media/png.ts'
import { useObjectUrl } from '../../lib/media/use-object-url.ts'
import { AreaFields } from './area-fields.tsx'
import { drawMarks, MAX_MARKS, MAX_PLACES, type Mark, type Place, readMarked, toPlace } from './mask-marks.ts'
import * as styles from './playground.module.css'

/** Width of the brush as a share of the longer side, in percent. */
const BRUSHES = { small: 2, medium: 5, large: 12 } as const
type BrushSize = keyof typeof BRUSHES

/** Reads the mask of the canvas of an editor. */
export function readMask({ width, height }: Picture, canvas: HTMLCanvasElement | null): Mask {
  const brush = canvas?.getContext('2d')
  const marked = brush ? readMarked(brush.getImageData(0, 0, width, height).data) : new Uint8Array(width * height)
  return { width, height, marked }
}

/** A picture on which the part to draw anew is marked: with a brush, or with numbers. */
export function MaskEditor({
  picture,
  canvas,
  marks,
  onMarks,
}: {
  readonly picture: Picture
  readonly canvas: RefObject<HTMLCanvasElement | null>
  readonly marks: readonly Mark[]
  readonly onMarks: (marks: readonly Mark[]) => void
}) {
  const { t } = useTranslation('playground')
  const url = useObjectUrl(picture.file)
  const [size, setSize] = useState<BrushSize>('medium')
  const [tool, setTool] = useState<'brush' | 'eraser'>('brush')
  const { width, height } = picture
  const stroke = useRef<Place[]>(undefined)
  const draw = (all: readonly Mark[]) => {
    const brush = canvas.current?.getContext('2d')
    if (!brush) return
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--c4').trim()
    drawMarks(brush, { width, height }, all, colour)
  }
  useEffect(() => draw(marks), [marks, width, height])
  const add = (mark: Mark) => {
    if (marks.length < MAX_MARKS) onMarks([...marks, mark])
  }
  const toMark = (places: readonly Place[]): Mark => {
    const share = BRUSHES[size] / 100
    return { kind: 'stroke', places, width: Math.max(1, Math.max(width, height) * share), erases: tool === 'eraser' }
  }
  const move = (event: PointerEvent<HTMLCanvasElement>) => {
    if (stroke.current === undefined || stroke.current.length >= MAX_PLACES) return
    stroke.current.push(toPlace(event, event.currentTarget.getBoundingClientRect(), picture))
    draw([...marks, toMark(stroke.current)])
  }
  const begin = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    stroke.current = []
    move(event)
  }
  const end = () => {
    if (stroke.current === undefined) return
    add(toMark(stroke.current))
    stroke.current = undefined
  }
  return (
    <div className="stack">
      <div className="row wrap">
        <Segmented
          small
          label={t('mask.tool')}
          value={tool}
          options={[
            ['brush', t('mask.brush')],
            ['eraser', t('mask.eraser')],
          ]}
          onChange={setTool}
        />
        <Segmented
          small
          label={t('mask.size')}
          value={size}
          options={[
            ['small', t('mask.small')],
            ['medium', t('mask.medium')],
            ['large', t('mask.large')],
          ]}
          onChange={setSize}
        />
        <Button small disabled={marks.length === 0} onClick={() => onMarks(marks.slice(0, -1))}>
          {t('mask.undo')}
        </Button>
        <Button small disabled={marks.length === 0} onClick={() => onMarks([])}>
          {t('mask.clear')}
        </Button>
      </div>
      <div className={styles.canvas}>
        <img src={url} alt={t('mask.picture')} />
        <canvas
          ref={canvas}
          width={width}
          height={height}
          role="img"
          aria-label={t('mask.about')}
          onPointerDown={begin}
          onPointerMove={move}
          onPointerUp={end}
          onPointerCancel={end}
        />
      </div>
      <p className="meta" role="status">
        {marks.length === 0 ? t('mask.about') : t('mask.count', { count: marks.length })}
      </p>
      <AreaFields onArea={(area) => add({ kind: 'area', area })} />
    </div>
  )
}
