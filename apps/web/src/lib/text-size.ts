/** The size of letters that browsers come with, in pixels. */
export const USUAL_PX = 16

/** Ratio of a letter size to the usual size. @param size as computed styles have it, such as `24px` */
export function toScale(size: string | undefined): number {
  const px = Number.parseFloat(size ?? '')
  return px > 0 ? px / USUAL_PX : 1
}

/** Ratio of the browser's letter size to the usual size, such as 1.5. */
export const textScale = toScale(globalThis.getComputedStyle?.(document.documentElement).fontSize)

/** A length in the unit of the built styles, which grows with letters. @param px at the usual size of letters */
export function toRem(px: number): string {
  return `${px / USUAL_PX}rem`
}
