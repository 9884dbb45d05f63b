import { expect, it } from 'vitest'
import { createRowStorage } from './kernel.ts'

it.each(['wasm', 'plain'] as const)(
  '%s: writes the product of each row, also after the first call of the kernel',
  (kind) => {
    const [dimension, count] = [20, 4_100]
    const storage = createRowStorage(dimension, kind)
    storage.reserve(count)
    const component = (row: number, column: number) => ((row * 31 + column * 7) % 13) - 6
    for (let row = 0; row < count; row++) {
      storage.row(row).set(Float32Array.from({ length: dimension }, (_, column) => component(row, column)))
    }
    const query = Float32Array.from({ length: dimension }, (_, column) => (column % 5) - 2)
    const products = new Float32Array(count)
    storage.multiply(query, count, products)
    // small whole numbers: every sum is exact
    const expected = Array.from({ length: count }, (_, row) =>
      query.reduce((sum, value, column) => sum + value * component(row, column), 0),
    )
    expect([...products]).toEqual(expected)
  },
)

it.each(['wasm', 'plain'] as const)('%s: keeps the rows where it makes place for more', (kind) => {
  const storage = createRowStorage(3, kind)
  const counts = [1, 2, 2, 3, 5, 40_000, 40_001]
  for (const count of counts) {
    storage.reserve(count)
    storage.row(count - 1).set([count, 1, 1])
  }
  for (const count of counts) expect([...storage.row(count - 1)]).toEqual([count, 1, 1])
  const products = new Float32Array(5)
  storage.multiply(Float32Array.of(1, 0, 0), 5, products)
  expect([...products]).toEqual([1, 2, 3, 0, 5])
})
