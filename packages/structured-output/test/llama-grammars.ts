import { getLlama, type LlamaGrammar } from 'node-llama-cpp'

/** The engine's matcher, which its declarations leave out. */
interface TestableGrammar extends LlamaGrammar {
  _testText(text: string): boolean
}

/** The engine's own reader of grammars, without a model. */
export interface LlamaGrammars {
  /** Whether a grammar matches the whole of each text. @throws when the engine cannot read the grammar */
  match(grammar: string, texts: readonly string[]): Promise<readonly boolean[]>
  close(): Promise<void>
}

/** Loads the engine that the llama backend runs on. */
export async function openLlamaGrammars(): Promise<LlamaGrammars> {
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false })
  return {
    async match(grammar, texts) {
      const compiled = (await llama.createGrammar({ grammar })) as TestableGrammar
      return texts.map((text) => compiled._testText(text))
    },
    close: () => llama.dispose(),
  }
}
