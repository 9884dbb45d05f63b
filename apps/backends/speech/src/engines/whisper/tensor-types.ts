/** Types of tensors in ggml files: elements of a block, and its bytes. */
const TENSOR_TYPES: ReadonlyMap<number, { readonly name: string; readonly elements: number; readonly bytes: number }> =
  new Map([
    [0, { name: 'f32', elements: 1, bytes: 4 }],
    [1, { name: 'f16', elements: 1, bytes: 2 }],
    [2, { name: 'q4_0', elements: 32, bytes: 18 }],
    [3, { name: 'q4_1', elements: 32, bytes: 20 }],
    [6, { name: 'q5_0', elements: 32, bytes: 22 }],
    [7, { name: 'q5_1', elements: 32, bytes: 24 }],
    [8, { name: 'q8_0', elements: 32, bytes: 34 }],
    [10, { name: 'q2_K', elements: 256, bytes: 84 }],
    [11, { name: 'q3_K', elements: 256, bytes: 110 }],
    [12, { name: 'q4_K', elements: 256, bytes: 144 }],
    [13, { name: 'q5_K', elements: 256, bytes: 176 }],
    [14, { name: 'q6_K', elements: 256, bytes: 210 }],
  ])

/** Types of whole files. */
const FILE_TYPES: ReadonlySet<number> = new Set([0, 1, 2, 3, 7, 8, 9, 10, 11, 12, 13, 14])
/** The type of a file with quantized weights also names the version of their form, as its thousands. */
const VERSION_FACTOR = 1000
const MAX_VERSION = 2

/** Bytes of a tensor; undefined for an unknown type, or a row that is not a number of whole blocks. */
export function measureTensor(type: number, rowLength: number, elements: number): number | undefined {
  const known = TENSOR_TYPES.get(type)
  if (known === undefined || rowLength % known.elements !== 0) return undefined
  return (elements / known.elements) * known.bytes
}

/** Whether the type of a file is known. */
export function isKnownFileType(type: number): boolean {
  return type >= 0 && Math.floor(type / VERSION_FACTOR) <= MAX_VERSION && FILE_TYPES.has(type % VERSION_FACTOR)
}
