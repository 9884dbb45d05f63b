/** Weights of a ggml file: from which variable they come, and in which form. */
export interface WhisperWeights {
  /** Name in the ggml file. */
  readonly name: string
  /** Name in the CTranslate2 file. */
  readonly variable: string
  /** The part of the variable, of `of` equal ones along its first dimension. */
  readonly part: { readonly index: number; readonly of: number }
  /** Whether they are 16-bit floats; else 32-bit ones. */
  readonly isHalf: boolean
  /** Whether a dimension of length 1 follows the one that they have. */
  readonly isColumn: boolean
}

type Extra = Partial<Pick<WhisperWeights, 'part' | 'isHalf' | 'isColumn'>>

/** Lists the weights of a Whisper model in the order of ggml files. */
export function listWhisperWeights(audioLayers: number, textLayers: number): readonly WhisperWeights[] {
  return [...listSide('encoder', audioLayers), ...listSide('decoder', textLayers)]
}

function weights(name: string, variable: string, extra: Extra = {}): WhisperWeights {
  return { name, variable, part: { index: 0, of: 1 }, isHalf: false, isColumn: false, ...extra }
}

function listSide(side: 'encoder' | 'decoder', layers: number): readonly WhisperWeights[] {
  const blocks = Array.from({ length: layers }, (_, index) => listBlock(side, index)).flat()
  const positions = weights(`${side}.positional_embedding`, `${side}/position_encodings/encodings`)
  if (side === 'decoder') {
    const tokens = weights('decoder.token_embedding.weight', 'decoder/embeddings/weight', { isHalf: true })
    return [positions, tokens, ...norm('decoder.ln', 'decoder/layer_norm'), ...blocks]
  }
  const convolutions = ['conv1', 'conv2'].flatMap((name) => [
    weights(`encoder.${name}.weight`, `encoder/${name}/weight`, { isHalf: true }),
    weights(`encoder.${name}.bias`, `encoder/${name}/bias`, { isColumn: true }),
  ])
  return [positions, ...convolutions, ...norm('encoder.ln_post', 'encoder/layer_norm'), ...blocks]
}

function listBlock(side: 'encoder' | 'decoder', index: number): readonly WhisperWeights[] {
  const to = `${side}.blocks.${index}`
  const from = `${side}/layer_${index}`
  const cross = [
    ...norm(`${to}.cross_attn_ln`, `${from}/attention/layer_norm`),
    ...crossAttention(`${to}.cross_attn`, `${from}/attention`),
  ]
  return [
    ...norm(`${to}.attn_ln`, `${from}/self_attention/layer_norm`),
    ...selfAttention(`${to}.attn`, `${from}/self_attention`),
    ...(side === 'decoder' ? cross : []),
    ...norm(`${to}.mlp_ln`, `${from}/ffn/layer_norm`),
    ...linear(`${to}.mlp.0`, `${from}/ffn/linear_0`),
    ...linear(`${to}.mlp.2`, `${from}/ffn/linear_1`),
  ]
}

function norm(to: string, from: string): readonly WhisperWeights[] {
  return [weights(`${to}.weight`, `${from}/gamma`), weights(`${to}.bias`, `${from}/beta`)]
}

function linear(to: string, from: string, part?: WhisperWeights['part']): readonly WhisperWeights[] {
  const of = part === undefined ? {} : { part }
  return [weights(`${to}.weight`, `${from}/weight`, { isHalf: true, ...of }), weights(`${to}.bias`, `${from}/bias`, of)]
}

/** Keys of Whisper have no bias. */
function withoutBias([weight]: readonly WhisperWeights[]): readonly WhisperWeights[] {
  return weight === undefined ? [] : [weight]
}

/** Query, key and value are one matrix. */
function selfAttention(to: string, from: string): readonly WhisperWeights[] {
  return [
    ...linear(`${to}.query`, `${from}/linear_0`, { index: 0, of: 3 }),
    ...withoutBias(linear(`${to}.key`, `${from}/linear_0`, { index: 1, of: 3 })),
    ...linear(`${to}.value`, `${from}/linear_0`, { index: 2, of: 3 }),
    ...linear(`${to}.out`, `${from}/linear_1`),
  ]
}

/** Key and value are one matrix. */
function crossAttention(to: string, from: string): readonly WhisperWeights[] {
  return [
    ...linear(`${to}.query`, `${from}/linear_0`),
    ...withoutBias(linear(`${to}.key`, `${from}/linear_1`, { index: 0, of: 2 })),
    ...linear(`${to}.value`, `${from}/linear_1`, { index: 1, of: 2 }),
    ...linear(`${to}.out`, `${from}/linear_2`),
  ]
}
