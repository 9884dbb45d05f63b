import { getLlama, LlamaLogLevel } from 'node-llama-cpp'

/** Generated tokens with their time. */
export interface Generation {
  readonly promptTokens: number
  readonly tokens: number
  readonly ms: number
}

/** The engine in this process, without a server. */
export interface DirectEngine {
  /** Continues a text by the likeliest tokens; each call starts without memory of earlier ones. */
  generate(prompt: string, tokens: number): Promise<Generation>
  close(): Promise<void>
}

/** Loads a model file as the llama backend does: one thread, on the CPU. */
export async function openDirectEngine(file: string, contextSize: number): Promise<DirectEngine> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: 0,
    logLevel: LlamaLogLevel.error,
  })
  const model = await llama.loadModel({ modelPath: file, gpuLayers: 0, useMmap: true })
  const context = await model.createContext({ contextSize, threads: 1, batchSize: 512, flashAttention: false })
  const sequence = context.getSequence()
  return {
    async generate(prompt, tokens) {
      await sequence.clearHistory()
      const begun = performance.now()
      const input = [model.tokens.bos, ...model.tokenize(prompt)].filter((token) => token !== null)
      let made = 0
      let text = ''
      for await (const token of sequence.evaluate(input, { temperature: 0, yieldEogToken: true })) {
        text += model.detokenize([token])
        made += 1
        if (made === tokens) break
      }
      const ms = performance.now() - begun
      if (text === '') throw new Error('the engine said nothing')
      return { promptTokens: input.length, tokens: made, ms }
    },
    close: () => llama.dispose(),
  }
}
