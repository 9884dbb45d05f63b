/** The rows whose product may be among the `count` largest, if each product is known within `margin`. */
export function selectNearestRows(
  products: Float32Array,
  { rowCount, count, margin }: { readonly rowCount: number; readonly count: number; readonly margin: number },
): number[] {
  const floor = findFloor(products, rowCount, count) - 2 * margin
  const rows: number[] = []
  // Not "below": a row whose product is not a number has to be looked at.
  for (let row = 0; row < rowCount; row++) if (!((products[row] ?? 0) < floor)) rows.push(row)
  return rows
}

/** The smallest of the `count` largest products; minus infinity where there are no more than `count` rows. */
function findFloor(products: Float32Array, rowCount: number, count: number): number {
  if (rowCount <= count) return Number.NEGATIVE_INFINITY
  const heap = new Float32Array(count).fill(Number.NEGATIVE_INFINITY)
  let smallest = Number.NEGATIVE_INFINITY
  for (let row = 0; row < rowCount; row++) {
    const product = products[row] ?? 0
    if (!(product > smallest)) continue
    heap[0] = product
    siftDown(heap)
    smallest = heap[0]
  }
  return smallest
}

/** Moves the first item of a heap, whose smallest item is first, to its place. */
function siftDown(heap: Float32Array): void {
  const moving = heap[0] ?? 0
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++
    if ((heap[child] ?? 0) >= moving) break
    heap[at] = heap[child] ?? 0
    at = child
  }
  heap[at] = moving
}
