import { textScale } from '../../lib/text-size.ts'
import type { ChartColour, ChartPattern } from './chart-data.ts'

/** Colours of the current theme. */
export interface Palette {
  readonly read: (name: ChartColour | 'bg' | 'line' | 'text') => string
  readonly font: string
}

/** Reads the tokens of the page. */
export function readPalette(): Palette {
  const styles = getComputedStyle(document.documentElement)
  return {
    read: (name) => styles.getPropertyValue(`--${name}`).trim(),
    font: `${12 * textScale}px ${styles.getPropertyValue('--font').trim()}`,
  }
}

/** Calls back whenever the theme changes. @returns a function that ends it */
export function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

const SIZE = 6

/** Lines of a filling on a tile whose edges fit each other. */
const LINES: Record<Exclude<ChartPattern, 'solid'>, readonly (readonly [number, number, number, number])[]> = {
  rising: [
    [-1, 1, 1, -1],
    [0, SIZE, SIZE, 0],
    [SIZE - 1, SIZE + 1, SIZE + 1, SIZE - 1],
  ],
  falling: [
    [-1, SIZE - 1, 1, SIZE + 1],
    [0, 0, SIZE, SIZE],
    [SIZE - 1, -1, SIZE + 1, 1],
  ],
  lying: [[0, SIZE / 2, SIZE, SIZE / 2]],
  standing: [[SIZE / 2, 0, SIZE / 2, SIZE]],
  crossed: [
    [0, SIZE / 2, SIZE, SIZE / 2],
    [SIZE / 2, 0, SIZE / 2, SIZE],
  ],
}

/** A filling: the colour, with lines of the ground in it unless it is solid. */
export function createFill(
  context: CanvasRenderingContext2D,
  { colour, pattern, ground }: { readonly colour: string; readonly pattern: ChartPattern; readonly ground: string },
): string | CanvasPattern {
  if (pattern === 'solid') return colour
  const scale = Math.max(1, Math.round(devicePixelRatio))
  const tile = document.createElement('canvas')
  tile.width = SIZE * scale
  tile.height = SIZE * scale
  const pen = tile.getContext('2d')
  if (pen === null) return colour
  pen.scale(scale, scale)
  pen.fillStyle = colour
  pen.fillRect(0, 0, SIZE, SIZE)
  pen.strokeStyle = ground
  pen.lineWidth = 1.5
  pen.beginPath()
  for (const [left, top, right, bottom] of LINES[pattern]) {
    pen.moveTo(left, top)
    pen.lineTo(right, bottom)
  }
  pen.stroke()
  return context.createPattern(tile, 'repeat') ?? colour
}
