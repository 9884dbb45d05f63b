import type { BitWriter } from './bit-writer.ts'

/** The samples of one channel of a block, in the form that takes the fewest bits. */
export interface Subframe {
  readonly sizeBits: number
  write(writer: BitWriter): void
}

const MAX_ORDER = 4
const MAX_PARTITION_ORDER = 5
/** The largest parameter of Rice codes with 4-bit parameters; 15 would mean raw values. */
const MAX_RICE = 14
const HEADER_BITS = 8
/** Two bits of the coding method and four of the partition order. */
const RESIDUAL_HEADER_BITS = 6

interface Partition {
  readonly order: number
  readonly parameters: readonly number[]
  readonly sizeBits: number
}

/** @param bits bits of a sample: 16, or 17 for the difference of two channels */
export function chooseSubframe(samples: Int32Array, bits: number): Subframe {
  const [first = 0] = samples
  if (samples.every((sample) => sample === first)) return constant(first, bits)
  let best = verbatim(samples, bits)
  let residual = samples
  for (let order = 0; order <= MAX_ORDER && order < samples.length; order++) {
    if (order > 0) residual = differences(residual, order)
    const candidate = fixed({ samples, residual, order, bits })
    if (candidate !== undefined && candidate.sizeBits < best.sizeBits) best = candidate
  }
  return best
}

function constant(value: number, bits: number): Subframe {
  return {
    sizeBits: HEADER_BITS + bits,
    write(writer) {
      writer.write(0, HEADER_BITS)
      writer.write(value, bits)
    },
  }
}

function verbatim(samples: Int32Array, bits: number): Subframe {
  return {
    sizeBits: HEADER_BITS + samples.length * bits,
    write(writer) {
      writer.write(0b0000_0010, HEADER_BITS)
      for (const sample of samples) writer.write(sample, bits)
    },
  }
}

/** The difference of neighbours; one value more is left as it is with each order. */
function differences(values: Int32Array, order: number): Int32Array {
  const result = new Int32Array(values)
  for (let index = values.length - 1; index >= order; index--) {
    result[index] = (values[index] ?? 0) - (values[index - 1] ?? 0)
  }
  return result
}

interface FixedOptions {
  readonly samples: Int32Array
  readonly residual: Int32Array
  readonly order: number
  readonly bits: number
}

/** A fixed polynomial predictor and Rice codes; undefined if the differences are too large for these. */
function fixed({ samples, residual, order, bits }: FixedOptions): Subframe | undefined {
  const folded = Uint32Array.from(residual, (value) => (value << 1) ^ (value >> 31))
  const partition = choosePartition(folded, order)
  if (partition === undefined) return undefined
  return {
    sizeBits: HEADER_BITS + order * bits + partition.sizeBits,
    write(writer) {
      writer.write(0b0001_0000 | (order << 1), HEADER_BITS)
      for (let index = 0; index < order; index++) writer.write(samples[index] ?? 0, bits)
      writeResidual(writer, { folded, order, partition })
    },
  }
}

function choosePartition(folded: Uint32Array, predictorOrder: number): Partition | undefined {
  let best: Partition | undefined
  for (let order = 0; order <= MAX_PARTITION_ORDER; order++) {
    const length = folded.length / 2 ** order
    if (!Number.isInteger(length) || length <= predictorOrder) break
    const candidate = measurePartition(folded, { order, length, predictorOrder })
    if (candidate !== undefined && candidate.sizeBits < (best?.sizeBits ?? Number.POSITIVE_INFINITY)) best = candidate
  }
  return best
}

function measurePartition(
  folded: Uint32Array,
  { order, length, predictorOrder }: { order: number; length: number; predictorOrder: number },
): Partition | undefined {
  const parameters: number[] = []
  let sizeBits = RESIDUAL_HEADER_BITS
  for (let start = 0; start < folded.length; start += length) {
    const part = folded.subarray(start === 0 ? predictorOrder : start, start + length)
    const mean = part.reduce((sum, value) => sum + value, 0) / part.length
    const parameter = mean < 1 ? 0 : Math.floor(Math.log2(mean))
    if (parameter > MAX_RICE) return undefined
    parameters.push(parameter)
    sizeBits += 4 + part.reduce((sum, value) => sum + (value >>> parameter), part.length * (parameter + 1))
  }
  return { order, parameters, sizeBits }
}

function writeResidual(
  writer: BitWriter,
  { folded, order, partition }: { folded: Uint32Array; order: number; partition: Partition },
): void {
  writer.write(0, 2)
  writer.write(partition.order, 4)
  const length = folded.length / partition.parameters.length
  for (const [index, parameter] of partition.parameters.entries()) {
    writer.write(parameter, 4)
    for (const value of folded.subarray(index === 0 ? order : index * length, (index + 1) * length)) {
      writer.writeUnary(value >>> parameter)
      writer.write(value, parameter)
    }
  }
}
