import { VectorError } from './errors.ts'
import { KERNEL_BYTES } from './gen/kernel-bytes.ts'

/** The code that computes products of a query with many rows. */
export type KernelKind = 'wasm' | 'plain'

/** Rows of 32-bit floats, one after the other, and their products with a query. */
export interface RowStorage {
  readonly kind: KernelKind
  /** Bytes of memory that it takes, with room for more rows. */
  readonly bytes: number
  /** Bytes of memory that a row takes. */
  readonly rowBytes: number
  /** Makes place for this many rows and keeps the rows that it has. */
  reserve(count: number): void
  /** A view of one row, good until the next {@link reserve}. */
  row(index: number): Float32Array
  /** Writes to `products[i]` the product of the query with row `i`, for the first `count` rows, in 32-bit precision. */
  multiply(query: Float32Array, count: number, products: Float32Array): void
}

/** The kernel reads this many floats at a time. */
const FLOATS_PER_STEP = 16
/** Products that one call of the kernel leaves. */
const PRODUCTS_PER_CALL = 4096
const BYTES_PER_FLOAT = 4
const BYTES_PER_PAGE = 65_536
const MAX_PAGES = 65_536

interface KernelMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

interface KernelExports {
  readonly memory: KernelMemory
  scan(query: number, row: number, count: number, rowBytes: number, products: number): void
}

/** The part of the engine's `WebAssembly` that is needed; its types belong to browsers. */
interface WebAssemblyFacility {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

/**
 * Storage for rows of `dimension` floats.
 *
 * @param wanted 'plain' computes without WebAssembly, as do engines without it or without SIMD
 */
export function createRowStorage(dimension: number, wanted: KernelKind = 'wasm'): RowStorage {
  const kernel = wanted === 'wasm' ? loadKernel() : undefined
  return kernel === undefined ? createPlainStorage(dimension) : createWasmStorage(dimension, kernel)
}

function loadKernel(): KernelExports | undefined {
  const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyFacility }
  if (WebAssembly === undefined) return undefined
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(KERNEL_BYTES)).exports as KernelExports
  } catch {
    // An engine without SIMD refuses the module.
    return undefined
  }
}

function createWasmStorage(dimension: number, { memory, scan }: KernelExports): RowStorage {
  const stride = Math.ceil(dimension / FLOATS_PER_STEP) * FLOATS_PER_STEP
  const rowBytes = stride * BYTES_PER_FLOAT
  const productsAt = rowBytes
  const rowsAt = productsAt + PRODUCTS_PER_CALL * BYTES_PER_FLOAT
  const resize = (bytes: number) => {
    const pages = Math.ceil(bytes / BYTES_PER_PAGE)
    const present = memory.buffer.byteLength / BYTES_PER_PAGE
    if (pages <= present) return
    // Half as much again, as each growth may move the memory.
    const target = Math.min(MAX_PAGES, Math.max(pages, Math.ceil(present * 1.5)))
    try {
      memory.grow(Math.max(target, pages) - present)
    } catch (cause) {
      throw outOfMemory(cause)
    }
  }
  resize(rowsAt)
  return {
    kind: 'wasm',
    get bytes() {
      return memory.buffer.byteLength
    },
    rowBytes,
    reserve: (count) => resize(rowsAt + count * rowBytes),
    row: (index) => new Float32Array(memory.buffer, rowsAt + index * rowBytes, dimension),
    multiply(query, count, products) {
      new Float32Array(memory.buffer, 0, dimension).set(query)
      const made = new Float32Array(memory.buffer, productsAt, PRODUCTS_PER_CALL)
      for (let row = 0; row < count; row += PRODUCTS_PER_CALL) {
        const rows = Math.min(PRODUCTS_PER_CALL, count - row)
        // Addresses above 2 GiB are negative as signed 32-bit numbers; the kernel reads the same bits.
        scan(0, (rowsAt + row * rowBytes) | 0, rows, rowBytes, productsAt)
        products.set(rows === PRODUCTS_PER_CALL ? made : made.subarray(0, rows), row)
      }
    },
  }
}

function createPlainStorage(dimension: number): RowStorage {
  let rows = new Float32Array(0)
  return {
    kind: 'plain',
    get bytes() {
      return rows.byteLength
    },
    rowBytes: dimension * BYTES_PER_FLOAT,
    reserve(count) {
      const floats = count * dimension
      if (floats <= rows.length) return
      try {
        const larger = new Float32Array(Math.max(floats, Math.ceil(rows.length * 1.5)))
        larger.set(rows)
        rows = larger
      } catch (cause) {
        throw outOfMemory(cause)
      }
    },
    row: (index) => rows.subarray(index * dimension, (index + 1) * dimension),
    multiply(query, count, products) {
      for (let row = 0, at = 0; row < count; row++) {
        let sum = 0
        for (let column = 0; column < dimension; column++, at++) sum += (query[column] ?? 0) * (rows[at] ?? 0)
        products[row] = sum
      }
    },
  }
}

function outOfMemory(cause: unknown): VectorError {
  const error = new VectorError('vector_limit', 'the vector index has no memory for more entries')
  return Object.assign(error, { cause })
}
