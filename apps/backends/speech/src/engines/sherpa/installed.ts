import { createRequire } from 'node:module'
import { SpeechError } from '../../errors.ts'

/** The version that this backend is tested with. */
export const SHERPA_VERSION = '1.13.8'
const PACKAGE = 'sherpa-onnx-node'

/** Checks that the engine is installed. It is not part of the installation. @throws SpeechError `unavailable` */
export function checkInstalled(
  require: Pick<NodeJS.Require, 'resolve'> & ((id: string) => unknown) = createRequire(import.meta.url),
): void {
  const version = readVersion(require)
  if (version === SHERPA_VERSION) return
  const state = version === undefined ? 'is not installed' : `has version ${version}, which this backend does not know`
  throw new SpeechError('precondition_failed', `${PACKAGE} ${state}: npm install -g ${PACKAGE}@${SHERPA_VERSION}`, {
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
