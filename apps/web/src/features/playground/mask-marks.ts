/** A place on a picture, in points of the picture. */
export interface Place {
  readonly x: number
  readonly y: number
}

/** A part of a picture, in percent of its sides. */
export interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Something that was marked, in the order of the marks. */
export type Mark =
  | { readonly kind: 'stroke'; readonly places: readonly Place[]; readonly width: number; readonly erases: boolean }
  | { readonly kind: 'area'; readonly area: Area }

/** Most marks on a picture. */
export const MAX_MARKS = 500
/** Most places of a stroke; the rest of a longer one is not drawn. */
export const MAX_PLACES = 5000

/** Part of a canvas context that marks are drawn with. */
type Brush = Pick<
  CanvasRenderingContext2D,
  | 'clearRect'
  | 'fillRect'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'stroke'
  | 'lineWidth'
  | 'lineCap'
  | 'lineJoin'
  | 'strokeStyle'
  | 'fillStyle'
  | 'globalCompositeOperation'
>

/** Draws all marks on an empty canvas. */
export function drawMarks(
  brush: Brush,
  { width, height }: { readonly width: number; readonly height: number },
  marks: readonly Mark[],
  colour: string,
): void {
  brush.globalCompositeOperation = 'source-over'
  brush.clearRect(0, 0, width, height)
  for (const mark of marks) {
    brush.globalCompositeOperation = mark.kind === 'stroke' && mark.erases ? 'destination-out' : 'source-over'
    if (mark.kind === 'area') {
      const { left, top, width: wide, height: high } = mark.area
      brush.fillStyle = colour
      brush.fillRect((left / 100) * width, (top / 100) * height, (wide / 100) * width, (high / 100) * height)
    } else drawStroke(brush, mark, colour)
  }
}

function drawStroke(brush: Brush, { places, width }: Extract<Mark, { kind: 'stroke' }>, colour: string): void {
  const [first] = places
  if (first === undefined) return
  Object.assign(brush, { strokeStyle: colour, lineWidth: width, lineCap: 'round', lineJoin: 'round' })
  brush.beginPath()
  brush.moveTo(first.x, first.y)
  // a stroke of one place is a dot
  for (const { x, y } of places.length > 1 ? places.slice(1) : places) brush.lineTo(x, y)
  brush.stroke()
}

/** The points of a canvas that are drawn on. @param colours four bytes a point, the last one its opacity */
export function readMarked(colours: Uint8ClampedArray): Uint8Array {
  return Uint8Array.from({ length: colours.length / 4 }, (_, point) => ((colours[point * 4 + 3] ?? 0) > 127 ? 1 : 0))
}

/** Takes a place of the window to the picture. @param box the picture on the screen */
export function toPlace(
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  box: Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>,
  { width, height }: { readonly width: number; readonly height: number },
): Place {
  return { x: ((clientX - box.left) / box.width) * width, y: ((clientY - box.top) / box.height) * height }
}
