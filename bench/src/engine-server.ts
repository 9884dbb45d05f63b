import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, type Measured, startMeasured } from './processes.ts'

/** Options of {@link startEngineServer}. */
export interface EngineServerOptions {
  /** The folder of the server. */
  readonly folder: string
  /** The file of the weights. */
  readonly weights: string
  /** Further keys of the model file. */
  readonly keys: Readonly<Record<string, unknown>>
}

/** Starts the built server with a model `m` on the llama backend, one thread. */
export async function startEngineServer({ folder, weights, keys }: EngineServerOptions): Promise<Measured> {
  const at = (name: string): string => join(folder, name)
  mkdirSync(at('models'))
  const model = {
    name: 'm',
    backend: 'llama',
    known_usecases: ['chat'],
    threads: 1,
    mmap: true,
    template: { use_tokenizer_template: true },
    parameters: { model: 'bench.gguf' },
    ...keys,
  }
  writeFileSync(at('models/m.yaml'), JSON.stringify(model))
  linkSync(weights, at('models/bench.gguf'))
  const port = await freePort()
  const entry = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url))
  const flags = [
    `--address=127.0.0.1:${port}`,
    `--models-path=${at('models')}`,
    `--data-path=${at('data')}`,
    `--config-dir=${at('configuration')}`,
    `--backends-path=${at('backends')}`,
  ]
  return startMeasured({ args: [entry, 'run', ...flags], url: `http://127.0.0.1:${port}`, ready: '/readyz' })
}
