/** A window on a row of tokens, and its tokens whose results are used. */
export interface Window {
  readonly start: number
  readonly end: number
  /** Half-open range within the row, inside the window. */
  readonly keepStart: number
  readonly keepEnd: number
}

/**
 * Cuts `count` tokens into windows of at most `size`; two neighbours share `overlap` or more. Each token is used in
 * exactly one window: the window in which it is further from the edge.
 */
export function planWindows(
  count: number,
  { size, overlap }: { readonly size: number; readonly overlap: number },
): readonly Window[] {
  if (count <= size) return count === 0 ? [] : [{ start: 0, end: count, keepStart: 0, keepEnd: count }]
  const step = Math.max(1, size - Math.max(0, overlap))
  const starts: number[] = []
  for (let start = 0; start + size < count; start += step) starts.push(start)
  // The last window has full length, so that its first tokens have as much context.
  starts.push(count - size)
  const border = (index: number): number => {
    const [before, behind] = [starts[index - 1], starts[index]]
    if (before === undefined) return 0
    return behind === undefined ? count : behind + Math.floor((before + size - behind) / 2)
  }
  return starts.map((start, index) => ({
    start,
    end: start + size,
    keepStart: border(index),
    keepEnd: border(index + 1),
  }))
}
