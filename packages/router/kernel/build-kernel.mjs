// Writes the WebAssembly module that multiplies a query with rows of 32-bit floats, as the source of a TypeScript
// module. The bytes are put together here, instruction by instruction: nobody needs a toolchain. `pnpm gen kernel` runs
// this.
//   node packages/router/kernel/build-kernel.mjs > packages/router/src/vector/gen/kernel-bytes.ts

/** Unsigned LEB128. @param {number} value */
function unsigned(value) {
  const bytes = []
  do {
    const low = value & 0x7f
    value >>>= 7
    bytes.push(value === 0 ? low : low | 0x80)
  } while (value !== 0)
  return bytes
}

/** A list with its length before it. @param {readonly (readonly number[])[]} items */
const list = (items) => [...unsigned(items.length), ...items.flat()]
/** @param {string} text */
const name = (text) => [...unsigned(text.length), ...Buffer.from(text)]
/** @param {number} id @param {readonly number[]} content */
const section = (id, content) => [id, ...unsigned(content.length), ...content]

const I32 = 0x7f
const V128 = 0x7b
const NO_RESULT = 0x40
const LOOP = [0x03, NO_RESULT]
const BLOCK = [0x02, NO_RESULT]
const END = [0x0b]
const branch = (depth) => [0x0c, depth]
const branchIf = (depth) => [0x0d, depth]
const get = (local) => [0x20, local]
const set = (local) => [0x21, local]
const constant = (value) => [0x41, value]
const I32_EQZ = [0x45]
const I32_LESS = [0x49]
const I32_ADD = [0x6a]
const I32_SUBTRACT = [0x6b]
const F32_ADD = [0x92]
/** At an address on the stack; the alignment is a power of two. */
const storeFloat = [0x38, 2, 0]
const loadVector = (offset) => [0xfd, 0x00, 4, offset]
const ZERO_VECTOR = [0xfd, 0x0c, ...Array(16).fill(0)]
const takeLane = (lane) => [0xfd, 0x1f, lane]
const VECTOR_ADD = [0xfd, ...unsigned(228)]
const VECTOR_MULTIPLY = [0xfd, ...unsigned(230)]

// scan(query, row, count, rowBytes, products): `rowBytes` is a multiple of 64. Four sums run side by side.
const [QUERY, ROW, COUNT, ROW_BYTES, PRODUCTS, AT, LAST] = [0, 1, 2, 3, 4, 5, 6]
const SUMS = [7, 8, 9, 10]
const STEP = [...constant(0xc0), 0x00] // 64 as signed LEB128

const code = [
  ...[...get(QUERY), ...get(ROW_BYTES), ...I32_ADD, ...set(LAST)],
  ...BLOCK,
  ...LOOP,
  ...[...get(COUNT), ...I32_EQZ, ...branchIf(1)],
  ...[...get(QUERY), ...set(AT)],
  ...SUMS.flatMap((sum) => [...ZERO_VECTOR, ...set(sum)]),
  ...LOOP,
  ...SUMS.flatMap((sum, index) => [
    ...get(sum),
    ...[...get(AT), ...loadVector(16 * index)],
    ...[...get(ROW), ...loadVector(16 * index)],
    ...VECTOR_MULTIPLY,
    ...VECTOR_ADD,
    ...set(sum),
  ]),
  ...[...get(ROW), ...STEP, ...I32_ADD, ...set(ROW)],
  ...[...get(AT), ...STEP, ...I32_ADD, ...set(AT)],
  ...[...get(AT), ...get(LAST), ...I32_LESS, ...branchIf(0)],
  ...END,
  ...[...get(SUMS[0]), ...get(SUMS[1]), ...VECTOR_ADD],
  ...[...get(SUMS[2]), ...get(SUMS[3]), ...VECTOR_ADD],
  ...[...VECTOR_ADD, ...set(SUMS[0])],
  ...get(PRODUCTS),
  ...[...get(SUMS[0]), ...takeLane(0), ...get(SUMS[0]), ...takeLane(1), ...F32_ADD],
  ...[...get(SUMS[0]), ...takeLane(2), ...get(SUMS[0]), ...takeLane(3), ...F32_ADD],
  ...[...F32_ADD, ...storeFloat],
  ...[...get(PRODUCTS), ...constant(4), ...I32_ADD, ...set(PRODUCTS)],
  ...[...get(COUNT), ...constant(1), ...I32_SUBTRACT, ...set(COUNT)],
  ...branch(0),
  ...END,
  ...END,
  ...END,
]
const locals = list([
  [2, I32],
  [4, V128],
])
const body = [...locals, ...code]

const bytes = [
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...section(1, list([[0x60, ...list(Array(5).fill([I32])), ...list([])]])),
  ...section(3, list([[0]])),
  ...section(5, list([[0x01, ...unsigned(1), ...unsigned(65536)]])),
  ...section(
    7,
    list([
      [...name('memory'), 0x02, 0],
      [...name('scan'), 0x00, 0],
    ]),
  ),
  ...section(10, list([[...unsigned(body.length), ...body]])),
]

console.log(`// Written by packages/router/kernel/build-kernel.mjs.
export const KERNEL_BYTES = new Uint8Array([
${Array.from({ length: Math.ceil(bytes.length / 20) }, (_, line) => `  ${bytes.slice(line * 20, line * 20 + 20).join(', ')},`).join('\n')}
])`)
