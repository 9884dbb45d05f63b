/** A constant tensor of a graph. */
export interface OnnxTensor {
  readonly name: string
  readonly dims: readonly number[]
  readonly data: Float32Array | BigInt64Array
}

/** One operation of a graph. */
export interface OnnxNode {
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Whole numbers, or lists of them. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>> | undefined
}

/** An input or output of a graph. A name in place of a size means any size. */
export interface OnnxValue {
  readonly name: string
  readonly kind: 'float32' | 'int64'
  readonly dims: readonly (number | string)[]
}

/** A graph. */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[]
  readonly tensors: readonly OnnxTensor[]
  readonly inputs: readonly OnnxValue[]
  readonly outputs: readonly OnnxValue[]
}

const KINDS = { float32: 1, int64: 7 } as const
const ATTRIBUTE_INT = 2
const ATTRIBUTE_INTS = 7
const IR_VERSION = 8
const OPSET = 17

/** A graph as the bytes of an ONNX file. */
export function toOnnxFile({ nodes, tensors, inputs, outputs }: OnnxGraph): Buffer {
  const graph = Buffer.concat([
    ...nodes.map((node) => bytes(1, toNode(node))),
    bytes(2, 'graph'),
    ...tensors.map((tensor) => bytes(5, toTensor(tensor))),
    ...inputs.map((value) => bytes(11, toValue(value))),
    ...outputs.map((value) => bytes(12, toValue(value))),
  ])
  const opset = Buffer.concat([bytes(1, ''), integer(2, OPSET)])
  return Buffer.concat([integer(1, IR_VERSION), bytes(2, 'svc test-kit'), bytes(7, graph), bytes(8, opset)])
}

function toNode({ op, inputs, outputs, attributes = {} }: OnnxNode): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => bytes(1, name)),
    ...outputs.map((name) => bytes(2, name)),
    bytes(4, op),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, toAttribute(name, value))),
  ])
}

function toAttribute(name: string, value: number | readonly number[]): Buffer {
  if (typeof value === 'number') return Buffer.concat([bytes(1, name), integer(3, value), integer(20, ATTRIBUTE_INT)])
  return Buffer.concat([bytes(1, name), ...value.map((item) => integer(8, item)), integer(20, ATTRIBUTE_INTS)])
}

function toTensor({ name, dims, data }: OnnxTensor): Buffer {
  return Buffer.concat([
    ...dims.map((dim) => integer(1, dim)),
    integer(2, data instanceof Float32Array ? KINDS.float32 : KINDS.int64),
    bytes(8, name),
    bytes(9, Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  ])
}

function toValue({ name, kind, dims }: OnnxValue): Buffer {
  const shape = dims.map((dim) => bytes(1, typeof dim === 'string' ? bytes(2, dim) : integer(1, dim)))
  const tensor = Buffer.concat([integer(1, KINDS[kind]), bytes(2, Buffer.concat(shape))])
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, tensor))])
}

/** Encodes a field with a whole number, as protocol buffers write it; negative ones in ten bytes. */
function integer(field: number, value: number): Buffer {
  return Buffer.concat([varint(BigInt(field << 3)), varint(BigInt.asUintN(64, BigInt(value)))])
}

/** A field with bytes. */
function bytes(field: number, value: string | Buffer): Buffer {
  const content = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(content.length)), content])
}

function varint(value: bigint): Buffer {
  const digits: number[] = []
  let rest = value
  while (rest > 127n) {
    digits.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return Buffer.from([...digits, Number(rest)])
}
