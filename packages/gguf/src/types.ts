/** Values per block and bytes per block of one tensor type. */
export interface TensorType {
  readonly values: number
  readonly bytes: number
}

/** Tensor types of ggml, by their number in the file. Numbers missing here were withdrawn or are unknown. */
export const TENSOR_TYPES: ReadonlyMap<number, TensorType> = new Map(
  (
    [
      [0, 1, 4],
      [1, 1, 2],
      [2, 32, 18],
      [3, 32, 20],
      [6, 32, 22],
      [7, 32, 24],
      [8, 32, 34],
      [9, 32, 36],
      [10, 256, 84],
      [11, 256, 110],
      [12, 256, 144],
      [13, 256, 176],
      [14, 256, 210],
      [15, 256, 292],
      [16, 256, 66],
      [17, 256, 74],
      [18, 256, 98],
      [19, 256, 50],
      [20, 32, 18],
      [21, 256, 110],
      [22, 256, 82],
      [23, 256, 136],
      [24, 1, 1],
      [25, 1, 2],
      [26, 1, 4],
      [27, 1, 8],
      [28, 1, 8],
      [29, 256, 56],
      [30, 1, 2],
      [34, 256, 54],
      [35, 256, 66],
      [39, 32, 17],
      [40, 64, 36],
      [41, 128, 18],
      [42, 64, 18],
    ] as const
  ).map(([id, values, bytes]) => [id, { values, bytes }]),
)

/** Types of the values under the keys of a header, by their number in the file. */
export const VALUE_TYPE = {
  uint8: 0,
  int8: 1,
  uint16: 2,
  int16: 3,
  uint32: 4,
  int32: 5,
  float32: 6,
  bool: 7,
  string: 8,
  array: 9,
  uint64: 10,
  int64: 11,
  float64: 12,
} as const

/** Bytes of one value of each type; 0 where the length is part of the value, absent where the type is unknown. */
export const VALUE_BYTES: ReadonlyMap<number, number> = new Map([
  [VALUE_TYPE.uint8, 1],
  [VALUE_TYPE.int8, 1],
  [VALUE_TYPE.uint16, 2],
  [VALUE_TYPE.int16, 2],
  [VALUE_TYPE.uint32, 4],
  [VALUE_TYPE.int32, 4],
  [VALUE_TYPE.float32, 4],
  [VALUE_TYPE.bool, 1],
  [VALUE_TYPE.string, 0],
  [VALUE_TYPE.array, 0],
  [VALUE_TYPE.uint64, 8],
  [VALUE_TYPE.int64, 8],
  [VALUE_TYPE.float64, 8],
])
