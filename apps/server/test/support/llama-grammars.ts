import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The engine's own reading of grammars, without a model. */
export interface LlamaGrammars {
  /** Whether a grammar matches the whole of each text; throws when the engine cannot read the grammar. */
  match(grammar: string, texts: readonly string[]): Promise<readonly boolean[]>
  close(): Promise<void>
}

interface Engine {
  getLlama(options: object): Promise<{
    createGrammar(options: { readonly grammar: string }): Promise<{ _testText(text: string): boolean }>
    dispose(): Promise<void>
  }>
}

/** Loads the engine that the llama backend runs on. */
export async function openLlamaGrammars(): Promise<LlamaGrammars> {
  const require = createRequire(import.meta.url)
  const backend = join(require.resolve('@svc/backend-llama/package.json'), '..')
  const entry = join(backend, 'node_modules/node-llama-cpp/dist/index.js')
  const engine = (await import(pathToFileURL(entry).href)) as Engine
  const llama = await engine.getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false })
  return {
    async match(grammar, texts) {
      const compiled = await llama.createGrammar({ grammar })
      return texts.map((text) => compiled._testText(text))
    },
    close: () => llama.dispose(),
  }
}
