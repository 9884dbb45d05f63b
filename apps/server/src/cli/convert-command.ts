import type { ModelSource } from '../config/load.ts'
import type { ServerConfig } from '../config/schema.ts'
import { convertModel } from '../whisper-file/convert-model.ts'
import { recordLocalChange } from './local-changes.ts'
import { print } from './terminal.ts'

/** `svc models convert FOLDER`: makes a ggml file of a folder of faster-whisper, and a model of it. */
export async function convertModelCommand(
  config: ServerConfig,
  { file, name }: Pick<ModelSource, 'file' | 'name'>,
): Promise<void> {
  const aborted = new AbortController()
  process.once('SIGINT', () => aborted.abort(new Error('interrupted, nothing was converted')))
  const made = await convertModel({ source: file, name, folder: config.modelsPath, signal: aborted.signal })
  await recordLocalChange(config, { change: 'model.add', target: made.name, details: made.weightsFile })
  const size = (made.sizeBytes / 1e6).toFixed(1)
  print(`converted model "${made.name}": ${made.weightsFile} (${size} MB), ${made.configFile}\n`)
}
