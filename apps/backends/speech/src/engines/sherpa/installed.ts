import { createRequire } from 'node:module'
import { SpeechError } from '../../errors.ts'

/** The version that this backend is tested with. */
const SHERPA_VERSION = '1.13.8'
const PACKAGE = 'sherpa-onnx-node'

/**
 * Checks that the engine is installed, which it is not with the server.
 *
 * @param require resolves packages. @default from this file, and so from the global folder of an installed server
 * @throws SpeechError `precondition_failed`, with the command that installs it
 */
export function checkInstalled(require: (id: string) => unknown = createRequire(import.meta.url)): void {
  const version = readVersion(require)
  if (version === SHERPA_VERSION) return
  const state =
    version === undefined ? 'is not installed' : `${version} is not used: the engine needs ${SHERPA_VERSION}`
  throw new SpeechError('precondition_failed', `${PACKAGE} ${state} (npm install -g ${PACKAGE}@${SHERPA_VERSION})`, {
    code: 'engine_missing',
  })
}

function readVersion(require: (id: string) => unknown): string | undefined {
  try {
    const manifest = require(`${PACKAGE}/package.json`)
    return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
  } catch {
    return undefined
  }
}
