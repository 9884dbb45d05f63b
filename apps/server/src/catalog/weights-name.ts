/** Facts in the name of a weights file. */
export interface WeightsName {
  /** Quantization in capitals, such as `Q4_K_M` or `BF16`; empty when the name has none. */
  readonly quantization: string
  /** Size with its unit in capitals, such as `0.5B` or `360M`; empty when the name has none. */
  readonly parameterSize: string
}

/** Bits with their variants, or the name of a floating-point type, between separators. */
const QUANTIZATION = /(?:^|[-._/])(i?q\d(?:_[a-z0-9]+)*|bf16|f16|f32)(?=$|[-.])/i
/** Billions or millions of parameters between separators; `A3B` counts active ones and `16E` experts. */
const PARAMETERS = /(?:^|[-._/])(\d+(?:\.\d+)?[bm])(?=$|[-._])/i

/** Reads quantisation and size from a file name or model id. */
export function readWeightsName(name: string): WeightsName {
  return {
    quantization: (QUANTIZATION.exec(name)?.[1] ?? '').toUpperCase(),
    parameterSize: (PARAMETERS.exec(name)?.[1] ?? '').toUpperCase(),
  }
}
